//! A memory file on disk: read whole, replaced in one step, never overwritten when it cannot be read.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, AtomicError, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{self, EDIT_WAIT, FileLock, LockError, Wait};

/// The largest file that is read.
pub const MAX_BYTES: u64 = 1024 * 1024;

/// Why a memory file cannot be used. The text says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum MemoryFileError {
    /// The system refuses to read it.
    #[error("cannot read {}: {source}; nothing was changed", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// It holds bytes that are no text.
    #[error(
        "{} is not valid UTF-8 (byte {at}), so it is not changed; mend or move the file",
        .file.display()
    )]
    NotText {
        /// The file.
        file: PathBuf,
        /// The first bad byte, counted from 1.
        at: usize,
        /// The text with marks for what cannot be read.
        lossy: String,
    },
    /// It is far larger than notes can be.
    #[error(
        "{} is larger than {} KiB, which cannot be notes, so it is left alone; move it away",
        .file.display(), MAX_BYTES / 1024
    )]
    TooLarge {
        /// The file.
        file: PathBuf,
    },
    /// Somebody else has the lock.
    #[error(transparent)]
    Locked(#[from] LockError),
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] AtomicError),
}

/// The text of a file; none if it is not there.
pub(super) fn read(file: &Path) -> Result<Option<String>, MemoryFileError> {
    let unreadable = |source| MemoryFileError::Unreadable { file: file.to_owned(), source };
    let handle = match File::open(file) {
        Ok(handle) => handle,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut bytes = Vec::new();
    handle.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(MemoryFileError::TooLarge { file: file.to_owned() });
    }
    String::from_utf8(bytes).map(Some).map_err(|error| MemoryFileError::NotText {
        file: file.to_owned(),
        at: error.utf8_error().valid_up_to() + 1,
        lossy: String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Takes the lock that everybody takes before changing the file.
pub(super) fn lock(file: &Path) -> Result<FileLock, MemoryFileError> {
    if let Some(folder) = file.parent() {
        ensure_private_dir(folder)?;
    }
    Ok(FileLock::acquire(&lock::lock_path(file), Wait::AtMost(EDIT_WAIT))?)
}

pub(super) fn write(file: &Path, text: &str) -> Result<(), MemoryFileError> {
    Ok(atomic::write(file, text.as_bytes(), WriteOptions::KEEP)?)
}

/// Copies the file to `NAME.bak.SECONDS` and says where that is.
pub(super) fn back_up(file: &Path, text: &str) -> Result<PathBuf, MemoryFileError> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs());
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".bak.{seconds}"));
    let copy = PathBuf::from(name);
    write(&copy, text)?;
    Ok(copy)
}
