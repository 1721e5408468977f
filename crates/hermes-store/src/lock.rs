//! Locks that processes respect among each other.
//!
//! A lock is a small file held with the operating system's advisory file lock. It is freed when
//! the guard is dropped or the process ends in any way, so there are no stale locks to clean up.
//! The file itself stays behind on purpose: removing it would let two processes hold "the" lock
//! on two different files. It contains the number of the process that holds it, for error texts.
//!
//! The lock for a state file lies beside it under the same name plus `.lock` ([`lock_path`]); the
//! state file itself cannot serve, because [`crate::atomic::write()`] replaces it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the edits of this crate wait for another process before they give up.
pub const EDIT_WAIT: Duration = Duration::from_secs(10);

/// Pause between two attempts while waiting with a limit.
const POLL: Duration = Duration::from_millis(10);

/// How long to wait for a lock that somebody else holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// As long as it takes.
    Forever,
    /// At most this long.
    AtMost(Duration),
    /// Not at all.
    Never,
}

/// An exclusive lock, held until dropped.
#[derive(Debug)]
#[must_use = "the lock is freed as soon as this is dropped"]
pub struct FileLock {
    _file: File,
}

/// A lock that could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else held it for the whole time.
    #[error("{} is held by {} (waited {waited:?}); try again when it is done", .file.display(), holder_text(.holder))]
    Busy {
        /// The lock file.
        file: PathBuf,
        /// Number of the process that holds it, when it could be read.
        holder: Option<u32>,
        /// How long we waited.
        waited: Duration,
    },
    /// The lock file could not be opened or locked.
    #[error("cannot lock {}: {source}", .file.display())]
    Io {
        /// The lock file.
        file: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

fn holder_text(holder: &Option<u32>) -> String {
    holder.map_or_else(|| "another process".to_string(), |id| format!("process {id}"))
}

/// Where the lock of a state file lies: beside it, with `.lock` appended.
pub fn lock_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_os_string();
    name.push(".lock");
    PathBuf::from(name)
}

impl FileLock {
    /// Takes the lock in `file`, creating the file (not its folder) when missing.
    pub fn acquire(file: &Path, wait: Wait) -> Result<FileLock, LockError> {
        let io = |source| LockError::Io { file: file.to_path_buf(), source };
        let mut handle = open(file).map_err(io)?;
        let started = Instant::now();
        loop {
            let limit = match wait {
                Wait::Forever => {
                    handle.lock().map_err(io)?;
                    break;
                }
                Wait::AtMost(limit) => limit,
                Wait::Never => Duration::ZERO,
            };
            match handle.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(io(source)),
                Err(TryLockError::WouldBlock) => {}
            }
            let waited = started.elapsed();
            if waited >= limit {
                let holder = read_holder(&mut handle);
                return Err(LockError::Busy { file: file.to_path_buf(), holder, waited });
            }
            std::thread::sleep(POLL.min(limit - waited));
        }
        // The number is for error texts only; failing to note it must not cost us the lock.
        let _ = note_holder(&mut handle);
        Ok(FileLock { _file: handle })
    }
}

fn open(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, crate::atomic::PRIVATE_MODE);
    options.open(file)
}

fn note_holder(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

fn read_holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(16).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_second_taker_is_told_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = lock_path(&folder.path().join("config.yaml"));
        assert_eq!(file.file_name().unwrap(), "config.yaml.lock");
        let held = FileLock::acquire(&file, Wait::Never).unwrap();
        let error = FileLock::acquire(&file, Wait::Never).unwrap_err();
        assert!(
            matches!(error, LockError::Busy { holder: Some(id), .. } if id == std::process::id()),
            "{error}"
        );
        drop(held);
        let _again = FileLock::acquire(&file, Wait::Never).unwrap();
    }

    #[test]
    fn waiting_ends_when_the_time_is_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("l");
        let _held = FileLock::acquire(&file, Wait::Forever).unwrap();
        let limit = Duration::from_millis(30);
        let started = Instant::now();
        let error = FileLock::acquire(&file, Wait::AtMost(limit)).unwrap_err();
        assert!(matches!(error, LockError::Busy { waited, .. } if waited >= limit), "{error}");
        assert!(started.elapsed() >= limit);
    }

    #[test]
    fn waiting_succeeds_once_the_holder_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("l");
        let held = FileLock::acquire(&file, Wait::Never).unwrap();
        std::thread::scope(|scope| {
            let patient =
                scope.spawn(|| FileLock::acquire(&file, Wait::AtMost(Duration::from_secs(20))));
            let blocked = scope.spawn(|| FileLock::acquire(&file, Wait::Forever).map(drop));
            drop(held);
            drop(patient.join().unwrap().unwrap());
            blocked.join().unwrap().unwrap();
        });
    }

    #[test]
    fn only_one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("l");
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let _lock = FileLock::acquire(&file, Wait::Forever).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("none/l");
        let error = FileLock::acquire(&file, Wait::Never).unwrap_err();
        assert!(error.to_string().contains("none/l"), "{error}");
        assert!(!folder.path().join("none").exists());
    }
}
