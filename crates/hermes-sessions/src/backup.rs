//! Copies of the file, made before anything about it is mended.

use std::path::{Path, PathBuf};

use super::error::{Result, SessionsError};

/// Copies the file and its log beside it, and tells where.
pub(super) fn back_up(path: &Path) -> Result<PathBuf> {
    let copy_of = |suffix: &str, stamp: i64| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".backup-{stamp}{suffix}"));
        PathBuf::from(name)
    };
    let mut stamp = jiff::Timestamp::now().as_second();
    while copy_of("", stamp).exists() {
        stamp += 1;
    }
    let backup = copy_of("", stamp);
    let failed = |source| SessionsError::File { act: "back up", path: path.to_owned(), source };
    std::fs::copy(path, &backup).map_err(failed)?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).exists() {
        std::fs::copy(&log, copy_of("-wal", stamp)).map_err(failed)?;
    }
    Ok(backup)
}
