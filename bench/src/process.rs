//! Starts the programs being compared, all in the same bare environment, and takes
//! their wall and processor time.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::Signal;
use nix::sys::time::TimeValLike;
use serde::de::DeserializeOwned;
use tempfile::TempDir;

use crate::measurements::Cost;

/// A throw-away home directory and nothing else from the user's surroundings, so that
/// credentials, settings and plugins of the machine decide no number.
pub(crate) struct Sandbox {
    home: TempDir,
    path: OsString,
}

impl Sandbox {
    /// A sandbox with an empty home.
    pub(crate) fn new() -> Result<Self> {
        let home = tempfile::Builder::new()
            .prefix("hermes-bench-")
            .tempdir()
            .context("creating a throw-away home directory")?;
        Ok(Self { home, path: search_path() })
    }

    /// The bare command: empty environment, no input, no output.
    fn command(&self, program: &OsStr, args: &[&str]) -> Command {
        let mut command = command(program);
        command
            .args(args)
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.home.path())
            .env("HERMES_HOME", self.home.path().join(".hermes"))
            // What a program that is stopped leaves behind goes with the home.
            .env("TMPDIR", self.home.path())
            .env("LANG", "C.UTF-8")
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// What one run costs, from the start of the process to its end. `Ok(None)` when
    /// there is no such program.
    pub(crate) fn time(&self, program: &OsStr, args: &[&str]) -> Result<Option<Cost>> {
        let mut command = self.command(program, args);
        // One child at a time: the growth of the children's total is this child's share.
        let cpu_before = children_cpu_ns()?;
        let start = Instant::now();
        let status = match command.status() {
            Ok(status) => status,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("starting {}", program.display()));
            }
        };
        let wall_ns = start.elapsed().as_nanos() as f64;
        let cpu_ns = children_cpu_ns()? - cpu_before;
        if !status.success() {
            bail!("{} {} failed: {status}", program.display(), args.join(" "));
        }
        Ok(Some(Cost { wall_ns, cpu_ns }))
    }

    /// The wall time of one run and what it printed, read to the end. `Ok(None)` when there is
    /// no such program.
    pub(crate) fn time_listing(
        &self,
        program: &OsStr,
        args: &[&str],
    ) -> Result<Option<(f64, Vec<u8>)>> {
        let mut command = self.command(program, args);
        command.stdout(Stdio::piped());
        let start = Instant::now();
        let output = match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("starting {}", program.display()));
            }
        };
        let wall_ns = start.elapsed().as_nanos() as f64;
        if !output.status.success() {
            bail!("{} {} failed: {}", program.display(), args.join(" "), output.status);
        }
        Ok(Some((wall_ns, output.stdout)))
    }

    /// Runs a program that prints one JSON value, and reads it.
    pub(crate) fn read_json<T: DeserializeOwned>(
        &self,
        program: &Path,
        args: &[&str],
    ) -> Result<T> {
        match self.read_json_in_time(program, args)? {
            Ended::Printed(value) => Ok(value),
            Ended::OutOfTime => bail!("{} ran out of time", program.display()),
        }
    }

    /// The same for a program that sets itself an alarm and may be ended by it.
    pub(crate) fn read_json_in_time<T: DeserializeOwned>(
        &self,
        program: &Path,
        args: &[&str],
    ) -> Result<Ended<T>> {
        let what = || format!("{} {}", program.display(), args.join(" "));
        let output = self
            .command(program.as_os_str(), args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .with_context(|| format!("starting {}", what()))?;
        if output.status.signal() == Some(Signal::SIGALRM as i32) {
            return Ok(Ended::OutOfTime);
        }
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            bail!("{} failed: {}\n{}", what(), output.status, complaint.trim_end());
        }
        serde_json::from_slice(&output.stdout)
            .map(Ended::Printed)
            .with_context(|| format!("reading the measurements printed by {}", what()))
    }
}

/// The plainest way to run a shell command: what ours is compared with. No input; errors are shown
/// to nobody.
pub(crate) fn bare_shell(text: &str) -> Command {
    let mut shell = command(OsStr::new("bash"));
    shell.args(["-c", text]).stdin(Stdio::null()).stderr(Stdio::null());
    shell
}

/// The plainest way to run a program, like [`bare_shell`].
pub(crate) fn bare_program(program: &Path) -> Command {
    let mut program = command(program.as_os_str());
    program.stdin(Stdio::null()).stderr(Stdio::null());
    program
}

