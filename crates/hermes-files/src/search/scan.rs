//! Searching one file.
//!
//! A [`LineScanner`] belongs to one thread and is used for file after file, so that its buffers are
//! allocated once. It answers with the number of matching lines and, for those inside a window of
//! match indexes, the lines themselves with their context. A file that turns out to be binary
//! has no matches, whatever came before the telling byte.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use super::excerpt::excerpt;
use super::walk::{StopSignal, Watched};

/// Files smaller than this are read whole and searched in place. It is also how far the searcher
/// looks for binary data in such a case, so no byte of a small file escapes that look.
const SMALL_FILE: usize = 64 << 10;

/// A line longer than this makes a file count as unreadable, rather than fill the memory.
const MAX_LINE: usize = 64 << 20;

/// One shown line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScannedLine {
    pub(super) number: u64,
    pub(super) text: String,
    pub(super) is_context: bool,
}

/// What to find out about a file.
#[derive(Clone, Debug)]
pub(super) struct ScanRequest {
    /// Matches (by index in the file) whose lines are wanted.
    pub(super) window: Range<usize>,
    /// Stop after this many matches.
    pub(super) count_to: usize,
    /// Bytes of text that may be gathered; the window ends where they do.
    pub(super) budget: usize,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Harvest {
    /// Matching lines, counted up to the request.
    pub(super) count: usize,
    /// Lines of the window, in order.
    pub(super) lines: Vec<ScannedLine>,
    /// Bytes of text in `lines`.
    pub(super) bytes: usize,
    /// Was the window cut short by the budget?
    pub(super) cut: bool,
    /// Binary files are never searched.
    pub(super) binary: bool,
}

/// Lines before and after each match, or no lines at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Only counting.
    Count,
    /// Lines with this much context on either side.
    Lines(usize),
}

/// Searches files one after the other on one thread.
pub(super) struct LineScanner<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    buffer: Vec<u8>,
    context: usize,
    stop: &'a StopSignal<'a>,
}

impl<'a> LineScanner<'a> {
    pub(super) fn new(matcher: &RegexMatcher, detail: Detail, stop: &'a StopSignal<'a>) -> Self {
        let (numbered, context) = match detail {
            Detail::Count => (false, 0),
            Detail::Lines(context) => (true, context),
        };
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(numbered)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(MAX_LINE))
            .build();
        let buffer = vec![0; SMALL_FILE];
        Self { matcher: matcher.clone(), searcher, buffer, context, stop }
    }

    /// Searches one regular file.
    pub(super) fn scan(&mut self, path: &Path, request: ScanRequest) -> io::Result<Harvest> {
        let mut file = open(path)?;
        let filled = fill(&mut file, &mut self.buffer)?;
        let mut gather = Gather::new(&self.matcher, self.context, request);
        if filled < self.buffer.len() {
            self.searcher.search_slice(&self.matcher, &self.buffer[..filled], &mut gather)?;
        } else {
            let rest = Watched { inner: file, stop: self.stop };
            let whole = self.buffer.as_slice().chain(rest);
            self.searcher.search_reader(&self.matcher, whole, &mut gather)?;
        }
        Ok(gather.harvest)
    }
}

/// Opens without following a link and without waiting: between the walk's look and now the file
/// may have been replaced by a link or a pipe, and kernel files may block their readers.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use nix::fcntl::OFlag;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW;
    File::options().read(true).custom_flags(flags.bits()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Receives matches and context from the searcher, in file order.
///
/// A line is shown as context when it is close enough to a match of the window, even if it is
/// itself a match that belongs to another page; so a page reads the same wherever it begins.
struct Gather<'m> {
    matcher: &'m RegexMatcher,
    context: usize,
    request: ScanRequest,
    /// Lines that may turn out to precede a match of the window.
    before: VecDeque<ScannedLine>,
    /// Line number of the last match shown.
    last_shown: Option<u64>,
    harvest: Harvest,
}

impl<'m> Gather<'m> {
    fn new(matcher: &'m RegexMatcher, context: usize, request: ScanRequest) -> Self {
        let (before, harvest) = (VecDeque::new(), Harvest::default());
        Self { matcher, context, request, before, last_shown: None, harvest }
    }

    fn show(&mut self, line: ScannedLine) {
        self.harvest.bytes += line.text.len();
        self.harvest.lines.push(line);
    }

    fn is_after_shown(&self, number: u64) -> bool {
        self.last_shown.is_some_and(|last| number - last <= self.context as u64)
    }

    /// Nothing that follows can be shown any more.
    fn is_past_window(&self) -> bool {
        self.harvest.cut || self.harvest.count >= self.request.window.end
    }

    /// Is anything after line `number` still of interest?
    fn goes_on(&self, number: u64) -> bool {
        self.harvest.count < self.request.count_to
            || self.last_shown.is_some_and(|last| number - last < self.context as u64)
    }

    /// Context, or a match of another page.
    fn pass(
        &mut self,
        number: u64,
        bytes: &[u8],
        find: impl FnOnce(&[u8]) -> Option<Range<usize>>,
    ) {
        let after = self.is_after_shown(number);
        if self.context == 0 || (self.is_past_window() && !after) {
            return;
        }
        let line = ScannedLine { number, text: excerpt(bytes, find), is_context: true };
        if after {
            self.show(line);
            return;
        }
        if self.before.len() == self.context {
            self.before.pop_front();
        }
        self.before.push_back(line);
    }
}

impl Sink for Gather<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let index = self.harvest.count;
        self.harvest.count += 1;
        let Some(number) = found.line_number() else {
            return Ok(self.harvest.count < self.request.count_to);
        };
        let matcher = self.matcher;
        let find = |line: &[u8]| matcher.find(line).ok()?.map(|m| m.start()..m.end());
        if self.request.window.contains(&index) && !self.harvest.cut {
            while let Some(line) = self.before.pop_front() {
                self.show(line);
            }
            self.show(ScannedLine {
                number,
                text: excerpt(found.bytes(), find),
                is_context: false,
            });
            self.last_shown = Some(number);
            self.harvest.cut = self.harvest.bytes > self.request.budget;
        } else {
            self.pass(number, found.bytes(), find);
        }
        Ok(self.goes_on(number))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if let Some(number) = context.line_number() {
            self.pass(number, context.bytes(), |_| None);
            return Ok(self.goes_on(number));
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.before.clear();
        Ok(self.harvest.count < self.request.count_to)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.harvest = Harvest { binary: true, ..Harvest::default() };
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, _: &SinkFinish) -> io::Result<()> {
        Ok(())
    }
}
