//! Searching the lines of files for a regular expression.
//!
//! A run has two steps. First the tree is walked and every file is searched where the walk finds
//! it, each thread with its own scanner; what is found goes into a tally, which keeps what can be
//! on the page. Then the page is put together in path order. If the walk meets no file at all,
//! the place named by the user lies behind git's ignore rules, and the walk is made again without
//! them. No file is ever changed, and nothing outside the root is opened.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use grep_regex::RegexMatcher;

use super::glob::FileGlob;
use super::page::{MatchRow, PageOfRows, RowsQuery};
use super::pattern::{self, Compiled, LINE_ORIENTED};
use super::scan::{Detail, LineScanner, ScanRequest};
use super::tally::{Sum, Tally, TallyNeed, Unit};
use super::walk::{IgnoreRules, Notes, StopSignal, TreeWalk, shown};
use super::{COUNT_CAP, Page, SearchEnding, SearchError, SearchScope, Total};

/// More lines of context than this are not given.
pub const MAX_CONTEXT: usize = 50;

/// A file with at most this many matches keeps its lines at hand; a fuller one is read again, but
/// only as far as the page reaches into it.
const KEPT_MATCHES: usize = 64;

/// Time to gather the page after the search itself has used up its own.
const GRACE: Duration = Duration::from_secs(2);

/// What to return of the matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContentOutput {
    /// The matching lines.
    #[default]
    Rows,
    /// The files that have any.
    FilesOnly,
    /// The files with the number of matching lines in each.
    Counts,
}

/// A search for lines. The total counts lines (files for [`ContentOutput::FilesOnly`]); a page holds
/// lines for [`ContentOutput::Rows`], else files.
#[derive(Clone)]
pub struct ContentSearch<'a> {
    /// Where to look, what to leave out, and for how long.
    pub scope: SearchScope<'a>,
    /// Regular expression in the syntax of the `regex` crate, matched line by line.
    pub pattern: String,
    /// Gitignore-style glob that files must match.
    pub file_glob: Option<String>,
    /// Lines, names of files, or numbers of matches.
    pub output: ContentOutput,
    /// Lines before and after each match; for [`ContentOutput::Rows`] only.
    pub context: usize,
    /// Which of the results to return.
    pub page: Page,
}

/// The results on the page, in the form that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundContent {
    /// Lines, by path and number.
    Rows(Vec<MatchRow>),
    /// Files, by path.
    Files(Vec<String>),
    /// Files, by path, with the number of matching lines.
    Counts(Vec<(String, usize)>),
}

/// What a content search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentReply {
    /// The results that lie on the page.
    pub found: FoundContent,
    /// Results in all, denied ones not included.
    pub total: Total,
    /// Files left out, unopened, because they may not be read.
    pub omitted: usize,
    /// Where the next page begins, if there is one.
    pub next_offset: Option<usize>,
    /// Did the page end before its limit because of [`super::PAGE_BYTES`]?
    pub cut_by_size: bool,
    /// Whether everything was searched, and why not.
    pub ending: SearchEnding,
    /// What was unusual, as sentences for whoever asked.
    pub warnings: Vec<String>,
}

impl<'a> ContentSearch<'a> {
    /// A search for rows with every option at its default.
    pub fn new(pattern: impl Into<String>, scope: SearchScope<'a>) -> Self {
        Self {
            scope,
            pattern: pattern.into(),
            file_glob: None,
            output: ContentOutput::Rows,
            context: 0,
            page: Page::default(),
        }
    }

    /// Searches. Blocks for up to the deadline.
    pub fn run(&self) -> Result<ContentReply, SearchError> {
        self.scope.check()?;
        let glob = match self.file_glob.as_deref().map(str::trim) {
            None | Some("") => None,
            Some(glob) => Some(FileGlob::parse(glob, &self.scope.root)?),
        };
        let matcher = match pattern::compile(&self.pattern)? {
            Compiled::Lines(matcher) => matcher,
            Compiled::SpansLines => return Ok(self.nothing_spans_lines()),
        };
        let began = Instant::now();
        let stop = StopSignal::new(&self.scope, self.scope.deadline);
        let mut warnings = Vec::from_iter(self.page.warning());

        let mut notes = Notes::default();
        let mut sum = self.collect(&matcher, &glob, IgnoreRules::All, &stop, &notes);
        if !notes.saw_file.load(Ordering::Relaxed) && stop.ending() == SearchEnding::Complete {
            // The ignore rules hide all there is, so the user named an ignored place on purpose.
            notes = Notes::default();
            sum = self.collect(&matcher, &glob, IgnoreRules::WithoutGit, &stop, &notes);
            if notes.saw_file.load(Ordering::Relaxed) {
                warnings.push("Everything here is git-ignored; searched it all the same.".into());
            }
        }
        warnings.extend(notes.warning());
        if notes.saw_binary.load(Ordering::Relaxed) && self.scope.root.is_file() {
            warnings.push("This file is binary; only text is searched.".into());
        }
        if sum.total.count() == 0 && pattern::mentions_newline(&self.pattern) {
            warnings.push(LINE_ORIENTED.into());
        }
        let page = self.reply(sum, began, &matcher);
        let ending = match stop.ending() {
            SearchEnding::Complete => page.ending,
            early => early,
        };
        Ok(ContentReply { ending, warnings, ..page })
    }

