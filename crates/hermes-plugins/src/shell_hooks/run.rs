//! Running a hook.
//!
//! The command gets the event on its standard input, a short list of variables
//! ([`PASSED_VARIABLES`]), and its time; then it is ended with everything it started. Its output is
//! read up to [`MAX_OUTPUT_CHARS`], beyond which it counts as garbage.
//!
//! Needs a Tokio runtime with I/O and time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_process::{CaptureLimit, Command, End, ProcessError};
use hermes_runtime::hooks::Payload;
use hermes_store::home::HOME_VARIABLE;
use hermes_tool::Vars;
use serde_json::Value;
use tracing::{debug, warn};

use super::ShellHook;
use super::answer::HookAnswer;
use super::input::input;
use super::words::{BadCommand, Words};

/// Most characters read of a hook's standard output, and of its standard error.
pub const MAX_OUTPUT_CHARS: usize = 1024 * 1024;

/// The variables a hook sees, besides `HERMES_HOME` and those starting with `LC_`: what programs
/// need to find others, the user's files and the right language. Keys and tokens are not among
/// them; a hook that needs one reads it from where the user keeps it.
pub const PASSED_VARIABLES: [&str; 7] = ["PATH", "HOME", "LANG", "TMPDIR", "TERM", "USER", "SHELL"];

/// Everything a hook's process is made from, apart from the hook itself.
#[derive(Clone, Debug)]
pub struct HookRunner {
    vars: Vars,
    hermes_home: PathBuf,
    cwd: Option<PathBuf>,
}

/// A hook that has run.
#[derive(Clone, Debug)]
pub struct Run {
    /// By itself, by a signal, or stopped at its time limit.
    pub end: End,
    /// How long it took.
    pub duration: Duration,
    /// What it wrote, cut in the middle when longer than [`MAX_OUTPUT_CHARS`].
    pub stdout: String,
    /// What it complained about, cut likewise.
    pub stderr: String,
    /// What it wants.
    pub answer: HookAnswer,
}

/// Why a hook has not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The text is no command.
    #[error(transparent)]
    Command(#[from] BadCommand),
    /// The program could not be started or watched.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// We are in a directory that no longer exists.
    #[error("cannot tell the current directory: {0}; change to one that exists")]
    CurrentDirectory(#[source] std::io::Error),
}

/// What a trial of a hook shows.
#[derive(Debug)]
pub struct TestReport {
    /// Whether the hook would have run for this event, going by its matcher.
    pub applies: bool,
    /// What it did; it is run either way.
    pub outcome: Result<Run, RunError>,
}

/// Runs a hook on a made-up event, whatever its matcher says and whether or not anybody agreed to
/// it: whoever calls this is the one who could agree.
pub async fn test_run(hook: &ShellHook, payload: &Payload, runner: &HookRunner) -> TestReport {
    TestReport { applies: hook.applies_to(payload), outcome: runner.run(hook, payload).await }
}

impl HookRunner {
    /// Hooks see those of the variables that are in [`PASSED_VARIABLES`], and this Hermes home. They
    /// run in the directory Hermes is in at that moment.
    pub fn new(vars: Vars, hermes_home: impl Into<PathBuf>) -> Self {
        Self { vars, hermes_home: hermes_home.into(), cwd: None }
    }

    /// The same, in this directory.
    #[must_use]
    pub fn in_directory(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The variables it was made with.
    #[must_use]
    pub fn vars(&self) -> &Vars {
        &self.vars
    }

    /// The user's folder, where it is known.
    #[must_use]
    pub fn user_folder(&self) -> Option<&str> {
        self.vars.non_blank("HOME")
    }

    /// Runs a hook to its end or its time limit.
    pub async fn run(&self, hook: &ShellHook, payload: &Payload) -> Result<Run, RunError> {
        let words = Words::split(&hook.command, self.user_folder())?;
        let cwd = match &self.cwd {
            Some(cwd) => cwd.clone(),
            None => std::env::current_dir().map_err(RunError::CurrentDirectory)?,
        };
        let stdin = Value::Object(input(hook.event, payload, &cwd)).to_string();
        let finished = Command::new(words.program)
            .args(words.args)
            .envs(self.environment())
            .stdin_bytes(stdin)
            .cwd(cwd)
            .deadline(hook.timeout)
            .capture(CaptureLimit::chars(MAX_OUTPUT_CHARS))
            .run()
            .await?;
        let stdout = finished.stdout.text();
        let answer = match finished.end {
            End::TimedOut | End::Cancelled => {
                HookAnswer::ignored(format!("it was not done within {:?}", hook.timeout))
            }
            _ if finished.stdout.is_truncated() => HookAnswer::ignored(format!(
                "the output is longer than {MAX_OUTPUT_CHARS} characters"
            )),
            End::Exited(_) | End::Signalled(_) => HookAnswer::read(hook.event, &stdout),
        };
        let stderr = finished.stderr.text();
        Ok(Run { end: finished.end, duration: finished.duration, stdout, stderr, answer })
    }

    /// Runs a hook as part of an event: what goes wrong is logged and has no effect.
    pub(super) async fn answer(&self, hook: &ShellHook, payload: &Payload) -> Option<Value> {
        let (event, command) = (hook.event, hook.command.as_str());
        let run = match self.run(hook, payload).await {
            Ok(run) => run,
            Err(error) => {
                warn!(%event, command, "shell hook has no effect: {error}");
                return None;
            }
        };
        debug!(%event, command, end = ?run.end, duration = ?run.duration, "shell hook ran");
        match run.answer {
            HookAnswer::Directive(directive) => Some(directive),
            HookAnswer::Silent => {
                if run.end != End::Exited(0) {
                    warn!(%event, command, end = ?run.end, "shell hook failed without an answer");
                }
                None
            }
            HookAnswer::Ignored(why) => {
                warn!(%event, command, end = ?run.end, "shell hook has no effect: {why}");
                None
            }
        }
    }

    fn environment(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.vars
            .iter()
            .filter(|(name, _)| PASSED_VARIABLES.contains(name) || name.starts_with("LC_"))
            .map(|(name, value)| (name, Path::new(value)))
            .chain([(HOME_VARIABLE, self.hermes_home.as_path())])
    }
}
