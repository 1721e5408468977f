//! Visiting the files of a tree from several threads, and knowing when to stop.
//!
//! The ignore rules decide what is visited at all; a [`NameFilter`] chooses among that and may reveal
//! hidden names it spells out, but never what the rules ignore. The root is exempt from both:
//! the user named it. Links are not followed and only regular files are handed out. Threads see
//! files in any order; whoever gathers results must not depend on it.

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::glob::{FileGlob, GlobbedKind};
use super::{SearchEnding, SearchScope};

/// More threads than this only fight over the directory cache.
const MAX_THREADS: usize = 12;

/// Trees that the kernel makes up; searching `/` does not mean them.
const KERNEL_TREES: [&str; 3] = ["/dev", "/proc", "/sys"];

/// The deadline and the cancel signal, asked together; the first answer is remembered.
pub(super) struct StopSignal<'a> {
    until: Option<Instant>,
    cancel: &'a (dyn Fn() -> bool + Sync),
    ending: AtomicU8,
}

const RUNNING: u8 = 0;
const TIMED_OUT: u8 = 1;
const CANCELLED: u8 = 2;

impl<'a> StopSignal<'a> {
    /// A deadline too far away to be expressed is none.
    pub(super) fn new(scope: &SearchScope<'a>, allowance: Duration) -> Self {
        Self {
            until: Instant::now().checked_add(allowance),
            cancel: scope.cancel,
            ending: AtomicU8::new(RUNNING),
        }
    }

    pub(super) fn reached(&self) -> bool {
        if self.ending.load(Ordering::Relaxed) != RUNNING {
            return true;
        }
        let ending = if (self.cancel)() {
            CANCELLED
        } else if self.until.is_some_and(|until| Instant::now() >= until) {
            TIMED_OUT
        } else {
            return false;
        };
        self.ending.store(ending, Ordering::Relaxed);
        true
    }

    pub(super) fn ending(&self) -> SearchEnding {
        match self.ending.load(Ordering::Relaxed) {
            RUNNING => SearchEnding::Complete,
            TIMED_OUT => SearchEnding::TimedOut,
            _ => SearchEnding::Cancelled,
        }
    }
}

/// Which ignore files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IgnoreRules {
    /// Git's rules inside repositories, and `.ignore` files everywhere.
    All,
    /// `.ignore` files below the root only.
    WithoutGit,
}

/// Which names pass, besides the ignore rules.
pub(super) trait NameFilter: Sync {
    /// Can any hidden name pass?
    fn names_hidden(&self) -> bool;
    /// Does this hidden name pass?
    fn reveals(&self, name: &Path, kind: GlobbedKind) -> bool;
    /// Is this directory left out with all it holds?
    fn prunes(&self, relative: &Path) -> bool;
    /// Is this file wanted?
    fn admits(&self, relative: &Path) -> bool;
}

impl NameFilter for Option<FileGlob> {
    fn names_hidden(&self) -> bool {
        self.as_ref().is_some_and(FileGlob::names_hidden)
    }
    fn reveals(&self, name: &Path, kind: GlobbedKind) -> bool {
        self.as_ref().is_some_and(|glob| glob.reveals(name, kind))
    }
    fn prunes(&self, relative: &Path) -> bool {
        self.as_ref().is_some_and(|glob| glob.prunes(relative))
    }
    fn admits(&self, relative: &Path) -> bool {
        self.as_ref().is_none_or(|glob| glob.admits(relative))
    }
}

/// What a walk noticed besides the files it handed out.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Files and directories that could not be read.
    pub(super) unreadable: AtomicUsize,
    /// Was any file seen that the rules let through, wanted or not?
    pub(super) saw_file: AtomicBool,
    /// Was any file passed over because it is binary?
    pub(super) saw_binary: AtomicBool,
}

impl Notes {
    pub(super) fn count_unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    /// One sentence on what could not be read.
    pub(super) fn warning(&self) -> Option<String> {
        match self.unreadable.load(Ordering::Relaxed) {
            0 => None,
            1 => Some("1 file or directory could not be read and was skipped.".to_owned()),
            n => Some(format!("{n} files or directories could not be read and were skipped.")),
        }
    }
}