    fn need(&self) -> TallyNeed {
        let reach = self.page.end();
        let (paged, counted) = match self.output {
            ContentOutput::Rows => (Unit::Row, Unit::Row),
            ContentOutput::FilesOnly => (Unit::File, Unit::File),
            ContentOutput::Counts => (Unit::File, Unit::Row),
        };
        // Numbers are what a count is asked for, and adding them up takes no memory: no cap.
        let cap =
            if self.output == ContentOutput::Counts { usize::MAX } else { COUNT_CAP.max(reach) };
        TallyNeed { paged, counted, reach, cap }
    }

    fn detail(&self) -> Detail {
        match self.output {
            ContentOutput::Rows => Detail::Lines(self.context.min(MAX_CONTEXT)),
            ContentOutput::FilesOnly | ContentOutput::Counts => Detail::Count,
        }
    }

    /// Searches the tree once.
    fn collect(
        &self,
        matcher: &RegexMatcher,
        glob: &Option<FileGlob>,
        rules: IgnoreRules,
        stop: &StopSignal<'_>,
        notes: &Notes,
    ) -> Sum {
        let need = self.need();
        let tally = Tally::new(need);
        let count_to = match self.output {
            ContentOutput::Rows => need.cap + 1,
            ContentOutput::FilesOnly => 1,
            ContentOutput::Counts => usize::MAX,
        };
        let walk = TreeWalk { root: &self.scope.root, rules, filter: glob, stop, notes };
        walk.run_below(&|path| tally.is_worth(path), || {
            let mut scanner = LineScanner::new(matcher, self.detail(), stop);
            let tally = &tally;
            move |entry| {
                // Before it is opened: that a pattern is in it, or how often, is a secret too.
                if (self.scope.denied)(entry.path()) {
                    tally.add_denied(entry.path().to_owned());
                    return;
                }
                let request =
                    ScanRequest { window: 0..KEPT_MATCHES, count_to, budget: tally.room() };
                match scanner.scan(entry.path(), request) {
                    Ok(harvest) if harvest.binary => {
                        notes.saw_binary.store(true, Ordering::Relaxed);
                    }
                    Ok(harvest) if harvest.count == 0 => {}
                    Ok(harvest) => {
                        let complete = harvest.count <= KEPT_MATCHES && !harvest.cut;
                        tally.add(entry.path().to_owned(), harvest, complete);
                    }
                    Err(_) => notes.count_unreadable(),
                }
            }
        });
        tally.finish(stop.ending())
    }

    fn reply(&self, sum: Sum, began: Instant, matcher: &RegexMatcher) -> ContentReply {
        let left = self.scope.deadline.saturating_sub(began.elapsed()).max(GRACE);
        let stop = StopSignal::new(&self.scope, left);
        let (seen, total, omitted) = (sum.seen, sum.total, sum.omitted);
        let mut files = sum.files.into_iter();
        let (mut end, mut cut_by_size) = (self.page.end(), false);
        let found = match self.output {
            ContentOutput::Rows => {
                let query = RowsQuery {
                    scope: &self.scope,
                    page: self.page,
                    context: self.context,
                    detail: self.detail(),
                };
                let mut page = PageOfRows::new(query, matcher, &stop);
                files.for_each(|(path, hits)| page.add(&path, hits));
                end = self.page.offset.saturating_add(page.matches);
                cut_by_size = page.is_full;
                FoundContent::Rows(page.rows)
            }
            ContentOutput::FilesOnly => FoundContent::Files(
                self.on_page(&mut files).map(|(path, _)| shown(&self.scope, &path)).collect(),
            ),
            ContentOutput::Counts => FoundContent::Counts(
                self.on_page(&mut files)
                    .map(|(path, hits)| (shown(&self.scope, &path), hits.count))
                    .collect(),
            ),
        };
        let next_offset = (seen > end && end > self.page.offset).then_some(end);
        let (ending, warnings) = (stop.ending(), Vec::new());
        ContentReply { found, total, omitted, next_offset, cut_by_size, ending, warnings }
    }

    fn on_page<T>(&self, files: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        files.take(self.page.end()).skip(self.page.offset)
    }

    fn nothing_spans_lines(&self) -> ContentReply {
        let found = match self.output {
            ContentOutput::Rows => FoundContent::Rows(Vec::new()),
            ContentOutput::FilesOnly => FoundContent::Files(Vec::new()),
            ContentOutput::Counts => FoundContent::Counts(Vec::new()),
        };
        ContentReply {
            found,
            total: Total::Exact(0),
            omitted: 0,
            next_offset: None,
            cut_by_size: false,
            ending: SearchEnding::Complete,
            warnings: vec![LINE_ORIENTED.into()],
        }
    }
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
