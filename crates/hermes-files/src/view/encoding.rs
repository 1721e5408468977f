//! Which encoding a file is in, and wide encodings as UTF-8.
//!
//! Only a byte order mark tells the wide encodings apart from binary data, so without one a file is
//! read as UTF-8, and whatever is not UTF-8 is shown as U+FFFD. UTF-16 and UTF-32 are turned into
//! UTF-8 while they are read, a piece at a time, so that everything behind it knows one encoding only
//! and a wide file may be as large as any other.

use std::io::{self, Read, Seek, SeekFrom};

/// How the bytes of a file stand for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
    /// Neither of these: some bytes could not be read as characters.
    Unknown,
}

impl Encoding {
    /// The name shown to the reader of a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Utf32Le => "utf-32le",
            Self::Utf32Be => "utf-32be",
            Self::Unknown => "unknown",
        }
    }
}

/// The marks, the longer of two that begin alike first.
const MARKS: [(&[u8], Encoding); 5] = [
    (&[0xEF, 0xBB, 0xBF], Encoding::Utf8),
    (&[0xFF, 0xFE, 0, 0], Encoding::Utf32Le),
    (&[0, 0, 0xFE, 0xFF], Encoding::Utf32Be),
    (&[0xFF, 0xFE], Encoding::Utf16Le),
    (&[0xFE, 0xFF], Encoding::Utf16Be),
];

/// A byte order mark at the start of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bom {
    encoding: Encoding,
    len: u64,
}

impl Bom {
    /// Looks at the first bytes.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let (mark, encoding) = MARKS.into_iter().find(|(mark, _)| bytes.starts_with(mark))?;
        Some(Self { encoding, len: mark.len() as u64 })
    }

    /// Looks at the start of a file.
    pub(super) fn read(file: &mut (impl Read + Seek)) -> io::Result<Option<Self>> {
        file.seek(SeekFrom::Start(0))?;
        let mut start = Vec::with_capacity(4);
        file.take(4).read_to_end(&mut start)?;
        Ok(Self::of(&start))
    }

    /// Its size in bytes.
    pub(super) const fn len(self) -> u64 {
        self.len
    }

    /// What it announces.
    pub(super) const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// How the bytes after it are grouped, unless they are UTF-8.
    pub(super) const fn wide(self) -> Option<Wide> {
        match self.encoding {
            Encoding::Utf16Le => Some(Wide { bytes: 2, order: Order::LowFirst }),
            Encoding::Utf16Be => Some(Wide { bytes: 2, order: Order::HighFirst }),
            Encoding::Utf32Le => Some(Wide { bytes: 4, order: Order::LowFirst }),
            Encoding::Utf32Be => Some(Wide { bytes: 4, order: Order::HighFirst }),
            Encoding::Utf8 | Encoding::Unknown => None,
        }
    }
}

/// Units of more than one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    bytes: usize,
    order: Order,
}

/// Which byte of a unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    LowFirst,
    HighFirst,
}

impl Wide {
    fn unit(self, bytes: &[u8]) -> u32 {
        let join = |value, byte: &u8| value << 8 | u32::from(*byte);
        match self.order {
            Order::LowFirst => bytes.iter().rev().fold(0, join),
            Order::HighFirst => bytes.iter().fold(0, join),
        }
    }

    /// Decodes whole units; what is no character becomes U+FFFD. Returns how many were none.
    pub(super) fn decode(self, bytes: &[u8], text: &mut String) -> usize {
        let units = bytes.chunks_exact(self.bytes).map(|bytes| self.unit(bytes));
        let mut broken = 0;
        let mut add = |decoded: Option<char>| {
            broken += usize::from(decoded.is_none());
            text.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        };
        if self.bytes == 4 {
            units.for_each(|unit| add(char::from_u32(unit)));
        } else {
            char::decode_utf16(units.map(|unit| unit as u16)).for_each(|decoded| add(decoded.ok()));
        }
        broken
    }

    /// How many of these bytes can be decoded without seeing the next ones.
    fn complete(self, bytes: &[u8]) -> usize {
        let whole = bytes.len() - bytes.len() % self.bytes;
        let last = whole.checked_sub(self.bytes).map(|at| self.unit(&bytes[at..whole]));
        match last {
            // The first half of a surrogate pair waits for the second.
            Some(0xD800..=0xDBFF) if self.bytes == 2 => whole - self.bytes,
            _ => whole,
        }
    }
}

/// Reads a wide encoding as UTF-8.
#[derive(Debug)]
pub(super) struct Transcoder<'a, R> {
    inner: &'a mut R,
    wide: Wide,
    raw: Vec<u8>,
    text: String,
    given: usize,
    bytes_read: u64,
    at_end: bool,
}

/// Raw bytes decoded at a time.
const RAW_BYTES: usize = 64 * 1024;

impl<'a, R: Read> Transcoder<'a, R> {
    pub(super) fn new(inner: &'a mut R, wide: Wide) -> Self {
        let (raw, text) = (Vec::new(), String::new());
        Self { inner, wide, raw, text, given: 0, bytes_read: 0, at_end: false }
    }

    /// Bytes taken from the file so far.
    pub(super) const fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Decodes the next raw bytes; at the end also those that are no whole unit.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.given = 0;
        while self.text.is_empty() && !self.at_end {
            let read = (&mut *self.inner).take(RAW_BYTES as u64).read_to_end(&mut self.raw)?;
            self.bytes_read += read as u64;
            self.at_end = read == 0;
            let complete = if self.at_end { self.raw.len() } else { self.wide.complete(&self.raw) };
            self.wide.decode(&self.raw[..complete], &mut self.text);
            if self.at_end && !complete.is_multiple_of(self.wide.bytes) {
                self.text.push(char::REPLACEMENT_CHARACTER);
            }
            self.raw.drain(..complete);
        }
        Ok(())
    }
}

impl<R: Read> Read for Transcoder<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.text.len() {
            self.refill()?;
        }
        let rest = &self.text.as_bytes()[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives a few bytes at a time, as a pipe would.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(3);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn the_longer_mark_wins() {
        let encoding = |bytes: &[u8]| Bom::of(bytes).map(Bom::encoding);
        assert_eq!(encoding(b"\xFF\xFE\0\0"), Some(Encoding::Utf32Le));
        assert_eq!(encoding(b"\xFF\xFEa\0"), Some(Encoding::Utf16Le));
        assert_eq!(encoding(b"\xEF\xBB\xBF"), Some(Encoding::Utf8));
        assert_eq!(encoding(b"\xEF\xBB"), None);
    }

    proptest! {
        #[test]
        fn transcoding_gives_the_text_back(text in any::<String>()) {
            let wide = Bom::of(b"\xFE\xFF").and_then(Bom::wide).unwrap();
            let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let mut source = Trickle(&bytes);
            let mut transcoder = Transcoder::new(&mut source, wide);
            let mut decoded = String::new();
            transcoder.read_to_string(&mut decoded).unwrap();
            prop_assert_eq!(transcoder.bytes_read(), bytes.len() as u64);
            prop_assert_eq!(decoded, text);
        }
    }
}
