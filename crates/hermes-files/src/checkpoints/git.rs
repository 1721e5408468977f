//! Running `git` on the checkpoint store, and on nothing else.
//!
//! Each call names its repository, work tree and index, and starts from an empty environment: no
//! `GIT_*` variable, no configuration of the user or the system and no hook can reach in, and
//! nothing of a repository the work tree may itself be can be reached.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hermes_process::{CaptureLimit, Command, End, ProcessError};

use super::error::CheckpointError;

/// Settings for every call; there is no configuration file to keep in step.
const CONFIG: &[&str] = &[
    // Collecting garbage is upkeep's business, never that of a command someone waits for.
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "core.hooksPath=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    // Names that would trouble other systems are fine: files go back to where they came from.
    "core.protectHFS=false",
    "core.protectNTFS=false",
    // One flush for all new objects instead of one each.
    "core.fsyncMethod=batch",
    "core.quotePath=true",
    "diff.renames=false",
];

const AUTHOR: &str = "Hermes Checkpoint";
const EMAIL: &str = "hermes@local";

/// The end of the time an operation has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    until: Instant,
    limit: Duration,
}

impl Deadline {
    pub(super) fn after(limit: Duration) -> Self {
        Self { until: Instant::now() + limit, limit }
    }

    /// The time left; an error if there is none.
    pub(super) fn left(self, during: &str) -> Result<Duration, CheckpointError> {
        match self.until.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(left),
            _ => Err(self.passed(during)),
        }
    }

    pub(super) fn passed(self, during: &str) -> CheckpointError {
        CheckpointError::TimedOut { during: during.to_owned(), limit: self.limit }
    }
}

/// Git on one store, until a deadline.
#[derive(Debug, Clone)]
pub(super) struct Git {
    pub(super) store: PathBuf,
    pub(super) search_path: Option<String>,
    pub(super) deadline: Deadline,
}

impl Git {
    /// Begins a call of a git command.
    pub(super) fn call(&self, name: &'static str) -> GitCall {
        let mut command = Command::new("git");
        for setting in CONFIG {
            command = command.arg("-c").arg(*setting);
        }
        command = command
            .arg(name)
            .capture(CaptureLimit::UNBOUNDED)
            .env("GIT_DIR", &self.store)
            .env("HOME", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        if let Some(path) = &self.search_path {
            command = command.env("PATH", path);
        }
        GitCall { name, command, deadline: self.deadline, accepted: &[0] }
    }
}

/// One call of a git command, being put together.
#[must_use]
pub(super) struct GitCall {
    name: &'static str,
    command: Command,
    deadline: Deadline,
    accepted: &'static [i32],
}

impl GitCall {
    pub(super) fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command = self.command.args(args);
        self
    }

    /// Gives it a work tree, to run in, and an index.
    pub(super) fn on(mut self, tree: &Path, index: &Path) -> Self {
        self.command =
            self.command.cwd(tree).env("GIT_WORK_TREE", tree).env("GIT_INDEX_FILE", index);
        self
    }

    /// Gives it an index alone.
    pub(super) fn index(mut self, index: &Path) -> Self {
        self.command = self.command.env("GIT_INDEX_FILE", index);
        self
    }

    /// Says who makes a commit, and when.
    pub(super) fn identity(mut self, now: SystemTime) -> Self {
        let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        for role in ["AUTHOR", "COMMITTER"] {
            self.command = self
                .command
                .env(format!("GIT_{role}_NAME"), AUTHOR)
                .env(format!("GIT_{role}_EMAIL"), EMAIL)
                .env(format!("GIT_{role}_DATE"), format!("@{seconds} +0000"));
        }
        self
    }

    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.command = self.command.env(name, value);
        self
    }

    pub(super) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.command = self.command.stdin_bytes(bytes);
        self
    }

    /// Limits what is kept of the output to so many characters.
    pub(super) fn at_most(mut self, chars: usize) -> Self {
        self.command = self.command.capture(CaptureLimit::chars(chars));
        self
    }

    /// Takes exit code 1 for success, too.
    pub(super) fn partly_is_enough(mut self) -> Self {
        self.accepted = &[0, 1];
        self
    }

    /// Runs it, and returns what it printed.
    pub(super) async fn run(self) -> Result<String, CheckpointError> {
        let left = self.deadline.left(self.name)?;
        let done = match self.command.deadline(left).run().await {
            Err(ProcessError::NotFound { .. }) => return Err(CheckpointError::GitMissing),
            done => done?,
        };
        let said = || done.stderr.text().trim().to_owned();
        let message = match done.end {
            End::Exited(code) if self.accepted.contains(&code) => {
                if code != 0 {
                    tracing::debug!(command = self.name, message = said(), "git left out a part");
                }
                return Ok(done.stdout.text());
            }
            End::TimedOut => return Err(self.deadline.passed(&format!("git {}", self.name))),
            End::Exited(code) if done.stderr.total_chars() == 0 => format!("exit code {code}"),
            End::Exited(_) => said(),
            End::Signalled(signal) => format!("killed by signal {signal}"),
            End::Cancelled => "cancelled".to_owned(),
        };
        Err(CheckpointError::Git { command: self.name.to_owned(), message })
    }
}
