//! Why something about a run could not be done.

use std::io;
use std::path::{Path, PathBuf};

use hermes_host::HostError;
use hermes_store::atomic::AtomicError;

/// Why a verb of `hermes batch` could not do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// What was asked for makes no sense; asking the same way again will not help.
    #[error("{0}")]
    Usage(String),
    /// A data set has no row that could be run.
    #[error("{0}")]
    NoValidRow(String),
    /// Somebody else works on the run.
    #[error(
        "the run is being worked on by {holder}; wait for it, or look with: hermes batch status {run}"
    )]
    Locked {
        /// The name of the run.
        run: String,
        /// Host and process, as far as the lock says.
        holder: String,
    },
    /// A step on a file failed.
    #[error("cannot {act} {}: {source}", .file.display())]
    File {
        /// What was tried, as a verb.
        act: &'static str,
        /// On which file.
        file: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file could not be replaced.
    #[error(transparent)]
    Replace(#[from] AtomicError),
    /// A file of the run is not what it should be.
    #[error("{}: {why}", .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Tools or models could not be made ready.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl BatchError {
    /// For use with `map_err`: remembers what was being done to which file.
    pub(crate) fn when(act: &'static str, file: &Path) -> impl FnOnce(io::Error) -> Self {
        let file = file.to_path_buf();
        move |source| Self::File { act, file, source }
    }

    pub(crate) fn usage(why: impl Into<String>) -> Self {
        Self::Usage(why.into())
    }

    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over where they come up")]
    pub(crate) fn broken(file: &Path, why: impl ToString) -> Self {
        Self::Broken { file: file.to_path_buf(), why: why.to_string() }
    }
}
