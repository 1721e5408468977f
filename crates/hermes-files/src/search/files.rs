//! Searching files by name, newest first.
//!
//! One walk answers all readings of a pattern at once: exact answers and loose ones (names that
//! merely contain it) are gathered side by side, and the loose ones are used only if there was no
//! exact one. Of either kind the newest are kept, as many as the page needs; the rest is counted,
//! without a cap since counting names is cheap. Only a search that finds nothing walks twice.
//! Files are looked at, never opened.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ignore::DirEntry;

use super::glob::{FileGlob, GlobError, GlobbedKind, split_parts};
use super::walk::{IgnoreRules, NameFilter, Notes, StopSignal, TreeWalk, relative, shown};
use super::{Page, SearchEnding, SearchError, SearchScope, Total};

/// A search for files by name.
///
/// A pattern with wildcards is a glob. One without is the exact name of a file (or, with a slash,
/// its exact path under the root); if there is no such file, every name that contains it counts,
/// whatever its case. If nothing is found either way, the search is made once more without git's
/// ignore rules.
#[derive(Clone)]
pub struct FileSearch<'a> {
    /// Where to look, what to leave out, and for how long.
    pub scope: SearchScope<'a>,
    /// A glob, the exact name of a file, or a part of one.
    pub pattern: String,
    /// Which of the results to return.
    pub page: Page,
}

/// What a file search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReply {
    /// The page: files, newest first, those of the same time by path.
    pub files: Vec<String>,
    /// Files in all, denied ones not included.
    pub total: Total,
    /// Files left out because they may not be read.
    pub omitted: usize,
    /// Where the next page begins, if there is one.
    pub next_offset: Option<usize>,
    /// Whether everything was searched, and why not.
    pub ending: SearchEnding,
    /// What was unusual, as sentences for whoever asked.
    pub warnings: Vec<String>,
}

impl<'a> FileSearch<'a> {
    /// The first page of files called or globbed like this.
    pub fn new(pattern: impl Into<String>, scope: SearchScope<'a>) -> Self {
        Self { scope, pattern: pattern.into(), page: Page::default() }
    }

    /// Searches. Blocks for up to the deadline.
    pub fn run(&self) -> Result<FileReply, SearchError> {
        self.scope.check()?;
        let wanted = Wanted::parse(&self.pattern, &self.scope.root)?;
        let stop = StopSignal::new(&self.scope, self.scope.deadline);
        let mut warnings = Vec::from_iter(self.page.warning());

        let mut notes = Notes::default();
        let mut found = self.collect(&wanted, IgnoreRules::All, &stop, &notes);
        if found.is_empty() && stop.ending() == SearchEnding::Complete {
            let notes_again = Notes::default();
            let again = self.collect(&wanted, IgnoreRules::WithoutGit, &stop, &notes_again);
            if !again.is_empty() {
                (found, notes) = (again, notes_again);
                warnings.push("Nothing matched outside the git-ignored files; these are.".into());
            }
        }
        warnings.extend(notes.warning());
        let best = if found.exact.is_empty() && !found.loose.is_empty() {
            warnings.push(format!(
                "No file is called exactly `{}`; these names contain it.",
                self.pattern.trim()
            ));
            found.loose
        } else {
            found.exact
        };
        Ok(self.reply(best, stop.ending(), warnings))
    }

    fn collect(
        &self,
        wanted: &Wanted,
        rules: IgnoreRules,
        stop: &StopSignal<'_>,
        notes: &Notes,
    ) -> Candidates {
        let candidates = Mutex::new(Candidates::new(self.page.end()));
        let walk = TreeWalk { root: &self.scope.root, rules, filter: wanted, stop, notes };
        walk.run(|| {
            |entry: &DirEntry| {
                // A root that is itself a file is handed out unasked, and has no path under itself.
                let under = relative(&self.scope.root, entry.path());
                let is_root = under.as_os_str().is_empty();
                let subject = if is_root { Path::new(entry.file_name()) } else { under };
                let Some(fit) = wanted.fit(subject) else { return };
                let is_denied = (self.scope.denied)(entry.path());
                let written = entry.metadata().ok().and_then(|meta| meta.modified().ok());
                let mut all = candidates.lock().unwrap_or_else(PoisonError::into_inner);
                let kind = match fit {
                    Fit::Exact => &mut all.exact,
                    Fit::Loose => &mut all.loose,
                };
                if is_denied {
                    kind.omitted += 1;
                } else {
                    kind.add(written.unwrap_or(SystemTime::UNIX_EPOCH), entry.path());
                }
            }
        });
        candidates.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn reply(&self, best: Newest, ending: SearchEnding, warnings: Vec<String>) -> FileReply {
        let (total, omitted, end) = (best.total, best.omitted, self.page.end());
        let files: Vec<String> = best
            .heap
            .into_sorted_vec()
            .iter()
            .skip(self.page.offset)
            .map(|file| shown(&self.scope, &file.path))
            .collect();
        FileReply {
            next_offset: (total > end && !files.is_empty()).then_some(end),
            files,
            total: match ending {
                SearchEnding::Complete => Total::Exact(total),
                SearchEnding::TimedOut | SearchEnding::Cancelled => Total::AtLeast(total),
            },
            omitted,
            ending,
            warnings,
        }
    }
}

/// What the pattern asks for.
enum Wanted {
    Glob(FileGlob),
    Name(Name),
}

/// A pattern without wildcards. Everything but `exact` is in lower case.
struct Name {
    exact: PathBuf,
    lower: String,
    hidden_dirs: Vec<String>,
    hidden_file: Option<String>,
}

/// How well a file answers the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Exact,
    Loose,
}

