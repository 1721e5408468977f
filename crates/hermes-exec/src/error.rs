//! What can go wrong before or around a command.

use hermes_approval::WrongTarget;
use hermes_process::ProcessError;
use thiserror::Error;

use crate::kind::BackendKind;

/// Why a command did not run.
#[derive(Debug, Error)]
pub enum ExecError {
    /// A setting makes no sense.
    #[error("{0}")]
    Settings(String),
    /// A program or service the backend needs is not there.
    #[error("the {backend} backend is not available: {why}")]
    Unavailable {
        /// The backend.
        backend: BackendKind,
        /// What is missing, and what to do about it.
        why: String,
    },
    /// The backend could not be started.
    #[error("the {backend} backend could not be started: {why}")]
    NotStarted {
        /// The backend.
        backend: BackendKind,
        /// What its client said.
        why: String,
    },
    /// The environment went away and the command did not start.
    #[error("the {backend} environment is gone: {why}")]
    Gone {
        /// The backend.
        backend: BackendKind,
        /// What its client said.
        why: String,
    },
    /// The connection failed; whether the command ran is not known, so it is not tried again.
    #[error(
        "lost the connection to the {backend} environment: {why}; the command may or may not have run"
    )]
    Unreachable {
        /// The backend.
        backend: BackendKind,
        /// What its client said.
        why: String,
    },
    /// Another command of the session changed the shell between judgement and run.
    #[error(
        "another command of this session changed its shell meanwhile, so this one was not run; run \
         it again"
    )]
    StateChanged,
    /// The command was approved for another execution target.
    #[error(transparent)]
    WrongTarget(#[from] WrongTarget),
    /// A program could not be started on this machine.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A file of the session could not be used.
    #[error("cannot {act} {path}: {source}")]
    File {
        /// What was tried.
        act: &'static str,
        /// On which file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ExecError {
    /// Whether the backend is missing something that has to be installed or configured.
    #[must_use]
    pub fn is_missing_dependency(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Settings(_))
    }
}
