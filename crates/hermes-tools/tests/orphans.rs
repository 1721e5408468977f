//! Killed with `kill -9` at any moment, Hermes leaves nothing behind: no process here, in a
//! container or on another host, no container, no instance, no connection, no folder.
//!
//! Each run starts a program that uses the terminal in all its ways at once, and kills it either
//! while it starts or when everything runs, after a pause that differs from run to run but is the
//! same every time the test runs. All places are on this machine, so one look at its process table
//! sees everything. What the places need is started by `scripts/test-parts/all start`.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed step fails the test")]

mod machine;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use hermes_process::{Child, OutputMode};
use hermes_tool::Vars;
use machine::{Process, containers_of, instances_of, program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::runtime::Runtime;

/// Where the programs are waited for. Whoever outlives one of them is taken over by its supervisor, which
/// leaves them alone until we are done looking.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

/// How long it may take until everything is gone. Most of it is for the engines to remove what
/// they run, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(15);
/// The longest pause before the kill once everything runs.
const LONGEST_LIFE: Duration = Duration::from_millis(400);
/// Processes that carry the mark once everything runs: five of the command, one in the background,
/// one on a terminal.
const MARKED: usize = 7;

/// How one place is tried.
struct Trial {
    place: &'static str,
    runs: usize,
    at_once: usize,
    /// The longest pause before the kill while everything starts.
    longest_start: Duration,
}

#[test]
fn nothing_is_left_on_this_machine() {
    let begun = SystemTime::now();
    let longest_start = Duration::from_millis(400);
    Trial { place: "local", runs: 140, at_once: 3, longest_start }.run();
    // Folders that only we could have removed are removed by the next one that starts.
    let mut next = Host::start("local", "next");
    next.wait_until_ready();
    assert_eq!(eventually_nothing(|| deserted("/dev/shm", "hermes-local-", begun)), Ok(()));
}

#[test]
fn nothing_is_left_in_a_container() {
    let longest_start = Duration::from_millis(2_000);
    Trial { place: "docker", runs: 24, at_once: 3, longest_start }.run();
}

#[test]
fn nothing_is_left_on_another_host() {
    let longest_start = Duration::from_millis(1_500);
    Trial { place: "ssh", runs: 24, at_once: 2, longest_start }.run();
}

#[test]
fn nothing_is_left_in_an_instance() {
    let longest_start = Duration::from_millis(2_000);
    Trial { place: "apptainer", runs: 16, at_once: 2, longest_start }.run();
}

impl Trial {
    /// Does all runs, and tells of every one that left something.
    fn run(&self) {
        let begun = SystemTime::now();
        let next = AtomicUsize::new(0);
        let failures: Vec<String> = std::thread::scope(|scope| {
            let worker = || {
                let runs = std::iter::from_fn(|| {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    (run < self.runs).then_some(run)
                });
                runs.filter_map(|run| self.one(run).err()).collect::<Vec<_>>()
            };
            let workers: Vec<_> = (0..self.at_once).map(|_| scope.spawn(worker)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
        });
        assert!(failures.is_empty(), "{} runs:\n{}", failures.len(), failures.join("\n"));
        // Of those killed before we knew of their session. The other host's folders are here.
        if self.place == "ssh" {
            assert_eq!(eventually_nothing(|| unguarded_sessions(begun)), Ok(()));
        }
    }

    fn one(&self, run: usize) -> Result<(), String> {
        let mut host = Host::start(self.place, &format!("{}{run:03}", &self.place[..1]));
        let when = if run.is_multiple_of(2) {
            let pause = pause(run, self.longest_start);
            std::thread::sleep(pause);
            format!("{pause:?} after its start")
        } else {
            host.wait_until_ready();
            host.assert_all_are_seen();
            let pause = pause(run, LONGEST_LIFE);
            std::thread::sleep(pause);
            format!("{pause:?} after it was ready")
        };
        let left = host.kill();
        left.map_err(|left| format!("{} {run}, killed {when}, left {left}", self.place))
    }
}

/// A pause that looks random and is the same every time.
fn pause(run: usize, longest: Duration) -> Duration {
    let mut bits = (run as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    longest.mul_f64((bits >> 40) as f64 / f64::from(1 << 24))
}

/// A program that is going to be killed.
struct Host {
    child: Child,
    place: &'static str,
    /// What everything it starts can be known by.
    mark: String,
    folder: PathBuf,
}

impl Host {
    fn start(place: &'static str, name: &str) -> Self {
        // Short: sockets are made below it.
        let mark = format!("orphan-{}-{name}-", std::process::id());
        let folder = Path::new("/tmp").join(&mark);
        std::fs::create_dir(&folder).expect("a folder");
        let vars = Vars::from_process();
        let path = vars.get("PATH").expect("a search path");
        let _in_runtime = RUNTIME.enter();
        let child = program(env!("CARGO_BIN_EXE_hermes-tools-doomed-host"))
            .args([place.as_ref(), folder.as_os_str(), mark.as_ref()])
            // Every client is given the search path, so all of them carry the mark.
            .env("PATH", format!("{path}:/{mark}"))
            .env("TMPDIR", &folder)
            .env("APPTAINER_CONFIGDIR", folder.join("apptainer"))
            .output(OutputMode::Separate)
            .spawn()
            .expect("the doomed host starts");
        Self { child, place, mark, folder }
    }

    fn wait_until_ready(&mut self) {
        let mut line = String::new();
        let mut output = BufReader::new(self.child.take_stdout().expect("piped"));
        RUNTIME.block_on(output.read_line(&mut line)).expect("text");
        assert_eq!(line, "ready\n", "{}", self.mark);
    }

    /// What is not seen while it runs would not be missed later.
    fn assert_all_are_seen(&self) {
        let missing = || {
            let seen = Process::all().iter().filter(|one| one.is_called(&self.mark)).count();
            if seen == MARKED { Vec::new() } else { vec![format!("{seen} seen")] }
        };
        assert_eq!(eventually_nothing(missing), Ok(()), "{}", self.mark);
    }

    /// Kills it, and says what is left when the patience is at its end.
    fn kill(mut self) -> Result<(), String> {
        let tree = Process::tree(self.child.pid(), &Process::all());
        let sessions: BTreeSet<String> = tree.iter().flat_map(Process::sessions).collect();
        kill(Pid::from_raw(self.child.pid().cast_signed()), Signal::SIGKILL).expect("SIGKILL");
        RUNTIME.block_on(self.child.wait()).expect("reaped");
        let strays = || {
            let of_us = |process: &Process| {
                process.says(&self.mark)
                    || sessions.iter().any(|session| process.says(session))
                    || tree.iter().any(|member| member.is(process))
            };
            Process::all().into_iter().filter(of_us).collect::<Vec<_>>()
        };
        let left = eventually_nothing(|| {
            let mut left: Vec<String> = strays().iter().map(Process::describe).collect();
            left.extend(sessions.iter().filter(|folder| Path::new(folder).exists()).cloned());
            // Costly to ask, so not before the rest is gone.
            if left.is_empty() {
                left = match self.place {
                    "docker" => containers_of(&self.mark),
                    "apptainer" => instances_of(&self.folder.join("apptainer")),
                    _ => Vec::new(),
                };
            }
            left
        });
        // A failed test must not be what leaves them behind.
        for process in strays() {
            let _ = kill(Pid::from_raw(process.pid.cast_signed()), Signal::SIGKILL);
        }
        left
    }
}

/// Also when a test fails. The program itself ends with its supervisor.
impl Drop for Host {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn eventually_nothing(look: impl Fn() -> Vec<String>) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        let left = look();
        if left.is_empty() {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            return Err(left.join("\n    "));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Folders whose name begins like this and that were made since then.
fn made_since(place: &str, prefix: &str, begun: SystemTime) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place).expect("a folder").flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .filter(|entry| {
            entry.metadata().and_then(|about| about.modified()).is_ok_and(|at| at > begun)
        })
        .map(|entry| entry.path())
        .collect()
}

/// Session folders that no process speaks of.
fn unguarded_sessions(begun: SystemTime) -> Vec<String> {
    let folders = made_since("/tmp", "hermes-exec-", begun);
    let folders = folders.iter().map(|folder| folder.display().to_string());
    let all = Process::all();
    folders.filter(|folder| !all.iter().any(|process| process.says(folder))).collect()
}

/// Folders whose owner has let go of the lock on them.
fn deserted(place: &str, prefix: &str, begun: SystemTime) -> Vec<String> {
    let folders = made_since(place, prefix, begun);
    let free =
        |folder: &&PathBuf| std::fs::File::open(folder).is_ok_and(|file| file.try_lock().is_ok());
    folders.iter().filter(free).map(|folder| folder.display().to_string()).collect()
}
