//! What can go wrong with jobs, in words for whoever asked.

use std::path::PathBuf;

use hermes_store::atomic::AtomicError;
use hermes_store::lock::LockError;

use crate::schedule::ScheduleError;

/// What went wrong with jobs. Says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum CronError {
    /// The text of a schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// Somebody else works on the jobs.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] AtomicError),
    /// A file could not be read.
    #[error("cannot read {}: {source}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The file of jobs is none.
    #[error("{} cannot be understood and was left alone: {problem}; mend it, or move it away", .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// Where and why.
        problem: String,
    },
    /// The record of runs.
    #[error("the record of runs {} cannot be used: {problem}", .file.display())]
    Ledger {
        /// The database.
        file: PathBuf,
        /// What SQLite says.
        problem: String,
    },
    /// No job goes by this.
    #[error("no job is called `{asked}`; `hermes cron list --all` shows them")]
    NoSuchJob {
        /// What was asked for.
        asked: String,
    },
    /// Several jobs go by this.
    #[error("`{asked}` could be any of {}; say its id", .ids.join(", "))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The jobs it could be.
        ids: Vec<String>,
    },
    /// A job that cannot be.
    #[error("{0}")]
    BadJob(String),
}

impl CronError {
    /// Whether the fault lies in what was asked for, and not in files or other processes.
    #[must_use]
    pub fn is_mistaken_request(&self) -> bool {
        matches!(
            self,
            Self::Schedule(_) | Self::NoSuchJob { .. } | Self::Ambiguous { .. } | Self::BadJob(_)
        )
    }
}
