//! Noticing a model that reads or searches the same thing over and over.

use std::path::{Path, PathBuf};

use super::super::fs::Stamp;
use super::bounded::Bounded;

/// Windows remembered of one task.
const MAX_WINDOWS: usize = 1_000;
/// The repetition that is warned about; the next one is refused.
const WARN_AT: u32 = 3;

/// A window of a file: reads with the same key show the same lines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadKey {
    /// The file, canonical, so that every spelling is the same.
    pub path: PathBuf,
    /// Its first line, counted from one.
    pub offset: u64,
    /// How many lines were asked for.
    pub limit: u64,
    /// First column, where lines are shown from their middle.
    pub column: u64,
}

/// A search, as it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SearchKey(
    /// Everything that was asked for.
    pub String,
);

/// Whether a window was shown before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenBefore {
    /// No, or the file has changed.
    Never,
    /// Yes, and it says the same.
    Unchanged,
    /// Yes, and this was said already, with nothing done in between.
    Repeated {
        /// How often it was asked for.
        times: u32,
    },
}

/// What to do about a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopVerdict {
    /// Nothing.
    Fine,
    /// Answer, with a warning.
    Warn,
    /// Refuse.
    Block {
        /// How often it was asked for.
        times: u32,
    },
}

#[derive(Debug)]
struct Shown {
    stamp: Stamp,
    stubs: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Last {
    Read(ReadKey),
    Search(SearchKey),
}

/// The memory of one task.
#[derive(Default)]
pub(super) struct Loops {
    shown: Bounded<ReadKey, Shown>,
    last: Option<(Last, u32)>,
}

impl Loops {
    pub(super) fn seen_before(&mut self, key: &ReadKey, stamp: Stamp) -> SeenBefore {
        match self.shown.get_mut(key) {
            Some(shown) if shown.stamp == stamp => {
                shown.stubs += 1;
                match shown.stubs {
                    1 => SeenBefore::Unchanged,
                    stubs => SeenBefore::Repeated { times: stubs + 1 },
                }
            }
            _ => SeenBefore::Never,
        }
    }

    pub(super) fn count_read(&mut self, key: ReadKey, stamp: Stamp) -> LoopVerdict {
        self.shown.put(key.clone(), Shown { stamp, stubs: 0 }, MAX_WINDOWS);
        self.count(Last::Read(key))
    }

    pub(super) fn count_search(&mut self, key: SearchKey) -> LoopVerdict {
        self.count(Last::Search(key))
    }

    fn count(&mut self, now: Last) -> LoopVerdict {
        let times = match &self.last {
            Some((last, times)) if *last == now => times + 1,
            _ => 1,
        };
        self.last = Some((now, times));
        match times {
            WARN_AT => LoopVerdict::Warn,
            times if times > WARN_AT => LoopVerdict::Block { times },
            _ => LoopVerdict::Fine,
        }
    }

    /// Counters begin anew; what was shown stays shown.
    pub(super) fn break_loops(&mut self) {
        self.last = None;
        for shown in self.shown.values_mut() {
            shown.stubs = 0;
        }
    }

    pub(super) fn forget_path(&mut self, path: &Path) {
        self.shown.retain(|key, _| key.path != path);
    }
}
