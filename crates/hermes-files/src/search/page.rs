//! The page of rows, put together after the walk.
//!
//! The lines of most files were kept while they were searched. A file with many matches, or one
//! that came when there was no room left, is read again, from its start to the last match that
//! is wanted; a page touches few such files.

use std::ops::Range;
use std::path::Path;

use grep_regex::RegexMatcher;

use super::scan::{Detail, LineScanner, ScanRequest, ScannedLine};
use super::tally::FileHits;
use super::walk::{StopSignal, shown};
use super::{Page, SearchScope};

/// A page of rows ends early when its text passes this size, so that the whole answer fits into
/// one tool result.
pub const PAGE_BYTES: usize = 80_000;

/// Counted against [`PAGE_BYTES`] for every row besides its text: numbers and punctuation.
const ROW_OVERHEAD: usize = 12;

/// One line found, or shown beside one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// File, spelled after the root as the user wrote it.
    pub path: String,
    /// Its number in the file, from one.
    pub line: u64,
    /// The line, at most [`super::ROW_CHARS`] characters of it.
    pub text: String,
    /// Shown only because it is near a match.
    pub is_context: bool,
}

/// What the rows of a page are taken from.
#[derive(Clone, Copy)]
pub(super) struct RowsQuery<'a> {
    pub(super) scope: &'a SearchScope<'a>,
    pub(super) page: Page,
    /// Lines before and after each match.
    pub(super) context: usize,
    pub(super) detail: Detail,
}

/// Gathers the rows of a page from the files in path order.
pub(super) struct PageOfRows<'a> {
    query: RowsQuery<'a>,
    scanner: LineScanner<'a>,
    /// Matches in the files before the current one.
    passed: usize,
    pub(super) rows: Vec<MatchRow>,
    pub(super) matches: usize,
    bytes: usize,
    pub(super) is_full: bool,
}

impl<'a> PageOfRows<'a> {
    pub(super) fn new(
        query: RowsQuery<'a>,
        matcher: &RegexMatcher,
        stop: &'a StopSignal<'a>,
    ) -> Self {
        Self {
            query,
            scanner: LineScanner::new(matcher, query.detail, stop),
            passed: 0,
            rows: Vec::new(),
            matches: 0,
            bytes: 0,
            is_full: false,
        }
    }

    /// Takes the rows of one file that lie on the page, if any do.
    pub(super) fn add(&mut self, path: &Path, hits: FileHits) {
        let page = self.query.page;
        let start = page.offset.saturating_sub(self.passed);
        let end = page.end().saturating_sub(self.passed).min(hits.count);
        self.passed += hits.count;
        if self.is_full || start >= end {
            return;
        }
        let shown = shown(self.query.scope, path);
        self.bytes += shown.len();
        let lines = match hits.lines {
            Some(lines) if start == 0 && end == hits.count => lines,
            Some(lines) if self.query.context == 0 => {
                lines.into_iter().take(end).skip(start).collect()
            }
            _ => self.read_again(path, start..end),
        };
        for line in lines {
            if !self.push(&shown, line) {
                return;
            }
        }
    }

    /// Says no when the page is full.
    fn push(&mut self, path: &str, line: ScannedLine) -> bool {
        if !line.is_context {
            if self.matches > 0 && self.bytes + line.text.len() > PAGE_BYTES {
                self.is_full = true;
                return false;
            }
            self.matches += 1;
        }
        self.bytes += line.text.len() + ROW_OVERHEAD;
        self.rows.push(MatchRow {
            path: path.to_owned(),
            line: line.number,
            text: line.text,
            is_context: line.is_context,
        });
        true
    }

    /// The file may have changed or gone since it was searched; then there is less to show.
    fn read_again(&mut self, path: &Path, window: Range<usize>) -> Vec<ScannedLine> {
        let request = ScanRequest { count_to: window.end, window, budget: PAGE_BYTES };
        self.scanner.scan(path, request).map(|harvest| harvest.lines).unwrap_or_default()
    }
}
