//! Replacing a file in one step.
//!
//! The new content goes to a temporary file beside the target, is flushed to the disk, gets the
//! target's mode, owner and attributes, and is renamed over it; then the directory is flushed. A
//! process killed at any moment leaves the old file or the new one. On failure the temporary file is
//! removed and the target is as it was.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::super::{FileKind, FsError, Written};
use super::stat_of;
use super::temp::{clean_once, fresh_name};

/// Mode of new files before the user's mask is taken off.
const NEW_FILE_MODE: u32 = 0o666;

pub(super) fn replace(path: &Path, content: &[u8]) -> Result<Written, FsError> {
    let made_directories = make_parents(path)?;
    let before = match path.symlink_metadata() {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(FsError::of("look at", path)(error)),
    };
    if let Some(metadata) = &before {
        let kind = stat_of(metadata).kind;
        if kind != FileKind::File {
            return Err(FsError::NotRegular { path: path.to_owned(), kind });
        }
    }
    let directory = path.parent().unwrap_or(Path::new("/"));
    clean_once(directory);
    let temp = Temp::create(directory, path)?;
    let mut file = &temp.file;
    file.write_all(content).map_err(FsError::of("write", path))?;
    if let Some(metadata) = &before {
        dress(&temp.file, path, metadata).map_err(FsError::of("set the permissions of", path))?;
    }
    temp.file.sync_all().map_err(FsError::of("flush to disk", path))?;
    let metadata = temp.file.metadata().map_err(FsError::of("look at", path))?;
    temp.become_file(path)?;
    sync_directory(directory).map_err(FsError::of("flush to disk", directory))?;
    let stamp = stat_of(&metadata).stamp;
    Ok(Written { bytes: stamp.size, made_directories, stamp })
}

/// Copies an open file to a new place, dressed like the file at `like`.
pub(super) fn copy(content: &mut File, like: &Path, to: &Path) -> Result<(), FsError> {
    let directory = to.parent().unwrap_or(Path::new("/"));
    let temp = Temp::create(directory, to)?;
    let mut file = &temp.file;
    io::copy(content, &mut file).map_err(FsError::of("copy", like))?;
    let metadata = content.metadata().map_err(FsError::of("look at", like))?;
    dress(&temp.file, like, &metadata).map_err(FsError::of("set the permissions of", to))?;
    temp.file.sync_all().map_err(FsError::of("flush to disk", to))?;
    temp.become_file(to)
}

/// Makes the directories above a file; says whether any were missing.
pub(super) fn make_parents(path: &Path) -> Result<bool, FsError> {
    let Some(parent) = path.parent() else { return Ok(false) };
    if parent.is_dir() {
        return Ok(false);
    }
    std::fs::create_dir_all(parent).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => FsError::NotADirectory(parent.to_owned()),
        _ => FsError::of("create the directory", parent)(error),
    })?;
    Ok(true)
}

/// A temporary file that goes away unless it becomes the real one.
struct Temp {
    file: File,
    path: Option<PathBuf>,
}

impl Temp {
    fn create(directory: &Path, target: &Path) -> Result<Self, FsError> {
        let path = fresh_name(directory);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(NEW_FILE_MODE)
            .open(&path)
            .map_err(FsError::of("write beside", target))?;
        Ok(Self { file, path: Some(path) })
    }

    fn become_file(mut self, target: &Path) -> Result<(), FsError> {
        if let Some(path) = &self.path {
            std::fs::rename(path, target).map_err(FsError::of("replace", target))?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing more can be done about a file that cannot even be removed.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Gives the new file what the old one had: mode always, owner and attributes where permitted.
fn dress(new: &File, old: &Path, metadata: &std::fs::Metadata) -> io::Result<()> {
    let fresh = new.metadata()?;
    if (fresh.uid(), fresh.gid()) != (metadata.uid(), metadata.gid()) {
        let _ = std::os::unix::fs::fchown(new, Some(metadata.uid()), Some(metadata.gid()));
    }
    // After the owner: changing that clears the set-id bits.
    new.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777))?;
    copy_attributes(new, old);
    Ok(())
}

/// Longest attribute carried over; the kernel's own limit.
const MAX_ATTRIBUTE_BYTES: usize = 64 * 1024;

fn copy_attributes(new: &File, old: &Path) {
    let mut names = vec![0_u8; MAX_ATTRIBUTE_BYTES];
    let Ok(length) = rustix::fs::llistxattr(old, &mut names) else { return };
    let mut value = vec![0_u8; if length == 0 { 0 } else { MAX_ATTRIBUTE_BYTES }];
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if let Ok(size) = rustix::fs::lgetxattr(old, name, &mut value) {
            let flags = rustix::fs::XattrFlags::empty();
            let _ = rustix::fs::fsetxattr(new.as_fd(), name, &value[..size], flags);
        }
    }
}

pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory)?.sync_all() {
        // Some file systems cannot flush a directory; the rename itself is done.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}
