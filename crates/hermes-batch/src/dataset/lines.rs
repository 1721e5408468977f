//! The lines of files, whatever is in them: numbered, with their places, none longer than the limit.

use std::io::{self, BufRead};

/// Bytes of a line; a longer one is no row.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// What may stand around the text of a line: a byte-order mark and a line end.
const AROUND: usize = 5;

/// A line and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct PlacedLine<'a> {
    /// Counts from one.
    pub number: u32,
    /// Where it begins.
    pub offset: u64,
    /// Its bytes without the line end; `None` if it is longer than a line may be.
    pub bytes: Option<&'a [u8]>,
}

/// Reads lines one by one, with memory for one of them.
#[derive(Debug)]
pub struct LineReader<R> {
    reader: R,
    limit: usize,
    line: Vec<u8>,
    offset: u64,
    number: u32,
}

impl<R: BufRead> LineReader<R> {
    /// From the begin of a text. A line with more bytes than the limit is handed out without them.
    pub fn new(reader: R, limit: usize) -> Self {
        Self::at(reader, limit, 0, 0)
    }

    /// Goes on behind so many bytes and lines, where the reader stands already.
    pub fn at(reader: R, limit: usize, offset: u64, lines: u32) -> Self {
        Self { reader, limit, line: Vec::new(), offset, number: lines }
    }

    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many lines were handed out, those before the begin included.
    pub fn lines(&self) -> u32 {
        self.number
    }

    /// The next line. A byte-order mark before the first one is left out; the last one needs no end.
    ///
    /// # Errors
    /// What the reader says.
    pub fn next_line(&mut self) -> io::Result<Option<PlacedLine<'_>>> {
        self.line.clear();
        let mut length = 0_u64;
        let mut ended = false;
        while !ended {
            let piece = self.reader.fill_buf()?;
            if piece.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', piece);
            let taken = end.map_or(piece.len(), |end| end + 1);
            // What is too long is not kept: its length is all that counts.
            let room = (self.limit + AROUND).saturating_sub(self.line.len()).min(taken);
            self.line.extend_from_slice(&piece[..room]);
            length += taken as u64;
            ended = end.is_some();
            self.reader.consume(taken);
        }
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_whole = self.line.len() as u64 == length;
        let mut bytes = self.line.as_slice();
        bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let mut begin = self.offset;
        if self.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes = &bytes[3..];
            begin += 3;
        }
        self.offset += length;
        let fits = is_whole && bytes.len() <= self.limit;
        Ok(Some(PlacedLine { number: self.number, offset: begin, bytes: fits.then_some(bytes) }))
    }
}

/// Hands out every line of a reader, as [`LineReader::next_line`] does.
///
/// # Errors
/// What the reader says.
pub fn each_line(
    reader: impl BufRead,
    limit: usize,
    mut each: impl FnMut(PlacedLine<'_>),
) -> io::Result<()> {
    let mut lines = LineReader::new(reader, limit);
    while let Some(line) = lines.next_line()? {
        each(line);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(bytes: &[u8], limit: usize) -> Vec<(u32, u64, Option<Vec<u8>>)> {
        let mut found = Vec::new();
        let reader = io::BufReader::with_capacity(3, bytes);
        each_line(reader, limit, |line| {
            found.push((line.number, line.offset, line.bytes.map(<[u8]>::to_vec)));
        })
        .unwrap();
        found
    }

    #[test]
    fn a_line_that_is_too_long_spoils_only_itself() {
        let found = lines(b"\xef\xbb\xbfab\r\nmuch too long\ncd", 4);
        let long = (2, 7, None);
        assert_eq!(found, [(1, 3, Some(b"ab".to_vec())), long, (3, 21, Some(b"cd".to_vec()))]);
    }

    proptest! {
        #[test]
        fn every_line_is_found_again_where_it_is_said_to_be(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200)
        ) {
            for (_, offset, line) in lines(&bytes, 1000) {
                let line = line.unwrap();
                let at = usize::try_from(offset).unwrap();
                prop_assert_eq!(&bytes[at..at + line.len()], &line[..]);
            }
            let count = bytes.split_inclusive(|byte| *byte == b'\n').count();
            prop_assert_eq!(lines(&bytes, 1000).len(), count);
        }
    }
}
