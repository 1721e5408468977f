//! A file's bytes seen as lines, without copying or decoding any of them.

use std::ops::Range;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Line index over a file. Lines end with LF or CRLF; a file without any LF may use lone CRs.
/// A byte order mark belongs to no line, so edits of the first line leave it in place.
pub(super) struct SourceLines<'a> {
    mark: &'a [u8],
    body: &'a [u8],
    /// Offset of each line in `body`.
    starts: Vec<usize>,
    separator: u8,
}

impl<'a> SourceLines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let has_mark = bytes.starts_with(BYTE_ORDER_MARK);
        let (mark, body) = bytes.split_at(if has_mark { BYTE_ORDER_MARK.len() } else { 0 });
        let lone_returns =
            memchr::memchr(b'\n', body).is_none() && memchr::memchr(b'\r', body).is_some();
        let separator = if lone_returns { b'\r' } else { b'\n' };
        let mut starts = Vec::new();
        if !body.is_empty() {
            starts.push(0);
            let ends = memchr::memchr_iter(separator, body).map(|at| at + 1);
            starts.extend(ends.filter(|&start| start < body.len()));
        }
        Self { mark, body, starts, separator }
    }

    /// Number of lines; the empty rest behind a final newline is not one.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The byte order mark, if there is one.
    pub(super) fn mark(&self) -> &'a [u8] {
        self.mark
    }

    /// The whole file behind the byte order mark.
    pub(super) fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Bytes of some adjacent lines, endings included.
    pub(super) fn raw(&self, lines: Range<usize>) -> &'a [u8] {
        &self.body[self.offset(lines.start)..self.offset(lines.end)]
    }

    /// A line without its ending.
    pub(super) fn text(&self, line: usize) -> &'a [u8] {
        let raw = self.raw(line..line + 1);
        &raw[..raw.len() - self.ending(line).len()]
    }

    /// How a line ends; empty only for a last line without newline.
    pub(super) fn ending(&self, line: usize) -> &'static [u8] {
        let raw = self.raw(line..line + 1);
        match raw {
            [.., b'\r', b'\n'] => b"\r\n",
            [.., b'\n'] => b"\n",
            [.., b'\r'] if self.separator == b'\r' => b"\r",
            _ => b"",
        }
    }

    /// The line that holds the byte at `offset` of the body.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Whether the file has text and its last line no ending.
    pub(super) fn lacks_final_newline(&self) -> bool {
        self.len().checked_sub(1).is_some_and(|last| self.ending(last).is_empty())
    }

    /// The ending of new lines standing between `line - 1` and `line`.
    pub(super) fn ending_near(&self, line: usize) -> &'static [u8] {
        let above = line.min(self.len()).checked_sub(1).map(|above| self.ending(above));
        let below = (line < self.len()).then(|| self.ending(line));
        // A last line without newline has a neighbour that knows, unless it is the only line.
        let further = line.min(self.len()).checked_sub(2).map(|above| self.ending(above));
        [above, below, further]
            .into_iter()
            .flatten()
            .find(|ending| !ending.is_empty())
            .unwrap_or(b"\n")
    }

    fn offset(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.body.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
        let lines = SourceLines::new(bytes);
        (0..lines.len()).map(|line| (lines.text(line), lines.ending(line))).collect()
    }

    #[test]
    fn every_ending_is_seen_as_it_is() {
        let (lf, crlf, none) = (b"\n" as &[u8], b"\r\n" as &[u8], b"" as &[u8]);
        assert_eq!(texts(b""), vec![]);
        assert_eq!(texts(b"\n"), vec![(none, lf)]);
        assert_eq!(
            texts(b"a\r\nb\rc\n\nd"),
            vec![(b"a" as &[u8], crlf), (b"b\rc", lf), (b"", lf), (b"d", none),]
        );
        assert_eq!(texts(b"a\rb"), vec![(b"a" as &[u8], b"\r" as &[u8]), (b"b", none)]);
    }

    #[test]
    fn the_byte_order_mark_stays_outside() {
        let lines = SourceLines::new(b"\xef\xbb\xbfa\nb\n");
        assert_eq!((lines.mark(), lines.text(0), lines.len()), (BYTE_ORDER_MARK, &b"a"[..], 2));
    }

    #[test]
    fn new_lines_end_like_their_neighbours() {
        let lines = SourceLines::new(b"a\r\nb\r\nc");
        assert_eq!(lines.ending_near(0), b"\r\n");
        assert_eq!(lines.ending_near(3), b"\r\n");
        assert_eq!(SourceLines::new(b"a").ending_near(1), b"\n");
        assert_eq!(SourceLines::new(b"").ending_near(0), b"\n");
    }

    #[test]
    fn finds_the_line_of_an_offset() {
        let lines = SourceLines::new(b"ab\ncd\n");
        assert_eq!([0, 2, 3, 5].map(|offset| lines.line_at(offset)), [0, 0, 1, 1]);
    }
}
