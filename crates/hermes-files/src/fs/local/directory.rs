//! A directory held open, in which everything that changes files works by name.
//!
//! Rules are asked about a path whose links were followed. Between that and the act somebody may put a
//! link where a directory was; a path that is walked again would then lead elsewhere. So the directory
//! is opened once, by a walk that follows no link at all, and temporary file, rename and removal are
//! done in what was opened: whoever exchanges a directory afterwards exchanges a name, not the place.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, RawMode, RenameFlags};
use rustix::io::Errno;

use super::super::FsError;
use super::opening::{self, DIRECTORY, open_without_links, step};

/// Mode of new directories before the user's mask is taken off.
const NEW_DIRECTORY_MODE: Mode = Mode::from_raw_mode(0o777);

/// A directory and the path under which it was opened, which is for messages only.
#[derive(Debug)]
pub(super) struct Directory {
    fd: OwnedFd,
    path: PathBuf,
}

/// Whether directories had to be made on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    Nothing,
    Some,
}

impl Directory {
    /// Opens a directory by a path without links.
    pub(super) fn open(path: &Path) -> Result<Self, FsError> {
        let fd = open_without_links(path, DIRECTORY).map_err(failed("open", path))?;
        Ok(Self { fd, path: path.to_owned() })
    }

    /// The same, making what is missing of it. In a loop: a path has room for two thousand names.
    pub(super) fn open_or_make(path: &Path) -> Result<(Self, Made), FsError> {
        let mut missing = Vec::new();
        let mut there = path;
        let mut directory = loop {
            match Self::open(there) {
                Err(FsError::NotFound(_)) => {}
                opened => break opened?,
            }
            let (Some(above), Some(name)) = (there.parent(), there.file_name()) else {
                return Err(FsError::NotFound(path.to_owned()));
            };
            missing.push(name);
            there = above;
        };
        let made = if missing.is_empty() { Made::Nothing } else { Made::Some };
        for name in missing.into_iter().rev() {
            let path = directory.path.join(name);
            match rustix::fs::mkdirat(&directory.fd, name, NEW_DIRECTORY_MODE) {
                // Somebody else made it, or put something else there, which opening it will tell.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(failed("create the directory", &path)(error)),
            }
            let fd = step(directory.fd.as_fd(), name).map_err(failed("open", &path))?;
            directory = Self { fd, path };
        }
        Ok((directory, made))
    }

    /// The directory of a file, and the file's name in it. What is missing is told of the file: that is
    /// what somebody asked for.
    pub(super) fn of_file(path: &Path) -> Result<(Self, &OsStr), FsError> {
        let (above, name) = split(path)?;
        let directory = Self::open(above).map_err(|error| match error {
            FsError::NotFound(_) => FsError::NotFound(path.to_owned()),
            FsError::NotADirectory(_) => FsError::NotADirectory(path.to_owned()),
            other => other,
        })?;
        Ok((directory, name))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What has that name; `None` if nothing has.
    pub(super) fn look_at(&self, name: &OsStr) -> io::Result<Option<std::fs::Metadata>> {
        opening::look_at(self.fd.as_fd(), name)
    }

    /// A new file of that name, to write.
    pub(super) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as RawMode);
        Ok(File::from(rustix::fs::openat(&self.fd, name, flags | OFlags::NOFOLLOW, mode)?))
    }

    /// Opens what has that name for reading; not through a link, and without waiting for the other end
    /// of a pipe.
    pub(super) fn read(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.fd, name, flags, Mode::empty())?))
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// A second name for a file.
    pub(super) fn link(&self, name: &OsStr, second: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::linkat(&self.fd, name, &self.fd, second, AtFlags::empty())?)
    }

    /// Renames over whatever has the new name.
    pub(super) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.fd, name, &to.fd, new)?)
    }

    /// Renames to a name that nothing has.
    pub(super) fn rename_new(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(&self.fd, name, &to.fd, new, flags) {
            // Some file systems know no such rename.
            Err(Errno::INVAL | Errno::NOSYS) => match to.look_at(new)? {
                None => self.rename(name, to, new),
                Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
            },
            done => Ok(done?),
        }
    }

    /// The names in it; those of a directory that may not be read are none.
    pub(super) fn names(&self) -> Vec<OsString> {
        let Ok(listing) = self.readable().and_then(|fd| Ok(Dir::new(fd)?)) else {
            return Vec::new();
        };
        listing
            .filter_map(Result::ok)
            .map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned())
            .collect()
    }

    /// Flushes it to the disk. One that may not be read, or a file system that cannot, is left alone:
    /// what was renamed in it is renamed.
    pub(super) fn sync(&self) -> io::Result<()> {
        let Ok(fd) = self.readable() else { return Ok(()) };
        match rustix::fs::fsync(fd) {
            Err(Errno::INVAL) => Ok(()),
            done => Ok(done?),
        }
    }

    /// A path to a name in it for calls that take paths only; none if there is none any more.
    pub(super) fn through(&self, name: &OsStr) -> io::Result<PathBuf> {
        opening::through(self.fd.as_fd(), name)
    }

    fn readable(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.fd, ".", flags, Mode::empty())?)
    }
}

/// Opens a regular file or anything else for reading by a path without links.
pub(super) fn read_without_links(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(open_without_links(path, flags)?))
}

/// Files an error under what was tried; a link where none was is told as what it is.
pub(super) fn failed<E: Into<io::Error>>(
    act: &'static str,
    path: &Path,
) -> impl FnOnce(E) -> FsError {
    let path = path.to_owned();
    move |error| {
        let error = error.into();
        match error.raw_os_error() {
            Some(code) if code == Errno::LOOP.raw_os_error() => FsError::Exchanged(path),
            _ => FsError::of(act, &path)(error),
        }
    }
}

fn split(path: &Path) -> Result<(&Path, &OsStr), FsError> {
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => Ok((above, name)),
        _ => Err(FsError::BadPath { problem: format!("{} names no file", path.display()) }),
    }
}

/// Where a file is to be: its directory, made as needed, and its name.
pub(super) fn make_for(path: &Path) -> Result<(Directory, &OsStr, Made), FsError> {
    let (above, name) = split(path)?;
    let (directory, made) = Directory::open_or_make(above)?;
    Ok((directory, name, made))
}
