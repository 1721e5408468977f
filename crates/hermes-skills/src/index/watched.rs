//! The files and folders below one root that an index is about.
//!
//! While nothing changes, looking at them is all a list costs. So they are named from the open root, and nothing is
//! made or copied on the way: one call to the system for each.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, open, statat};

use super::stamp::Stamp;

/// One root, and what is known of things below it.
#[derive(Debug)]
pub(super) struct Watched {
    root: PathBuf,
    below: Vec<(CString, Stamp)>,
}

impl Watched {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), below: Vec::new() }
    }

    /// Takes something below the root, or the root itself. What has no name there is for another root.
    pub(super) fn add(&mut self, path: &Path, stamp: Stamp) -> bool {
        let Ok(relative) = path.strip_prefix(&self.root) else { return false };
        let name = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
        let Ok(name) = CString::new(name.as_os_str().as_bytes()) else { return false };
        self.below.push((name, stamp));
        true
    }

    pub(super) fn is_still(&self) -> bool {
        if self.below.is_empty() {
            return true;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(root) = open(&self.root, flags, Mode::empty()) else { return false };
        self.below.iter().all(|(name, stamp)| {
            statat(&root, name, AtFlags::empty()).is_ok_and(|now| stamp.is_same_as(&now))
        })
    }
}
