//! What can go wrong with a checkpoint, and why one may not be taken at all.
//!
//! The two are kept apart: a [`Skip`] is an ordinary answer ("this is your home directory"), an
//! error is something a person may want to look into. Neither ever stops the tool call that asked
//! for the checkpoint.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_process::ProcessError;

/// Why no checkpoint was taken, though nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// `checkpoints.enabled` is off.
    Disabled,
    /// The directory is `/`.
    FileSystemRoot,
    /// The directory is the home directory, or contains it.
    HomeDirectory,
    /// The directory is part of the checkpoint store.
    InsideStore,
    /// There is no such directory (yet), so there is nothing to save.
    NoDirectory,
    /// The directory has more entries than a checkpoint may have.
    TooManyEntries {
        /// Entries a directory may have to be saved.
        limit: usize,
    },
    /// There is no `git` to take it with.
    GitMissing,
    /// One was taken, or tried, for this directory earlier in the same turn.
    AlreadyThisTurn,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("checkpoints are off (set `checkpoints.enabled`)"),
            Self::FileSystemRoot => f.write_str("the root directory is never saved"),
            Self::HomeDirectory => {
                f.write_str("a directory that is or contains the home directory is never saved")
            }
            Self::InsideStore => f.write_str("the checkpoint store does not save itself"),
            Self::NoDirectory => f.write_str("there is no such directory"),
            Self::TooManyEntries { limit } => {
                write!(f, "the directory has more than {limit} entries")
            }
            Self::GitMissing => {
                f.write_str("`git` was not found in PATH; install it to get checkpoints")
            }
            Self::AlreadyThisTurn => f.write_str("already done in this turn"),
        }
    }
}

/// Why an operation on the checkpoint store failed.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A step on a file or directory failed.
    #[error("cannot {act} {}: {source}", .path.display())]
    Io {
        /// What was tried, as a verb phrase.
        act: &'static str,
        /// The file or directory that could not be worked on.
        path: PathBuf,
        /// What the operating system answered.
        source: io::Error,
    },

    /// `git` ran and refused.
    #[error("`git {command}` failed in the checkpoint store: {message}")]
    Git {
        /// The subcommand of git that failed, without its arguments.
        command: String,
        /// What it said, or how it ended.
        message: String,
    },

    /// `git` could not be started.
    #[error("`git` was not found in PATH; install it to use checkpoints")]
    GitMissing,

    /// `git` could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),

    /// The time for the whole operation is up.
    #[error(
        "the checkpoint operation was stopped after {} s (during {during}); \
         HERMES_CHECKPOINT_TIMEOUT allows up to 60", limit.as_secs()
    )]
    TimedOut {
        /// The git command or lock that was being waited for.
        during: String,
        /// The setting `timeout` that ran out.
        limit: Duration,
    },

    /// What was given as a hash is none.
    #[error(
        "`{given}` is no checkpoint hash: give 4 to 64 hexadecimal digits of one from the list"
    )]
    InvalidHash {
        /// What was given as a hash, word for word.
        given: String,
    },

    /// No checkpoint of this directory has such a hash.
    #[error("{} has no checkpoint `{hash}`; list them to see which there are", .dir.display())]
    UnknownCheckpoint {
        /// The hash, or the beginning of one, that was asked for.
        hash: String,
        /// The project whose checkpoints were looked through.
        dir: PathBuf,
    },

    /// The hash is short for more than one checkpoint.
    #[error("`{hash}` is short for {count} checkpoints; give more digits")]
    AmbiguousHash {
        /// The hash, or the beginning of one, that was asked for.
        hash: String,
        /// How many checkpoints begin like that.
        count: usize,
    },

    /// The path does not lead to something inside the directory.
    #[error("`{}` {problem}; give a path relative to the directory", .path.display())]
    InvalidPath {
        /// The path as it was asked for.
        path: PathBuf,
        /// Why nothing can be restored there, to follow "is".
        problem: &'static str,
    },

    /// Neither the checkpoint nor the directory knows the path.
    #[error("`{}` is neither in checkpoint {hash} nor in the directory now", .path.display())]
    NotInCheckpoint {
        /// The path as it was asked for.
        path: PathBuf,
        /// The checkpoint that does not have it.
        hash: String,
    },

    /// The present state of the directory cannot be saved, so it is neither compared nor changed.
    #[error("the present state of the directory cannot be saved, and is left as it is: {0}")]
    Unprotected(Skip),
}

impl CheckpointError {
    /// Makes a [`CheckpointError::Io`] out of a system error; for `map_err`.
    pub(super) fn io(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { act, path, source }
    }
}