impl Wanted {
    fn parse(pattern: &str, root: &Path) -> Result<Self, GlobError> {
        let pattern = pattern.trim();
        if pattern.is_empty() || pattern.ends_with('/') || pattern.contains(['*', '?', '[', '{']) {
            return Ok(Self::Glob(FileGlob::parse(pattern, root)?));
        }
        let exact = match Path::new(pattern).strip_prefix(root) {
            Ok(inside) => inside,
            Err(_) => Path::new(pattern.trim_start_matches("./").trim_start_matches('/')),
        };
        let lower = exact.to_string_lossy().to_lowercase();
        let mut parts = split_parts(&lower);
        let hidden = |part: &&str| part.starts_with('.');
        let hidden_file = parts.pop().filter(hidden).map(str::to_owned);
        let hidden_dirs = parts.into_iter().filter(hidden).map(str::to_owned).collect();
        let exact = exact.to_owned();
        Ok(Self::Name(Name { exact, lower, hidden_dirs, hidden_file }))
    }

    fn fit(&self, relative: &Path) -> Option<Fit> {
        match self {
            Self::Glob(glob) => glob.admits(relative).then_some(Fit::Exact),
            Self::Name(name) => name.fit(relative),
        }
    }
}

impl Name {
    fn fit(&self, relative: &Path) -> Option<Fit> {
        let is_path = self.exact.components().nth(1).is_some();
        let subject = if is_path { relative } else { Path::new(relative.file_name()?) };
        if subject == self.exact {
            return Some(Fit::Exact);
        }
        let contains = subject.to_string_lossy().to_lowercase().contains(&self.lower);
        contains.then_some(Fit::Loose)
    }
}

impl NameFilter for Wanted {
    fn names_hidden(&self) -> bool {
        match self {
            Self::Glob(glob) => glob.names_hidden(),
            Self::Name(name) => name.hidden_file.is_some() || !name.hidden_dirs.is_empty(),
        }
    }

    fn reveals(&self, name: &Path, kind: GlobbedKind) -> bool {
        let wanted = match self {
            Self::Glob(glob) => return glob.reveals(name, kind),
            Self::Name(wanted) => wanted,
        };
        let name = name.to_string_lossy().to_lowercase();
        match kind {
            GlobbedKind::Directory => wanted.hidden_dirs.contains(&name),
            GlobbedKind::File => {
                wanted.hidden_file.as_ref().is_some_and(|part| name.contains(part))
            }
        }
    }

    fn prunes(&self, relative: &Path) -> bool {
        matches!(self, Self::Glob(glob) if glob.prunes(relative))
    }

    fn admits(&self, relative: &Path) -> bool {
        self.fit(relative).is_some()
    }
}

/// Exact and loose answers are gathered in one walk; which of them count is known at its end.
struct Candidates {
    exact: Newest,
    loose: Newest,
}

impl Candidates {
    fn new(reach: usize) -> Self {
        Self { exact: Newest::new(reach), loose: Newest::new(reach) }
    }

    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.loose.is_empty()
    }
}

/// The newest files seen so far, as many as the page reaches to; the rest is counted.
struct Newest {
    reach: usize,
    heap: BinaryHeap<Dated>,
    total: usize,
    omitted: usize,
}

/// Sorts newest first, then by path; so the greatest is the first to be dropped.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Dated {
    written: Reverse<SystemTime>,
    path: PathBuf,
}

impl Newest {
    fn new(reach: usize) -> Self {
        Self { reach, heap: BinaryHeap::new(), total: 0, omitted: 0 }
    }

    fn add(&mut self, written: SystemTime, path: &Path) {
        self.total += 1;
        let is_full = self.heap.len() >= self.reach;
        let is_older =
            |last: &Dated| (last.written, last.path.as_path()) <= (Reverse(written), path);
        if is_full && self.heap.peek().is_some_and(is_older) {
            return;
        }
        self.heap.push(Dated { written: Reverse(written), path: path.to_owned() });
        if is_full {
            self.heap.pop();
        }
    }

    fn is_empty(&self) -> bool {
        self.total == 0 && self.omitted == 0
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
