//! Replacing a file in one step.
//!
//! The new content goes to a temporary file beside the target, is flushed to the disk, gets the
//! target's mode, owner and attributes, and is renamed over it; then the directory is flushed. A
//! process killed at any moment leaves the old file or the new one. On failure the temporary file is
//! removed and the target is as it was. All of it happens in a directory that was opened once, see
//! [`super::directory`].

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::super::{FileKind, FsError, Written};
use super::directory::{Directory, Made, make_for};
use super::stat_of;
use super::temp::{clean_once, fresh_name};

/// Mode of new files before the user's mask is taken off.
const NEW_FILE_MODE: u32 = 0o666;

/// A name in an open directory.
pub(super) type EntryAt<'a> = (&'a Directory, &'a OsStr);

pub(super) fn replace(path: &Path, content: &[u8]) -> Result<Written, FsError> {
    let (directory, name, made) = make_for(path)?;
    let before = directory.look_at(name).map_err(FsError::of("look at", path))?;
    if let Some(metadata) = &before {
        let kind = stat_of(metadata).kind;
        if kind != FileKind::File {
            return Err(FsError::NotRegular { path: path.to_owned(), kind });
        }
    }
    clean_once(&directory);
    let temp = Temp::create(&directory, path)?;
    let mut file = &temp.file;
    file.write_all(content).map_err(FsError::of("write", path))?;
    if let Some(metadata) = &before {
        dress(&temp.file, (&directory, name), metadata)
            .map_err(FsError::of("set the permissions of", path))?;
    }
    temp.file.sync_all().map_err(FsError::of("flush to disk", path))?;
    let metadata = temp.file.metadata().map_err(FsError::of("look at", path))?;
    temp.become_file(name, path)?;
    directory.sync().map_err(FsError::of("flush to disk", directory.path()))?;
    let stamp = stat_of(&metadata).stamp;
    Ok(Written { bytes: stamp.size, made_directories: made == Made::Some, stamp })
}

/// Copies an open file to a new place, dressed like the file it is; `path` is for messages.
pub(super) fn copy(
    content: &mut File,
    like: EntryAt<'_>,
    (directory, name): EntryAt<'_>,
    path: &Path,
) -> Result<(), FsError> {
    let temp = Temp::create(directory, path)?;
    let mut file = &temp.file;
    io::copy(content, &mut file).map_err(FsError::of("copy", path))?;
    let metadata = content.metadata().map_err(FsError::of("look at", path))?;
    dress(&temp.file, like, &metadata).map_err(FsError::of("set the permissions of", path))?;
    temp.file.sync_all().map_err(FsError::of("flush to disk", path))?;
    temp.become_file(name, path)
}

/// A temporary file that goes away unless it becomes the real one.
struct Temp<'d> {
    file: File,
    directory: &'d Directory,
    name: Option<OsString>,
}

impl<'d> Temp<'d> {
    fn create(directory: &'d Directory, target: &Path) -> Result<Self, FsError> {
        let name = fresh_name();
        let file =
            directory.create(&name, NEW_FILE_MODE).map_err(FsError::of("write beside", target))?;
        Ok(Self { file, directory, name: Some(name) })
    }

    fn become_file(mut self, name: &OsStr, target: &Path) -> Result<(), FsError> {
        if let Some(temp) = &self.name {
            let renamed = self.directory.rename(temp, self.directory, name);
            renamed.map_err(FsError::of("replace", target))?;
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing more can be done about a file that cannot even be removed.
            let _ = self.directory.remove(name);
        }
    }
}

/// Gives the new file what the old one had: mode always, owner and attributes where permitted.
fn dress(new: &File, (directory, name): EntryAt<'_>, metadata: &Metadata) -> io::Result<()> {
    let fresh = new.metadata()?;
    if (fresh.uid(), fresh.gid()) != (metadata.uid(), metadata.gid()) {
        let _ = std::os::unix::fs::fchown(new, Some(metadata.uid()), Some(metadata.gid()));
    }
    // After the owner: changing that clears the set-id bits.
    new.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777))?;
    if let Ok(old) = directory.through(name) {
        copy_attributes(new, &old);
    }
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
