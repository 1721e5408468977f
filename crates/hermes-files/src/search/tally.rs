//! What to keep while files report their matches in any order.
//!
//! The page wanted is made of the first results in path order, but files are searched by several
//! threads as the walk comes upon them. A [`Tally`] keeps the files that can still be on the page
//! and forgets those that cannot: as soon as the files kept hold enough results without the last
//! of them, the last is dropped. Once the total has passed the cap as well, nothing behind the
//! last file kept can change the answer; that path is the *horizon*, and the walk passes over all
//! that lies behind it. So the answer is the same for every schedule of the threads, and memory
//! depends on the page, not on the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use super::scan::{Harvest, ScannedLine};
use super::{SearchEnding, Total};

/// Lines gathered on the way may take this much memory; later files are read again when needed.
const KEPT_BYTES: usize = 8 << 20;

/// What one result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A matching line.
    Row,
    /// A file with matches, whatever their number.
    File,
}

/// How much is to be kept and counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct TallyNeed {
    /// What the page is made of.
    pub(super) paged: Unit,
    /// What the total counts.
    pub(super) counted: Unit,
    /// End of the page.
    pub(super) reach: usize,
    /// Where counting may stop.
    pub(super) cap: usize,
}

/// A file with matches.
#[derive(Debug)]
pub(super) struct FileHits {
    pub(super) count: usize,
    /// All lines to show of the file, if they were few enough to be kept.
    pub(super) lines: Option<Vec<ScannedLine>>,
    bytes: usize,
}

/// Shared by all threads of one search.
#[derive(Debug)]
pub(super) struct Tally {
    need: TallyNeed,
    state: Mutex<State>,
    kept_bytes: AtomicUsize,
    has_horizon: AtomicBool,
    horizon: RwLock<Option<PathBuf>>,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, FileHits>,
    /// Results in `files`.
    held: usize,
    /// Results found so far, kept or not, in the unit of the total and in that of the page.
    total: usize,
    seen: usize,
    denied: BTreeSet<PathBuf>,
}

/// The end of a search.
#[derive(Debug)]
pub(super) struct Sum {
    /// Files in path order, enough for the page.
    pub(super) files: BTreeMap<PathBuf, FileHits>,
    pub(super) total: Total,
    /// Results found in the unit of the page, kept or not; more than the page reaches to means
    /// that there is a next one.
    pub(super) seen: usize,
    /// Denied files.
    pub(super) omitted: usize,
}

impl Tally {
    pub(super) fn new(need: TallyNeed) -> Self {
        Self {
            need,
            state: Mutex::default(),
            kept_bytes: AtomicUsize::new(0),
            has_horizon: AtomicBool::new(false),
            horizon: RwLock::default(),
        }
    }

    /// Bytes of text one more file may keep.
    pub(super) fn room(&self) -> usize {
        KEPT_BYTES.saturating_sub(self.kept_bytes.load(Ordering::Relaxed))
    }

    /// Can anything at or below this path still change the answer?
    pub(super) fn is_worth(&self, path: &Path) -> bool {
        if !self.has_horizon.load(Ordering::Acquire) {
            return true;
        }
        let horizon = self.horizon.read().unwrap_or_else(PoisonError::into_inner);
        horizon.as_deref().is_none_or(|last| path <= last)
    }

    /// Takes in a file with matches. `complete` says that the lines are all there are to show.
    pub(super) fn add(&self, path: PathBuf, harvest: Harvest, complete: bool) {
        let hits = FileHits {
            count: harvest.count,
            bytes: if complete { harvest.bytes } else { 0 },
            lines: complete.then_some(harvest.lines),
        };
        self.kept_bytes.fetch_add(hits.bytes, Ordering::Relaxed);
        let mut state = self.state();
        state.total = state.total.saturating_add(self.need.counted.of(&hits));
        state.seen = state.seen.saturating_add(self.need.paged.of(&hits));
        state.held = state.held.saturating_add(self.need.paged.of(&hits));
        state.files.insert(path, hits);
        self.forget_what_is_off_the_page(&mut state);
        if state.total > self.need.cap && state.held >= self.need.reach {
            let last = state.files.last_key_value().map(|(path, _)| path.clone());
            *self.horizon.write().unwrap_or_else(PoisonError::into_inner) = last;
            self.has_horizon.store(true, Ordering::Release);
        }
    }

    /// Takes in a denied file: counted, never looked into.
    pub(super) fn add_denied(&self, path: PathBuf) {
        self.state().denied.insert(path);
    }

