//! One conversation of one program, in a process that does nothing else.
//!
//! The process plays the model and starts the program; so both read the same clock, and what the kernel
//! charges to the process's children is the program's alone. A conversation that went otherwise than the
//! script says is an error: a number for other work is worthless.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use hermes_testkit::{ModelServer, Seen};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::side::Side;
use super::work::{ANSWER, Work, mark};
use crate::process;

/// After this long a program is stopped.
const PATIENCE: Duration = Duration::from_secs(180);

/// Who does what, and where.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) side: Side,
    pub(super) work: Work,
    pub(super) program: PathBuf,
    /// The program's home.
    pub(super) home: PathBuf,
    /// The folder with the files.
    pub(super) folder: PathBuf,
}

/// What a conversation took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// From the start of the program to its end.
    pub(crate) wall_ns: f64,
    /// Of the program and everything it waited for.
    pub(crate) cpu_ns: f64,
    /// The most that one of its processes had in memory.
    pub(crate) peak_bytes: f64,
    /// From the start until a request had arrived.
    pub(crate) first_request_ns: f64,
    /// Requests that were not needed for the conversation.
    pub(crate) extra_requests: f64,
    /// The first question: instructions, tools and what was asked.
    pub(crate) request_bytes: f64,
}

impl Run {
    /// The better of each; of memory the worse.
    pub(super) fn best(self, other: Self) -> Self {
        Self {
            wall_ns: self.wall_ns.min(other.wall_ns),
            cpu_ns: self.cpu_ns.min(other.cpu_ns),
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            first_request_ns: self.first_request_ns.min(other.first_request_ns),
            extra_requests: self.extra_requests.max(other.extra_requests),
            request_bytes: self.request_bytes.max(other.request_bytes),
        }
    }
}

/// Holds the conversation of a job and prints what it took as JSON.
pub(crate) fn print(job: &Path) -> Result<()> {
    let text = std::fs::read(job).with_context(|| format!("reading {}", job.display()))?;
    let job: Job = serde_json::from_slice(&text).context("reading the job")?;
    let run = run(&job)?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&run)?)
        .context("printing the measurements")
}

fn run(job: &Job) -> Result<Run> {
    let server = ModelServer::listen(job.work.script(job.side), 0).context("starting the model")?;
    let start = job.side.prepare(&job.home, &server.origin())?;
    let mut command = process::command(job.program.as_os_str());
    command
        .args(&start.args)
        .envs(start.vars)
        .current_dir(&job.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());

    let began = Instant::now();
    let child = command.spawn().with_context(|| format!("starting {}", job.program.display()))?;
    let watch = Watch::over(child.id());
    let output = child.wait_with_output().context("waiting for the program")?;
    let wall_ns = began.elapsed().as_nanos() as f64;
    drop(watch);

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("reading what the program took")?;
    let cpu = usage.user_time() + usage.system_time();
    let requests = server.requests();
    let questions = questions(&requests);
    check(job, &output, &questions)?;
    let (Some(first), Some(question)) = (requests.first(), questions.first()) else {
        bail!("nothing was asked");
    };
    Ok(Run {
        wall_ns,
        cpu_ns: cpu.num_microseconds() as f64 * 1e3,
        peak_bytes: usage.max_rss() as f64 * 1024.0,
        first_request_ns: first.at.saturating_duration_since(began).as_nanos() as f64,
        extra_requests: (requests.len() - questions.len()) as f64,
        request_bytes: question.body.to_string().len() as f64,
    })
}

/// The requests that the conversation is made of: those that offer tools.
fn questions(requests: &[Seen]) -> Vec<&Seen> {
    let offers_tools = |seen: &&Seen| !seen.view().tools.is_empty();
    requests.iter().filter(|seen| seen.is_question()).filter(offers_tools).collect()
}

/// Whether the model was asked as often as it should, knew every file in the end, and was heard.
fn check(job: &Job, output: &Output, questions: &[&Seen]) -> Result<()> {
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let told = || format!("{:?}\n{said}\n{complained}", job.side);
    ensure!(output.status.success(), "{} failed: {}", told(), output.status);
    ensure!(said.contains(ANSWER), "the answer is not shown: {}", told());
    let (asked, wanted) = (questions.len(), job.work.questions());
    // Others may ask more often than the work needs: that is their way, and their time shows it.
    let is_enough = asked == wanted || (job.side != Side::Ours && asked > wanted);
    ensure!(is_enough, "asked {asked} times instead of {wanted}: {}", told());
    let last = questions.last().map(|seen| seen.body.to_string()).unwrap_or_default();
    for number in 0..job.work.files() {
        ensure!(last.contains(&mark(number)), "file {number} was not read: {}", told());
    }
    Ok(())
}

/// Ends a program that takes too long.
struct Watch {
    _done: mpsc::Sender<()>,
}

impl Watch {
    fn over(process: u32) -> Self {
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || {
            let late = is_done.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
            if late && let Ok(process) = i32::try_from(process) {
                let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
            }
        });
        Self { _done: done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_two_runs_has_the_least_time_and_the_most_memory() {
        let run = |number| Run {
            wall_ns: number,
            cpu_ns: number,
            peak_bytes: number,
            first_request_ns: number,
            extra_requests: number,
            request_bytes: number,
        };
        let best = run(1.0).best(run(2.0));
        assert_eq!((best.wall_ns, best.cpu_ns, best.peak_bytes), (1.0, 1.0, 2.0));
        assert_eq!(best, run(2.0).best(run(1.0)));
    }

    #[test]
    fn a_program_that_asks_nothing_is_no_measurement() {
        let folder = tempfile::tempdir().unwrap();
        let job = Job {
            side: Side::Goose,
            work: Work::Answer,
            program: "true".into(),
            home: folder.path().to_owned(),
            folder: folder.path().to_owned(),
        };
        assert!(run(&job).is_err());
    }
}
