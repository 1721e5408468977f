//! Keeping a file so that it can come back as it was.
//!
//! A second name for the same file costs no space, so what was kept comes back on a full disk too,
//! with its mode, owner, attributes and time. Where the file system or the kernel refuses a second
//! name, a copy does. Kept files are named like temporary ones: if the process is killed, the next
//! one to write in the directory clears them away.

use std::path::{Path, PathBuf};

use super::super::FsError;
use super::directory::Directory;
use super::regular;
use super::temp::{clean_once, fresh_name};
use super::write;

pub(super) fn keep(path: &Path) -> Result<PathBuf, FsError> {
    let (directory, name) = Directory::of_file(path)?;
    clean_once(&directory);
    let kept = fresh_name();
    if directory.link(name, &kept).is_err() {
        let (mut content, _) = regular(directory.read(name), path)?;
        write::copy(&mut content, (&directory, name), (&directory, &kept), path)?;
    }
    Ok(directory.path().join(kept))
}

pub(super) fn put_back(kept: &Path, path: &Path) -> Result<(), FsError> {
    let (from, kept) = Directory::of_file(kept)?;
    let (to, name) = Directory::of_file(path)?;
    from.rename(kept, &to, name).map_err(FsError::of("put back", path))?;
    // Two names of one file: then renaming does nothing, and the second name is still there.
    let _ = from.remove(kept);
    to.sync().map_err(FsError::of("flush to disk", to.path()))
}
