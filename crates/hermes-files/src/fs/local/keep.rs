//! Keeping a file so that it can come back as it was.
//!
//! A second name for the same file costs no space, so what was kept comes back on a full disk too,
//! with its mode, owner, attributes and time. Where the file system or the kernel refuses a second
//! name, a copy does. Kept files are named like temporary ones: if the process is killed, the next
//! one to write in the directory clears them away.

use std::path::{Path, PathBuf};

use super::super::FsError;
use super::temp::{clean_once, fresh_name};
use super::{open_regular, write};

pub(super) fn keep(path: &Path) -> Result<PathBuf, FsError> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    clean_once(directory);
    let kept = fresh_name(directory);
    if std::fs::hard_link(path, &kept).is_err() {
        let (mut content, _) = open_regular(path)?;
        write::copy(&mut content, path, &kept)?;
    }
    Ok(kept)
}

pub(super) fn put_back(kept: &Path, path: &Path) -> Result<(), FsError> {
    std::fs::rename(kept, path).map_err(FsError::of("put back", path))?;
    // Two names of one file: then renaming does nothing, and the second name is still there.
    let _ = std::fs::remove_file(kept);
    let directory = path.parent().unwrap_or(Path::new("/"));
    write::sync_directory(directory).map_err(FsError::of("flush to disk", directory))
}
