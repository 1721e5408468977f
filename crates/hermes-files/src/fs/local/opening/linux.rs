//! Linux: path descriptors and `openat2`.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::walk;

/// How a directory is opened to be worked in.
pub(in super::super) const DIRECTORY: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What has that name in a directory; `None` if nothing has.
pub(in super::super) fn look_at(
    directory: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<Option<Metadata>> {
    // The standard library's metadata can only be had from an open file; a path descriptor is one,
    // of whatever kind, and opening one has no effect on what is there.
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(directory, name, flags, Mode::empty()) {
        Ok(fd) => File::from(fd).metadata().map(Some),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A path to a name in a directory that leads through the descriptor.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(in super::super) fn through(directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<PathBuf> {
    Ok(Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name))
}

/// Opens by an absolute path of which no part is a link: in one call, or step by step on kernels
/// before 5.6 and where a filter of system calls does not know the call.
pub(in super::super) fn open_without_links(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    loop {
        match rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve) {
            Err(Errno::NOSYS | Errno::PERM) => return walk(path, flags),
            Err(Errno::AGAIN | Errno::INTR) => {}
            done => return done,
        }
    }
}
