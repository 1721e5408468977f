//! Opening places without following links, and looking at what is in them: the part of it that differs from system
//! to system.
//!
//! Linux has a descriptor that only means a place, and one call that opens a path and refuses links. Elsewhere the
//! path is walked step by step, and what has no descriptor is looked at by its path and compared with what the open
//! directory says. The second is chosen on Linux, too, by `--cfg hermes_portable`, so that the same tests run on it.

#[cfg(all(target_os = "linux", not(hermes_portable)))]
mod linux;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
mod portable;

#[cfg(all(target_os = "linux", not(hermes_portable)))]
pub(super) use linux::{DIRECTORY, look_at, open_without_links, through};
#[cfg(any(not(target_os = "linux"), hermes_portable))]
pub(super) use portable::{DIRECTORY, look_at, open_without_links, through};

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

/// Opens by an absolute path, step by step.
fn walk(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut here = rustix::fs::openat(CWD, "/", DIRECTORY, Mode::empty())?;
    let names: Vec<&OsStr> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            Component::ParentDir => Some(OsStr::new("..")),
            _ => None,
        })
        .collect();
    let Some((last, above)) = names.split_last() else { return Ok(here) };
    for name in above {
        here = step(here.as_fd(), name)?;
    }
    if flags.contains(OFlags::DIRECTORY) {
        return step(here.as_fd(), last);
    }
    rustix::fs::openat(&here, *last, flags | OFlags::NOFOLLOW, Mode::empty())
}

/// One directory further down.
pub(super) fn step(from: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    match rustix::fs::openat(from, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty()) {
        // A path descriptor of a link is not a directory either; that it is a link is worth telling.
        Err(Errno::NOTDIR) => {
            let there = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let is_link = rustix::fs::FileType::from_raw_mode(there.st_mode).is_symlink();
            Err(if is_link { Errno::LOOP } else { Errno::NOTDIR })
        }
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_step_by_step_walk_follows_no_link_either() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("real/below")).unwrap();
        std::fs::File::create(base.join("real/file")).unwrap();
        symlink("real", base.join("link")).unwrap();
        symlink("file", base.join("real/other")).unwrap();
        assert!(walk(&base.join("real/below"), DIRECTORY).is_ok());
        assert!(walk(&base.join("real/file"), OFlags::RDONLY).is_ok());
        for (path, flags) in [
            ("link", DIRECTORY),
            ("link/below", DIRECTORY),
            ("link/file", OFlags::RDONLY),
            ("real/other", OFlags::RDONLY),
        ] {
            let walked = walk(&base.join(path), flags).unwrap_err();
            assert_eq!(walked, Errno::LOOP, "{path}");
            let at_once = open_without_links(&base.join(path), flags).unwrap_err();
            assert_eq!(at_once, Errno::LOOP, "{path}");
        }
        assert_eq!(walk(&base.join("real/file/x"), DIRECTORY).unwrap_err(), Errno::NOTDIR);
        assert_eq!(walk(&base.join("none/x"), DIRECTORY).unwrap_err(), Errno::NOENT);
    }
}
