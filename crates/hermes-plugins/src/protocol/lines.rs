//! Reading lines of a bounded length.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Bytes kept of the beginning of a line that is too long.
const KEPT_OF_LONG: usize = 256;

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ProtocolLine {
    /// All of it, without its end.
    Whole(Vec<u8>),
    /// It was too long; this is how it began, and how long it was.
    TooLong { beginning: Vec<u8>, bytes: u64 },
}

/// Cuts a stream into lines and never holds more than one of them, up to a limit.
pub(crate) struct ProtocolLines<R> {
    reader: BufReader<R>,
    limit: usize,
}

impl<R: AsyncRead + Unpin> ProtocolLines<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, reader), limit }
    }

    /// The next line; `None` at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<ProtocolLine>> {
        let (mut line, mut dropped) = (Vec::new(), 0_u64);
        loop {
            let part = self.reader.fill_buf().await?;
            if part.is_empty() {
                let nothing = line.is_empty() && dropped == 0;
                return Ok((!nothing).then(|| ended(line, dropped)));
            }
            let (text, used, is_end) = match part.iter().position(|byte| *byte == b'\n') {
                Some(at) => (&part[..at], at + 1, true),
                None => (part, part.len(), false),
            };
            if dropped == 0 && line.len() + text.len() <= self.limit {
                line.extend_from_slice(text);
            } else {
                dropped += text.len() as u64;
                if line.len() > KEPT_OF_LONG {
                    dropped += (line.len() - KEPT_OF_LONG) as u64;
                    line.truncate(KEPT_OF_LONG);
                    line.shrink_to_fit();
                }
            }
            self.reader.consume(used);
            if is_end {
                return Ok(Some(ended(line, dropped)));
            }
        }
    }
}

fn ended(line: Vec<u8>, dropped: u64) -> ProtocolLine {
    match dropped {
        0 => ProtocolLine::Whole(line),
        dropped => {
            let bytes = dropped + line.len() as u64;
            ProtocolLine::TooLong { beginning: line, bytes }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], limit: usize) -> Vec<ProtocolLine> {
        let mut lines = ProtocolLines::new(text, limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn a_long_line_is_skipped_and_the_next_one_is_read() {
        let text = format!("one\n{}\ntwo", "x".repeat(1_000_000));
        let all = lines(text.as_bytes(), 1_000).await;
        assert_eq!(all[0], ProtocolLine::Whole(b"one".to_vec()));
        let ProtocolLine::TooLong { beginning, bytes } = &all[1] else { panic!("{:?}", all[1]) };
        assert!(beginning.len() <= 1_000 && *bytes == 1_000_000, "{bytes}");
        assert_eq!(all[2], ProtocolLine::Whole(b"two".to_vec()));
    }

    #[tokio::test]
    async fn empty_lines_are_lines_and_an_empty_stream_has_none() {
        assert_eq!(lines(b"\n\n", 10).await.len(), 2);
        assert!(lines(b"", 10).await.is_empty());
    }
}
