//! What tells one state of a file from another.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A file changed less than this before it was read may change again without its time showing it: clocks of file
/// systems tick in steps.
const TICK: Duration = Duration::from_millis(20);

/// Time, size and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    modified_ns: u64,
    size: u64,
    inode: u64,
    /// Whether it was looked at too soon after its last change to be relied on.
    #[serde(default)]
    fresh: bool,
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }

    /// Of a regular file, links followed.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().filter(Metadata::is_file).map(|metadata| Self::from(&metadata))
    }

    /// Whether a file is certainly as it was.
    pub(super) fn is_still(&self, path: &Path) -> bool {
        !self.fresh && Self::of(path).is_some_and(|now| self.same(&now))
    }

    /// Whether what the system says of a file now is certainly what it said then.
    pub(super) fn is_same_as(&self, now: &rustix::fs::Stat) -> bool {
        let modified = i128::from(now.st_mtime) * 1_000_000_000 + i128::from(now.st_mtime_nsec);
        let modified_ns = u64::try_from(modified).unwrap_or_default();
        let size = u64::try_from(now.st_size).unwrap_or_default();
        !self.fresh && (self.modified_ns, self.size, self.inode) == (modified_ns, size, now.st_ino)
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        let key = |stamp: &Self| (stamp.modified_ns, stamp.size, stamp.inode);
        !self.fresh && key(self) == key(other)
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let age = SystemTime::now().duration_since(modified);
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Self {
            modified_ns: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
            size: metadata.len(),
            inode,
            fresh: age.is_ok_and(|age| age < TICK),
        }
    }
}