/// A walk over the regular files under a root.
pub(super) struct TreeWalk<'a, F> {
    pub(super) root: &'a Path,
    pub(super) rules: IgnoreRules,
    pub(super) filter: &'a F,
    pub(super) stop: &'a StopSignal<'a>,
    pub(super) notes: &'a Notes,
}

impl<F: NameFilter> TreeWalk<'_, F> {
    /// Hands every wanted file to a visitor; `make` makes one visitor for each thread.
    ///
    /// A visitor may say that nothing after a path matters; see [`TreeWalk::run_below`].
    pub(super) fn run<V>(&self, make: impl Fn() -> V)
    where
        V: FnMut(&DirEntry) + Send,
    {
        self.run_below(&|_| true, make);
    }

    /// Like [`TreeWalk::run`], passing over files and directories that `worth` turns down.
    pub(super) fn run_below<V>(&self, worth: &(dyn Fn(&Path) -> bool + Sync), make: impl Fn() -> V)
    where
        V: FnMut(&DirEntry) + Send,
    {
        let git = self.rules == IgnoreRules::All;
        let threads = available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
        let walker = WalkBuilder::new(self.root)
            .hidden(!self.filter.names_hidden())
            .parents(git)
            .git_ignore(git)
            .git_exclude(git)
            .git_global(git)
            .follow_links(false)
            .threads(threads)
            .build_parallel();
        walker.run(|| {
            let mut visit = make();
            Box::new(move |entry| {
                if self.stop.reached() {
                    return WalkState::Quit;
                }
                let Ok(entry) = entry else {
                    self.notes.count_unreadable();
                    return WalkState::Continue;
                };
                self.step(&entry, worth, &mut visit)
            })
        });
    }

    fn step(
        &self,
        entry: &DirEntry,
        worth: &(dyn Fn(&Path) -> bool + Sync),
        visit: &mut impl FnMut(&DirEntry),
    ) -> WalkState {
        let Some(kind) = entry.file_type() else { return WalkState::Continue };
        let named_by_user = entry.depth() == 0;
        if kind.is_dir() {
            let skip = !named_by_user
                && (self.is_left_out(entry, GlobbedKind::Directory)
                    || self.filter.prunes(self.relative(entry))
                    || !worth(entry.path()));
            return if skip { WalkState::Skip } else { WalkState::Continue };
        }
        if !kind.is_file() || (!named_by_user && self.is_left_out(entry, GlobbedKind::File)) {
            return WalkState::Continue;
        }
        if !self.notes.saw_file.load(Ordering::Relaxed) {
            self.notes.saw_file.store(true, Ordering::Relaxed);
        }
        if (named_by_user || self.filter.admits(self.relative(entry))) && worth(entry.path()) {
            visit(entry);
        }
        WalkState::Continue
    }

    /// Hidden names the walker let through for the filter's sake, and made-up trees.
    fn is_left_out(&self, entry: &DirEntry, kind: GlobbedKind) -> bool {
        if entry.depth() == 1 && self.root.parent().is_none() {
            return KERNEL_TREES.iter().any(|tree| entry.path() == Path::new(tree));
        }
        self.filter.names_hidden()
            && entry.file_name().as_encoded_bytes().starts_with(b".")
            && !self.filter.reveals(Path::new(entry.file_name()), kind)
    }

    fn relative<'e>(&self, entry: &'e DirEntry) -> &'e Path {
        relative(self.root, entry.path())
    }
}

/// The path under the root; empty for the root itself.
pub(super) fn relative<'p>(root: &Path, path: &'p Path) -> &'p Path {
    path.strip_prefix(root).unwrap_or(path)
}

/// A found path in the spelling the user gave the root: `.` gives `./x`, `src/` gives `src/x`.
pub(super) fn shown(scope: &SearchScope<'_>, path: &Path) -> String {
    let under = relative(&scope.root, path);
    let base = if scope.shown_root.is_empty() { "." } else { &scope.shown_root };
    if under.as_os_str().is_empty() {
        return base.to_owned();
    }
    PathBuf::from(base).join(under).to_string_lossy().into_owned()
}

/// A file that seems to end when the search is over, so that what it gave until then counts.
pub(super) struct Watched<'a, R> {
    pub(super) inner: R,
    pub(super) stop: &'a StopSignal<'a>,
}

impl<R: io::Read> io::Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.reached() {
            return Ok(0);
        }
        self.inner.read(buffer)
    }
}
