//! One file for each place: elsewhere locks on bytes belong to the process, which would not hold against itself.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The first free place, locked.
pub(super) fn take(path: &Path, most: usize) -> std::io::Result<Option<File>> {
    for place in 0..most {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{place}"));
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(name)?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}
