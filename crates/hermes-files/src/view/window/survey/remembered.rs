//! The large files that were surveyed lately.
//!
//! Whoever reads one window of a log usually wants another. The second one then costs a block and not
//! the file. A survey is used again only for the very state of the file it was made of, and it is
//! not kept at all when the file has changed so recently that the next change could leave the same
//! times behind.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::LineSurvey;

/// So many files are remembered; the one that was used least recently goes first.
const FILES: usize = 8;
/// Times of files go by the ticks of a clock; one that is younger than this proves nothing.
const SETTLED: Duration = Duration::from_secs(1);

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileVersion {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileVersion {
    /// The state of an open file.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&file.metadata()?))
    }

    /// Its size.
    pub(super) fn bytes(self) -> u64 {
        self.bytes
    }

    fn is_settled(self, now: SystemTime) -> bool {
        let (Ok(seconds), Ok(nanos)) =
            (u64::try_from(self.changed.0), u32::try_from(self.changed.1))
        else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
        now.duration_since(changed).is_ok_and(|age| age >= SETTLED)
    }
}

impl From<&Metadata> for FileVersion {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Surveys by the state of their files, the latest last.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<VecDeque<(FileVersion, Arc<LineSurvey>)>>);

impl Remembered {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    /// The survey of a file in this state.
    pub(super) fn get(&self, state: FileVersion) -> Option<Arc<LineSurvey>> {
        let mut kept = self.lock();
        let place = kept.iter().position(|(known, _)| *known == state)?;
        let found = kept.remove(place)?;
        let survey = Arc::clone(&found.1);
        kept.push_back(found);
        Some(survey)
    }

    /// Keeps a survey, if `before` and `after` it was made the file was in one state, and long so.
    pub(super) fn keep(&self, before: FileVersion, after: FileVersion, survey: &Arc<LineSurvey>) {
        if before != after || !after.is_settled(SystemTime::now()) {
            return;
        }
        let mut kept = self.lock();
        // Another state of the same file will not come back.
        kept.retain(|(known, _)| (known.device, known.inode) != (after.device, after.inode));
        if kept.len() == FILES {
            kept.pop_front();
        }
        kept.push_back((after, Arc::clone(survey)));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(FileVersion, Arc<LineSurvey>)>> {
        // Every change above is complete at any moment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(inode: u64, changed: i64) -> FileVersion {
        FileVersion { device: 1, inode, bytes: 9, modified: (changed, 0), changed: (changed, 0) }
    }

    #[test]
    fn gives_back_what_was_kept_of_the_same_state_only() {
        let (remembered, survey) = (Remembered::new(), Arc::new(LineSurvey::default()));
        remembered.keep(state(1, 100), state(1, 100), &survey);
        assert!(remembered.get(state(1, 100)).is_some());
        assert!(remembered.get(state(1, 101)).is_none());
        assert!(remembered.get(state(2, 100)).is_none());
    }

    #[test]
    fn keeps_nothing_of_a_file_that_changed_meanwhile_or_a_moment_ago() {
        let (remembered, survey) = (Remembered::new(), Arc::new(LineSurvey::default()));
        remembered.keep(state(1, 100), state(1, 101), &survey);
        assert!(remembered.get(state(1, 100)).is_none() && remembered.get(state(1, 101)).is_none());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        for seconds in [now.as_secs(), now.as_secs() + 3600] {
            let fresh = state(1, i64::try_from(seconds).unwrap());
            remembered.keep(fresh, fresh, &survey);
            assert!(remembered.get(fresh).is_none());
        }
    }

    #[test]
    fn forgets_the_file_that_was_not_used_for_longest() {
        let (remembered, survey) = (Remembered::new(), Arc::new(LineSurvey::default()));
        let states: Vec<FileVersion> = (0..=FILES as u64).map(|inode| state(inode, 100)).collect();
        for state in &states[..FILES] {
            remembered.keep(*state, *state, &survey);
        }
        assert!(remembered.get(states[0]).is_some(), "used again");
        remembered.keep(states[FILES], states[FILES], &survey);
        assert!(remembered.get(states[0]).is_some());
        assert!(remembered.get(states[1]).is_none());
    }
}
