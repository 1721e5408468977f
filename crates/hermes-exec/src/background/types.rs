//! What is said about background processes.

use std::time::Duration;

use hermes_approval::ExecutionTarget;
use hermes_process::PtySize;

/// Why a process is no longer running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionReason {
    /// It ended by itself.
    Exited,
    /// It was killed.
    Killed,
    /// Its environment went away.
    Lost,
    /// It could not be started.
    FailedStart,
    /// It had ended before somebody asked.
    AlreadyExited,
}

impl CompletionReason {
    /// Its name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exited => "exited",
            Self::Killed => "killed",
            Self::Lost => "lost",
            Self::FailedStart => "failed_start",
            Self::AlreadyExited => "already_exited",
        }
    }
}

/// Who ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminationSource {
    /// The tool's `kill` action.
    ProcessKill,
    /// The end of a session or of us.
    KillAll,
    /// The loss of its environment.
    BackendLost,
    /// A failure to start it.
    FailedStart,
}

impl TerminationSource {
    /// Its name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProcessKill => "process.kill",
            Self::KillAll => "kill_all",
            Self::BackendLost => "backend_lost",
            Self::FailedStart => "failed_start",
        }
    }
}

/// A background command with whose it is and when its events are told.
#[derive(Clone, Debug, Default)]
pub struct ProcessStart {
    /// The command as the caller wrote it.
    pub command: String,
    /// Where it runs.
    pub cwd: String,
    /// The environment it runs in.
    pub environment: String,
    /// Whether its process id is one of this machine's processes; set when it is started.
    pub on_host: bool,
    /// What the gate calls the place it runs in; set when it is started.
    pub target: Option<ExecutionTarget>,
    /// The task it belongs to.
    pub task_id: String,
    /// The conversation it belongs to.
    pub session_key: String,
    /// Whether its end is news.
    pub notify_on_complete: bool,
    /// Words in its output that are news.
    pub watch_patterns: Vec<String>,
    /// The size of its terminal; pipes if `None`.
    pub pty: Option<PtySize>,
    /// Variables for it alone.
    pub exports: Vec<(String, String)>,
}

/// A process at one moment.
#[derive(Clone, Debug)]
pub struct ProcessSnapshot {
    /// What the `process` tool calls it: `proc_` and what chance added.
    pub id: String,
    /// What was started.
    pub start: ProcessStart,
    /// Its process id on this machine, or that of its client.
    pub pid: Option<u32>,
    /// When it was started, in seconds since 1970.
    pub started_at: i64,
    /// How long it has run.
    pub uptime: Duration,
    /// Whether its output is gone since it was found again after a restart.
    pub detached: bool,
    /// Whether a watched word was seen.
    pub watch_hit: bool,
    /// Whether its end is news.
    pub notify: bool,
    /// How it ended: code, reason, source.
    pub ended: Option<(Option<i32>, CompletionReason, Option<TerminationSource>)>,
    /// The last of its output.
    pub output: String,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The process has ended.
    Ended,
    /// Time is up.
    TimedOut,
    /// Somebody stopped the wait.
    Interrupted,
}

/// Why a process could not be told something.
#[derive(Debug, thiserror::Error)]
pub enum TellError {
    /// There is none of that id.
    #[error("no process {0}")]
    NotFound(String),
    /// It has ended.
    #[error("process {0} has already exited")]
    AlreadyExited(String),
    /// It cannot be reached or does not listen.
    #[error("process {id}: {why}")]
    Failed {
        /// Its id.
        id: String,
        /// Why.
        why: String,
    },
}
