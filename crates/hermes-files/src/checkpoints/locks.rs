//! Locks between processes: one per project, and a few for the whole store.
//!
//! A lock is held on an open file and ends with it, however its holder ends. The files stay where
//! they are: removing one would let two holders in, each with a file of its own.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::CheckpointError;
use super::git::Deadline;

/// The time between two tries to get a lock.
const RETRY: Duration = Duration::from_millis(5);

/// The folder of the lock files.
#[derive(Debug)]
pub(super) struct Locks {
    folder: PathBuf,
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct Held {
    _file: File,
}

impl Locks {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Takes the lock of this name if nobody has it.
    pub(super) fn try_take(&self, name: &str) -> Result<Option<Held>, CheckpointError> {
        let path = self.folder.join(name);
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(CheckpointError::io("open lock file", &path))?;
        lock(file, &path)
    }

    /// Takes the lock of this name, waiting for whoever has it.
    pub(super) async fn take(
        &self,
        name: &str,
        deadline: Deadline,
    ) -> Result<Held, CheckpointError> {
        loop {
            if let Some(held) = self.try_take(name)? {
                return Ok(held);
            }
            deadline.left("waiting for another process that uses the same checkpoints")?;
            tokio::time::sleep(RETRY).await;
        }
    }
}

fn lock(file: File, path: &Path) -> Result<Option<Held>, CheckpointError> {
    match file.try_lock() {
        Ok(()) => Ok(Some(Held { _file: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(CheckpointError::io("lock", path)(source)),
    }
}
