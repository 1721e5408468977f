//! The file as the matcher sees it: line breaks are single LFs, and every offset can be taken
//! back to the file's own bytes.
//!
//! Callers quote text without knowing whether the file says LF or CRLF, so a CRLF file has to
//! behave exactly as its LF twin. Taking the CRs out once, and remembering where they were, lets
//! every strategy ignore the question. A file without CRLF is borrowed, not copied. CRs that do
//! not precede an LF are ordinary characters.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnding {
    Lf,
    CrLf,
}

impl LineEnding {
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// A text with LF line breaks, and the way back to the bytes it was made from.
pub(super) struct Text<'a> {
    original: &'a [u8],
    lf: Cow<'a, [u8]>,
    /// Offsets (in `lf`) of the LFs that lost their CR, ascending.
    lost: Vec<usize>,
    has_breaks: bool,
    starts: OnceCell<Vec<usize>>,
}

impl<'a> Text<'a> {
    pub(super) fn new(original: &'a [u8]) -> Self {
        let (lf, lost) = without_crs(original);
        let has_breaks = memchr(b'\n', &lf).is_some();
        Self { original, lf, lost, has_breaks, starts: OnceCell::new() }
    }

    /// The text with LF line breaks.
    pub(super) fn lf(&self) -> &[u8] {
        &self.lf
    }

    /// The bytes of the file between two offsets of the LF text.
    pub(super) fn original(&self, span: Range<usize>) -> &'a [u8] {
        &self.original[self.back(span.start)..self.back(span.end)]
    }

    /// An offset of the LF text as an offset into the file; the one of an LF is that of its CR.
    fn back(&self, offset: usize) -> usize {
        offset + self.lost.partition_point(|&lf| lf < offset)
    }

    /// The number of the line that holds the offset, counted from 1.
    pub(super) fn line_number(&self, offset: usize) -> usize {
        memchr_iter(b'\n', &self.lf[..offset]).count() + 1
    }

    /// How the line break at this offset is spelled in the file.
    pub(super) fn ending_at(&self, lf: usize) -> LineEnding {
        if self.lost.binary_search(&lf).is_ok() { LineEnding::CrLf } else { LineEnding::Lf }
    }

    /// The ending of the line that holds the offset, else of the line before.
    pub(super) fn ending_near(&self, offset: usize) -> Option<LineEnding> {
        if self.lost.is_empty() {
            return self.has_breaks.then_some(LineEnding::Lf);
        }
        let starts = self.starts();
        let next = starts.partition_point(|start| *start <= offset);
        let after = starts.get(next).copied().or(self.lf.ends_with(b"\n").then_some(self.lf.len()));
        let before = || next.checked_sub(1).map(|line| starts[line]);
        let end = after.or_else(before).filter(|end| *end > 0)?;
        Some(self.ending_at(end - 1))
    }

    /// Where the line that holds the offset begins.
    pub(super) fn line_start(&self, offset: usize) -> usize {
        let next = self.starts().partition_point(|start| *start <= offset);
        next.checked_sub(1).map_or(0, |line| self.starts()[line])
    }

    /// How many lines there are. The empty rest after a final line break is not a line.
    pub(super) fn line_count(&self) -> usize {
        self.starts().len()
    }

    /// Where the lines from `first` to before `end` lie, without the last line break.
    pub(super) fn lines_span(&self, lines: Range<usize>) -> Range<usize> {
        let starts = self.starts();
        let end = starts.get(lines.end).map_or(self.lf.len(), |next| *next);
        let end = if end > 0 && self.lf[end - 1] == b'\n' { end - 1 } else { end };
        starts[lines.start]..end
    }

    /// One line without its line break.
    pub(super) fn line(&self, number: usize) -> &[u8] {
        &self.lf[self.lines_span(number..number + 1)]
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let text = self.lf.as_ref();
            let begin = (!text.is_empty()).then_some(0);
            let after = memchr_iter(b'\n', text).map(|lf| lf + 1).filter(|at| *at < text.len());
            begin.into_iter().chain(after).collect()
        })
    }
}

/// The lines of a text with LF line breaks, as [`Text::line`] counts them.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line)
    })
}

/// The text with CRLF made LF, and the offsets of those LFs in the result.
fn without_crs(text: &[u8]) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut pairs = memmem::find_iter(text, b"\r\n").peekable();
    if pairs.peek().is_none() {
        return (Cow::Borrowed(text), Vec::new());
    }
    let (mut lf, mut lost, mut done) = (Vec::with_capacity(text.len()), Vec::new(), 0);
    for cr in pairs {
        lf.extend_from_slice(&text[done..cr]);
        lost.push(lf.len());
        done = cr + 1;
    }
    lf.extend_from_slice(&text[done..]);
    (Cow::Owned(lf), lost)
}

/// A quotation or replacement with CRLF made LF.
pub(super) fn lf_only(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_back_to_the_bytes_of_a_mixed_file() {
        let text = Text::new(b"a\r\nb\nc\rd\r\r\ne");
        assert_eq!(text.lf(), b"a\nb\nc\rd\r\ne");
        assert_eq!(text.original(0..1), b"a");
        assert_eq!(text.original(0..2), b"a\r\n");
        assert_eq!(text.original(1..3), b"\r\nb");
        assert_eq!(text.original(4..text.lf().len()), b"c\rd\r\r\ne");
        assert_eq!(text.ending_at(1), LineEnding::CrLf);
        assert_eq!(text.ending_near(2), Some(LineEnding::Lf));
        assert_eq!(text.ending_near(10), Some(LineEnding::CrLf));
        assert_eq!(Text::new(b"a\r\nb").ending_near(3), Some(LineEnding::CrLf));
        assert_eq!(Text::new(b"ab").ending_near(1), None);
        assert_eq!((text.line_start(0), text.line_start(1), text.line_start(3)), (0, 0, 2));
    }

    #[test]
    fn counts_the_lines_that_exist() {
        for (text, expected) in [("", 0), ("a", 1), ("a\n", 1), ("\n", 1), ("a\n\n", 2)] {
            assert_eq!(Text::new(text.as_bytes()).line_count(), expected, "{text:?}");
            assert_eq!(lines(text.as_bytes()).count(), expected, "{text:?}");
        }
        let text = Text::new(b"one\r\n\r\nthree");
        assert_eq!(
            (text.line(0), text.line(1), text.line(2)),
            (&b"one"[..], &b""[..], &b"three"[..])
        );
        assert_eq!(text.lines_span(0..2), 0..4);
        assert_eq!(text.line_number(5), 3);
    }
}