    fn forget_what_is_off_the_page(&self, state: &mut State) {
        while let Some((_, last)) = state.files.last_key_value() {
            let without = state.held - self.need.paged.of(last);
            if without < self.need.reach {
                return;
            }
            state.held = without;
            if let Some((_, dropped)) = state.files.pop_last() {
                self.kept_bytes.fetch_sub(dropped.bytes, Ordering::Relaxed);
            }
        }
    }

    /// The result, once all threads are done.
    pub(super) fn finish(self, ending: SearchEnding) -> Sum {
        let horizon = self.horizon.into_inner().unwrap_or_else(PoisonError::into_inner);
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Behind the horizon some denied files were seen and some not, as chance would have it:
        // only those before it are counted.
        let omitted = state
            .denied
            .iter()
            .filter(|path| horizon.as_ref().is_none_or(|last| *path <= last))
            .count();
        let total = if state.total > self.need.cap {
            Total::AtLeast(self.need.cap)
        } else if ending == SearchEnding::Complete {
            Total::Exact(state.total)
        } else {
            Total::AtLeast(state.total)
        };
        Sum { files: state.files, total, seen: state.seen, omitted }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unit {
    fn of(self, hits: &FileHits) -> usize {
        match self {
            Unit::Row => hits.count,
            Unit::File => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NEED: TallyNeed = TallyNeed { paged: Unit::Row, counted: Unit::Row, reach: 5, cap: 12 };

    fn tally(files: &[(&str, usize)]) -> Sum {
        let tally = Tally::new(NEED);
        for (path, count) in files {
            if tally.is_worth(Path::new(path)) {
                let harvest = Harvest { count: *count, ..Harvest::default() };
                tally.add(PathBuf::from(path), harvest, true);
            }
        }
        tally.finish(SearchEnding::Complete)
    }

    fn names(sum: &Sum) -> Vec<&str> {
        sum.files.keys().filter_map(|path| path.to_str()).collect()
    }

    #[test]
    fn keeps_only_files_that_can_be_on_the_page() {
        let sum = tally(&[("d", 3), ("c", 3), ("a", 2), ("b", 3)]);
        assert_eq!(names(&sum), ["a", "b"]);
        assert_eq!(sum.total, Total::Exact(11));
    }

    #[test]
    fn counts_to_the_cap_and_then_says_at_least() {
        assert_eq!(tally(&[("a", 12)]).total, Total::Exact(12));
        assert_eq!(tally(&[("a", 12), ("b", 1)]).total, Total::AtLeast(12));
    }

    #[test]
    fn looks_only_before_the_horizon_after_the_cap() {
        let tally = Tally::new(NEED);
        let hits = |count| Harvest { count, ..Harvest::default() };
        tally.add(PathBuf::from("m/x"), hits(13), true);
        assert!(tally.is_worth(Path::new("m")) && tally.is_worth(Path::new("a/z")));
        assert!(!tally.is_worth(Path::new("m/y")) && !tally.is_worth(Path::new("n")));
        tally.add_denied(PathBuf::from("a"));
        tally.add_denied(PathBuf::from("z"));
        assert_eq!(tally.finish(SearchEnding::Complete).omitted, 1);
    }

    #[test]
    fn a_search_that_ended_early_has_no_exact_total() {
        let tally = Tally::new(NEED);
        assert_eq!(tally.finish(SearchEnding::TimedOut).total, Total::AtLeast(0));
    }

    #[test]
    fn forgetting_a_file_frees_its_room() {
        let tally = Tally::new(NEED);
        for path in ["c", "b", "a"] {
            let harvest = Harvest { count: 5, bytes: 100, ..Harvest::default() };
            tally.add(PathBuf::from(path), harvest, true);
        }
        assert_eq!(tally.room(), KEPT_BYTES - 100);
    }

    proptest! {
        #[test]
        fn the_order_of_arrival_does_not_matter(
            counts in prop::collection::vec(1_usize..6, 1..12),
            seed in any::<u64>(),
        ) {
            let names_of: Vec<String> = (0..counts.len()).map(|n| format!("f{n:02}")).collect();
            let sorted: Vec<(&str, usize)> =
                names_of.iter().map(String::as_str).zip(counts.iter().copied()).collect();
            let mut shuffled = sorted.clone();
            shuffled.sort_by_key(|(name, _)| {
                name.bytes().fold(seed, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3).rotate_left(17)
                })
            });
            let (a, b) = (tally(&sorted), tally(&shuffled));
            prop_assert_eq!(names(&a), names(&b));
            prop_assert_eq!(a.total, b.total);
        }
    }
}
