//! Bytes of a program's output, cut into lines of bounded length.
//!
//! A line beyond [`MAX_MESSAGE_BYTES`] is thrown away while it arrives, and what follows it is read as
//! if nothing had been. Of its text only both ends are kept: servers write the number of the request
//! first or last, and the caller who waits for this answer is to hear what became of it.

use memchr::memchr;

use super::MAX_MESSAGE_BYTES;

/// Room made for each read: what a pipe holds.
const CHUNK_BYTES: usize = 64 * 1024;
/// How much of both ends of a line that is too long is kept.
const EDGE_BYTES: usize = 1024;
/// A buffer that has grown beyond this for one long line is given back after it.
const IDLE_BUFFER_BYTES: usize = 1024 * 1024;

/// Something between two line ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OutputLine<'a> {
    /// A line without its end.
    Whole(&'a [u8]),
    /// What is left of a line that was too long.
    TooLong { head: &'a [u8], tail: &'a [u8] },
}

/// Takes bytes and gives lines.
#[derive(Debug)]
pub(super) struct LineReader {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no line end.
    searched: usize,
    /// The beginning of the line that is being thrown away.
    head: Vec<u8>,
    is_skipping: bool,
    skipped: usize,
    limit: usize,
}

impl Default for LineReader {
    fn default() -> Self {
        Self::with_limit(MAX_MESSAGE_BYTES)
    }
}

impl LineReader {
    fn with_limit(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            searched: 0,
            head: Vec::new(),
            is_skipping: false,
            skipped: 0,
            limit,
        }
    }

    /// The buffer, with room for the next bytes behind those that are there.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.start);
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        if self.bytes.len() > self.limit && !self.is_skipping {
            self.is_skipping = true;
            self.skipped = 0;
            self.head = self.bytes.get(..EDGE_BYTES).unwrap_or(&self.bytes).to_vec();
        }
        if self.is_skipping {
            let passed = self.bytes.len().saturating_sub(EDGE_BYTES);
            self.bytes.drain(..passed);
            self.searched = self.searched.saturating_sub(passed);
            self.skipped += passed;
        }
        if self.bytes.capacity() > IDLE_BUFFER_BYTES && self.bytes.len() < CHUNK_BYTES {
            self.bytes.shrink_to(CHUNK_BYTES);
        }
        self.bytes.reserve(CHUNK_BYTES);
        &mut self.bytes
    }

    /// How much of the present line has been thrown away.
    pub(super) fn skipped(&self) -> usize {
        if self.is_skipping { self.skipped } else { 0 }
    }

    /// The next line, if its end is there.
    pub(super) fn next_line(&mut self) -> Option<OutputLine<'_>> {
        let from = self.searched.max(self.start);
        let Some(at) = memchr(b'\n', self.bytes.get(from..)?) else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = from + at;
        let line = self.bytes.get(self.start..end).unwrap_or_default();
        self.start = end + 1;
        self.searched = self.start;
        if std::mem::take(&mut self.is_skipping) {
            return Some(OutputLine::TooLong { head: &self.head, tail: line });
        }
        if line.len() > self.limit {
            let (head, tail) =
                (line.get(..EDGE_BYTES), line.get(line.len().saturating_sub(EDGE_BYTES)..));
            let (head, tail) = (head.unwrap_or(line), tail.unwrap_or(line));
            return Some(OutputLine::TooLong { head, tail });
        }
        Some(OutputLine::Whole(line))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines of bytes that arrive in these pieces; too long ones as their kept ends.
    fn lines(reader: &mut LineReader, pieces: &[&[u8]]) -> Vec<(bool, Vec<u8>)> {
        let mut found = Vec::new();
        for piece in pieces {
            reader.buffer().extend_from_slice(piece);
            while let Some(line) = reader.next_line() {
                found.push(match line {
                    OutputLine::Whole(line) => (true, line.to_vec()),
                    OutputLine::TooLong { head, tail } => (false, [head, tail].concat()),
                });
            }
        }
        found
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        let limit = 8 * EDGE_BYTES;
        let mut reader = LineReader::with_limit(limit);
        let piece = vec![b'x'; limit];
        let found =
            lines(&mut reader, &[b"HEAD", &piece, &piece, &piece, b"TAIL\nnext\n", b"after\n"]);
        let [(false, ends), (true, next), (true, after)] = &found[..] else { panic!("{found:?}") };
        assert!(ends.starts_with(b"HEAD") && ends.ends_with(b"TAIL"));
        assert!(ends.len() <= 2 * EDGE_BYTES + limit, "{}", ends.len());
        assert_eq!((&next[..], &after[..]), (&b"next"[..], &b"after"[..]));
        assert!(reader.bytes.capacity() <= 4 * CHUNK_BYTES + 4 * limit);
    }

    #[test]
    fn what_is_thrown_away_takes_no_memory() {
        let limit = 8 * EDGE_BYTES;
        let mut reader = LineReader::with_limit(limit);
        let piece = vec![b'x'; CHUNK_BYTES];
        for _ in 0..100 {
            reader.buffer().extend_from_slice(&piece);
            assert_eq!(reader.next_line(), None);
        }
        assert!(reader.skipped() > 90 * CHUNK_BYTES, "{}", reader.skipped());
        assert!(reader.bytes.capacity() <= 4 * CHUNK_BYTES, "{}", reader.bytes.capacity());
    }

    proptest! {
        #[test]
        fn lines_are_the_same_however_the_bytes_are_cut(
            text in "[ab\n]{0,200}",
            cuts in proptest::collection::vec(0usize..200, 0..12),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let found = lines(&mut LineReader::default(), &pieces);
            let mut wanted: Vec<&str> = text.split('\n').collect();
            wanted.pop();
            prop_assert_eq!(found.len(), wanted.len());
            for ((is_whole, line), wanted) in found.iter().zip(wanted) {
                prop_assert!(*is_whole);
                prop_assert_eq!(&line[..], wanted.as_bytes());
            }
        }
    }
}