/// What a program prints, in the user's own environment.
pub(crate) fn prepare_output(program: &str, args: &[&str]) -> Result<String> {
    let output = command(OsStr::new(program))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("starting `{program}`"))?;
    if !output.status.success() {
        bail!("`{program}` failed: {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("reading what `{program}` printed"))
}

/// How a program that was given some time ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended<T> {
    /// With its result.
    Printed(T),
    /// By its alarm.
    OutOfTime,
}

/// Runs a preparing step in the user's own environment; what it prints goes to standard
/// error, which keeps standard output for the results.
pub(crate) fn prepare(program: &OsStr, args: &[&OsStr]) -> Result<()> {
    let shown = || {
        let words = std::iter::once(program).chain(args.iter().copied());
        words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    };
    let status = command(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .with_context(|| format!("starting `{}`", shown()))?;
    if !status.success() {
        bail!("`{}` failed: {status}", shown());
    }
    Ok(())
}

/// A bare command, with everything this process has.
#[expect(clippy::disallowed_methods, reason = "the benchmark times bare processes")]
pub(crate) fn command(program: &OsStr) -> Command {
    Command::new(program)
}

#[expect(clippy::disallowed_methods, reason = "handed on to the children as it is, not a setting")]
fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

fn children_cpu_ns() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("reading the children's CPU time")?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 * 1_000.0)
}

/// The Python itself, behind whatever launcher is in `PATH`.
pub(crate) fn python() -> Result<PathBuf> {
    let told = prepare_output("python3", &["-c", "import sys; print(sys.executable)"])?;
    let path = Path::new(told.trim());
    ensure!(path.is_absolute(), "python3 does not say where it is: {told}");
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_a_program_that_works() {
        let sandbox = Sandbox::new().unwrap();
        let cost = sandbox.time(OsStr::new("true"), &[]).unwrap().unwrap();
        assert!(cost.wall_ns > 0.0);
    }

    #[test]
    fn charges_the_childs_processor_time() {
        let sandbox = Sandbox::new().unwrap();
        let busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        let cost = sandbox.time(OsStr::new("sh"), &["-c", busy]).unwrap().unwrap();
        assert!(cost.cpu_ns > 1_000_000.0, "{cost:?}");
    }

    #[test]
    fn tells_a_missing_program_from_a_failing_one() {
        let sandbox = Sandbox::new().unwrap();
        assert_eq!(sandbox.time(OsStr::new("no-such-program-here"), &[]).unwrap(), None);
        assert!(sandbox.time(OsStr::new("false"), &[]).is_err());
    }

    #[test]
    fn hides_the_users_environment() {
        let sandbox = Sandbox::new().unwrap();
        let script = "env | grep -c '^CARGO' || true";
        let inherited: u32 = sandbox.read_json(Path::new("sh"), &["-c", script]).unwrap();
        assert_eq!(inherited, 0);
    }

    #[test]
    fn tells_an_alarm_from_a_failure() {
        let sandbox = Sandbox::new().unwrap();
        let run = |script| sandbox.read_json_in_time::<u32>(Path::new("sh"), &["-c", script]);
        assert_eq!(run("echo 7").unwrap(), Ended::Printed(7));
        assert_eq!(run("kill -ALRM $$").unwrap(), Ended::OutOfTime);
        assert!(run("kill -TERM $$").is_err());
    }

    #[test]
    fn reads_a_listing_to_its_end() {
        let sandbox = Sandbox::new().unwrap();
        let script = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done";
        let listing = sandbox.time_listing(OsStr::new("sh"), &["-c", script]).unwrap();
        let (wall_ns, listed) = listing.unwrap();
        assert!(wall_ns > 0.0 && listed.ends_with(b"line 19999\n"));
        assert_eq!(sandbox.time_listing(OsStr::new("no-such-program-here"), &[]).unwrap(), None);
    }

    #[test]
    fn quotes_the_complaint_of_a_failed_measurement() {
        let sandbox = Sandbox::new().unwrap();
        let run = sandbox.read_json::<u32>(Path::new("sh"), &["-c", "echo no luck >&2; exit 3"]);
        assert!(format!("{:#}", run.unwrap_err()).contains("no luck"));
    }
}
