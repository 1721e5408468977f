//! Every Unix: open directories, and the paths that the kernel says they have.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, OFlags, Stat};
use rustix::io::Errno;

use super::walk;

/// How a directory is opened to be worked in. Where there is no flag for that, one that may be entered but not read
/// cannot be opened.
#[cfg(target_os = "macos")]
pub(in super::super) const DIRECTORY: OFlags =
    OFlags::from_bits_retain(nix::libc::O_SEARCH.cast_unsigned())
        .union(OFlags::DIRECTORY)
        .union(OFlags::CLOEXEC);
#[cfg(not(target_os = "macos"))]
pub(in super::super) const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// How often a place is looked at that moves meanwhile.
const ATTEMPTS: usize = 8;

/// What has that name in a directory; `None` if nothing has.
///
/// The standard library's metadata can only be had by a path here, and a path may lead elsewhere when somebody moves
/// the directory. So it counts only if it is about the very file that the open directory has under that name.
pub(in super::super) fn look_at(
    directory: BorrowedFd<'_>,
    name: &OsStr,
) -> io::Result<Option<Metadata>> {
    for _ in 0..ATTEMPTS {
        let there = match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            there => there?,
        };
        if let Ok(metadata) = through(directory, name)?.symlink_metadata()
            && is_about(&metadata, &there)
        {
            return Ok(Some(metadata));
        }
    }
    // As if a link had been put on the way.
    Err(Errno::LOOP.into())
}

#[allow(clippy::unnecessary_cast, reason = "their types differ from system to system")]
fn is_about(metadata: &Metadata, there: &Stat) -> bool {
    (metadata.dev(), metadata.ino()) == (there.st_dev as u64, there.st_ino as u64)
}

/// A path to a name in a directory, as it is now.
pub(in super::super) fn through(directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<PathBuf> {
    Ok(path_of(directory)?.join(name))
}

#[cfg(target_os = "macos")]
fn path_of(directory: BorrowedFd<'_>) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let path = rustix::fs::getpath(directory)?;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
}

#[cfg(not(target_os = "macos"))]
fn path_of(directory: BorrowedFd<'_>) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd as _;
    std::fs::read_link(Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()))
}

/// Opens by an absolute path of which no part is a link, step by step.
pub(in super::super) fn open_without_links(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    walk(path, flags)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn what_is_looked_at_is_in_the_open_directory_wherever_that_went() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir(base.join("one")).unwrap();
        std::fs::File::create(base.join("one/file")).unwrap();
        let inode = base.join("one/file").metadata().unwrap().ino();
        let one = walk(&base.join("one"), DIRECTORY).unwrap();
        std::fs::rename(base.join("one"), base.join("two")).unwrap();
        std::fs::create_dir(base.join("one")).unwrap();
        std::fs::File::create(base.join("one/file")).unwrap();
        let seen = look_at(one.as_fd(), OsStr::new("file")).unwrap().unwrap();
        assert_eq!(seen.ino(), inode);
        assert!(look_at(one.as_fd(), OsStr::new("none")).unwrap().is_none());
    }
}
