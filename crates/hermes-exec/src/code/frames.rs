//! What is said between us and the process that stands beside a script elsewhere.
//!
//! Each message is a letter, its length in four bytes, and so many bytes. Before the first one
//! comes a line that only that process can write, so that what a banner or a start-up file prints
//! is passed over.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The longest message; what claims to be longer is none of ours.
const MAX_BYTES: usize = 80 << 20;
/// What may come before the first message.
const MAX_NOISE: usize = 1 << 20;
/// Room for what is read at once.
const READ_SIZE: usize = 64 << 10;
/// Letter and length.
const HEADER: usize = 5;

/// What the process elsewhere says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HelperMessage {
    /// The script wrote this.
    Stdout(Vec<u8>),
    /// The script wrote this to its error output.
    Stderr(Vec<u8>),
    /// A line of a call; the answer goes to the same caller.
    Call { caller: [u8; 4], line: Vec<u8> },
    /// The script has ended with this code, its folder is gone.
    Ended(Option<i32>),
    /// The script could not be started, for this reason.
    Failed(String),
    /// The line before the first message; there is a Python.
    Ready,
    /// The line that says that there is no Python.
    NoPython,
}

/// A message to the process elsewhere.
pub(super) fn message(letter: u8, payload: &[&[u8]]) -> Vec<u8> {
    let length: usize = payload.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER + length);
    bytes.push(letter);
    bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    for part in payload {
        bytes.extend_from_slice(part);
    }
    bytes
}

/// The messages of a stream. Waiting for one can be given up and taken up again.
pub(super) struct Messages<R> {
    stream: R,
    buffer: Vec<u8>,
    /// What the first line says; nothing once it was seen.
    mark: Option<String>,
}

impl<R: AsyncRead + Unpin> Messages<R> {
    pub(super) fn new(stream: R, mark: String) -> Self {
        Self { stream, buffer: Vec::new(), mark: Some(mark) }
    }

    /// The next message; nothing when the stream has ended or makes no sense any more.
    pub(super) async fn next(&mut self) -> Option<HelperMessage> {
        loop {
            match self.take() {
                Some(Ok(heard)) => return Some(heard),
                Some(Err(())) => return None,
                None => {}
            }
            self.buffer.reserve(READ_SIZE);
            if !matches!(self.stream.read_buf(&mut self.buffer).await, Ok(1..)) {
                return None;
            }
        }
    }

    /// What came before the first message: the words of whoever did not start it.
    pub(super) fn noise(&self) -> String {
        match self.mark {
            Some(_) => String::from_utf8_lossy(&self.buffer).trim().to_owned(),
            None => String::new(),
        }
    }

    fn take(&mut self) -> Option<Result<HelperMessage, ()>> {
        if let Some(mark) = &self.mark {
            let at = find(&self.buffer, mark.as_bytes())?;
            let end = self.buffer.get(at..)?.iter().position(|byte| *byte == b'\n')?;
            let line: Vec<u8> = self.buffer.drain(..=at + end).skip(at).collect();
            let said = String::from_utf8_lossy(&line).trim() == mark.as_str();
            self.mark = None;
            return Some(Ok(if said { HelperMessage::Ready } else { HelperMessage::NoPython }));
        }
        let letter = *self.buffer.first()?;
        let length = self.buffer.get(1..HEADER)?.try_into().map(u32::from_be_bytes).ok()? as usize;
        if length > MAX_BYTES {
            return Some(Err(()));
        }
        // Copied out, so that the room stays for the next one.
        let payload = self.buffer.get(HEADER..HEADER + length)?.to_vec();
        self.buffer.drain(..HEADER + length);
        Some(read(letter, payload).ok_or(()))
    }
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    let searched = bytes.get(..bytes.len().min(MAX_NOISE))?;
    searched.windows(mark.len()).position(|window| window == mark)
}

fn read(letter: u8, mut payload: Vec<u8>) -> Option<HelperMessage> {
    Some(match letter {
        b'o' => HelperMessage::Stdout(payload),
        b'e' => HelperMessage::Stderr(payload),
        b'q' => {
            let line = payload.split_off(payload.len().min(4));
            HelperMessage::Call { caller: payload.try_into().ok()?, line }
        }
        b'x' => HelperMessage::Ended(String::from_utf8_lossy(&payload).parse().ok()),
        b'f' => HelperMessage::Failed(String::from_utf8_lossy(&payload).into_owned()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn hear(bytes: &[u8]) -> Vec<HelperMessage> {
        let mut messages = Messages::new(bytes, "mark-1".to_owned());
        let mut heard = Vec::new();
        while let Some(one) = messages.next().await {
            heard.push(one);
        }
        heard
    }

    #[tokio::test]
    async fn messages_come_after_whatever_a_banner_says() {
        let mut bytes = b"Welcome!\nmark-1\n".to_vec();
        bytes.extend(message(b'o', &[b"out", b"put"]));
        bytes.extend(message(b'q', &[&[0, 0, 0, 9], b"{}"]));
        bytes.extend(message(b'x', &[b"-15"]));
        let expected = [
            HelperMessage::Ready,
            HelperMessage::Stdout(b"output".to_vec()),
            HelperMessage::Call { caller: [0, 0, 0, 9], line: b"{}".to_vec() },
            HelperMessage::Ended(Some(-15)),
        ];
        assert_eq!(hear(&bytes).await, expected);
        assert_eq!(hear(b"mark-1-none\n").await, [HelperMessage::NoPython]);
    }

    #[tokio::test]
    async fn nonsense_ends_the_conversation() {
        assert_eq!(hear(b"mark-1\nz\0\0\0\0").await, [HelperMessage::Ready]);
        assert_eq!(hear(b"mark-1\no\xff\xff\xff\xff").await, [HelperMessage::Ready]);
        assert_eq!(hear(b"mark-1\nq\0\0\0\x01a").await, [HelperMessage::Ready]);
        let mut messages = Messages::new(&b"bash: no such thing\n"[..], "mark-1".to_owned());
        assert_eq!(messages.next().await, None);
        assert_eq!(messages.noise(), "bash: no such thing");
    }
}
