//! Searching local files by content or by name, in process.
//!
//! Two questions are answered here: *which lines match this expression* ([`ContentSearch`]) and
//! *which files have this name* ([`FileSearch`]). Both describe the place to look in a [`SearchScope`],
//! the part of the answer wanted in a [`Page`], and are run with a plain blocking `run()`, meant
//! for a thread that may block. Nothing here starts a process or parses the output of one: the
//! walker, the ignore rules and the regular expressions are linked in, so the dialect is the same
//! on every machine and a file name may contain whatever it likes.
//!
//! Promises kept by both searches:
//!
//! - **The answer does not depend on timing.** Files are visited by several threads in any order,
//!   yet the page returned is the one a slow, sorted, single-threaded search would return.
//!   Asking for the next page neither repeats nor skips anything while the tree stays the same.
//! - **Memory is bounded.** Only what can still end up on the page is kept; everything after it
//!   is merely counted, and counting stops at [`COUNT_CAP`].
//! - **Only regular files are opened**, never through a link, so a named pipe or a device inside
//!   the tree cannot hang the search.
//! - **Time is bounded.** The deadline and the cancel signal are looked at before every file and
//!   on every read of a large one; what was found until then is returned.
//! - **What may not be read is not opened.** Denied files are left out and counted, so that not even
//!   the number of matches in them can be asked for.
//!
//! | file | what it holds |
//! |---|---|
//! | `content` | searching lines: the request, the run, the reply |
//! | `tally` | what to keep while results arrive in any order |
//! | `page` | the page of rows, put together after the walk |
//! | `scan` | one file: opening, decoding, windows, context lines |
//! | `excerpt` | cutting a long line around its match |
//! | `pattern` | regular expressions and helpful words when one is wrong |
//! | `files` | searching names, newest first |
//! | `glob` | gitignore-style globs and which hidden names they reveal |
//! | `walk` | the parallel walk, shown paths, the stop signal |
//! | `render` | the JSON a model or a script gets |
//! | `similar` | "did you mean": names like a missing one |

mod content;
mod excerpt;
mod files;
mod glob;
mod page;
mod pattern;
mod render;
mod scan;
mod similar;
mod tally;
mod walk;

#[cfg(test)]
mod testing;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use content::{ContentOutput, ContentReply, ContentSearch, FoundContent, MAX_CONTEXT};
pub use excerpt::ROW_CHARS;
pub use files::{FileReply, FileSearch};
pub use glob::GlobError;
pub use page::{MatchRow, PAGE_BYTES};
pub use pattern::PatternError;
pub use render::{MatchStyle, render_content, render_error, render_files};
pub use similar::{MAX_SIMILAR, similar_names, similar_paths};

/// Results are counted exactly up to this number; beyond it the total is a lower bound.
pub const COUNT_CAP: usize = 10_000;

/// No page reaches past this many results: to see more, narrow the search.
pub const MAX_REACH: usize = 100_000;

/// How long a search may take unless the caller says otherwise.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Where to look, how to name what is found, and when to give up.
#[derive(Clone)]
pub struct SearchScope<'a> {
    /// File or directory to search: absolute, with links resolved.
    pub root: PathBuf,
    /// The same place as the user wrote it; results are named relative to this spelling.
    pub shown_root: String,
    /// Time after which the search ends with what it has.
    pub deadline: Duration,
    /// Asked often, from several threads: `true` ends the search.
    pub cancel: &'a (dyn Fn() -> bool + Sync),
    /// Is this file on the read deny list? Asked with canonical paths, from several threads.
    pub denied: &'a (dyn Fn(&Path) -> bool + Sync),
}

impl<'a> SearchScope<'a> {
    /// Search `root`, shown as `shown_root`, for at most [`DEADLINE`] and with nothing denied.
    pub fn new(root: impl Into<PathBuf>, shown_root: impl Into<String>) -> Self {
        Self {
            root: root.into(),
            shown_root: shown_root.into(),
            deadline: DEADLINE,
            cancel: &|| false,
            denied: &|_| false,
        }
    }

    /// End the search after this long.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// End the search as soon as this says `true`.
    #[must_use]
    pub fn cancel(mut self, cancel: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.cancel = cancel;
        self
    }

    /// Leave out, and count, the files this names.
    #[must_use]
    pub fn denied(mut self, denied: &'a (dyn Fn(&Path) -> bool + Sync)) -> Self {
        self.denied = denied;
        self
    }

    /// Checks the root before anything is opened.
    fn check(&self) -> Result<(), SearchError> {
        let shown = || self.shown_root.clone();
        let kind = match std::fs::metadata(&self.root) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let similar = similar_paths(&self.shown_root, &self.root);
                return Err(SearchError::Missing { path: shown(), similar });
            }
            Err(source) => return Err(SearchError::Unreadable { path: shown(), source }),
        };
        if kind.is_file() || kind.is_dir() {
            return Ok(());
        }
        Err(SearchError::NotAFile { path: shown() })
    }
}

/// Which results to return, counted from zero in the stable order of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many results at most; zero counts as one.
    pub limit: usize,
    /// How many results to pass over first.
    pub offset: usize,
}

impl Page {
    /// First result that is not on the page.
    fn end(self) -> usize {
        self.offset.saturating_add(self.limit.max(1)).min(MAX_REACH)
    }

    /// Says so when the page lies where no page can be.
    fn warning(self) -> Option<String> {
        (self.offset >= MAX_REACH).then(|| {
            format!(
                "Offset {} is past the last page (result {MAX_REACH}); narrow the search instead.",
                self.offset
            )
        })
    }
}

impl Default for Page {
    fn default() -> Self {
        Self { limit: 50, offset: 0 }
    }
}

/// How many results there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// All were counted.
    Exact(usize),
    /// Counting stopped at the cap or at the deadline.
    AtLeast(usize),
}

impl Total {
    /// The number itself, exact or not.
    pub fn count(self) -> usize {
        match self {
            Total::Exact(count) | Total::AtLeast(count) => count,
        }
    }
}

/// Why a search ended: only one of these means that nothing was missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchEnding {
    /// Everything that matters was looked at.
    Complete,
    /// The deadline passed first; the results are partial.
    TimedOut,
    /// The caller cancelled; the results are partial.
    Cancelled,
}

/// Why a search could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The regular expression is not one this engine understands.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The glob is malformed.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// There is nothing at the given path.
    #[error("Path not found: {path}{}", similar::did_you_mean(similar))]
    Missing {
        /// The path as the user wrote it.
        path: String,
        /// Existing paths with a like name, best first.
        similar: Vec<String>,
    },
    /// A pipe, socket or device: reading it could block for ever or have effects.
    #[error("Cannot search {path}: it is a pipe, socket or device, not a file or directory.")]
    NotAFile {
        /// The path as the user wrote it.
        path: String,
    },
    /// The root itself cannot be looked at.
    #[error("Cannot search {path}: {source}.")]
    Unreadable {
        /// The path as the user wrote it.
        path: String,
        /// What the operating system answered.
        source: std::io::Error,
    },
}
