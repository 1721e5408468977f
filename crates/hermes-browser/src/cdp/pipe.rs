//! Messages over the pipes of a browser that we started: JSON texts, each with a zero byte behind it.

use hermes_process::{InputPipe, OutputPipe};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::{INCOMING, LONGEST_MESSAGE, Transport};

/// How much is read at once.
const CHUNK: usize = 64 << 10;
/// A buffer that grew beyond this for one message is given back after it.
const KEPT_BUFFER: usize = 1 << 20;

/// Carries messages over the pipes of a child.
pub(crate) fn pipe_transport(mut input: InputPipe, output: OutputPipe) -> Transport {
    let (outgoing, mut to_send) = mpsc::unbounded_channel::<String>();
    let (received, incoming) = mpsc::channel(INCOMING);
    tokio::spawn(async move {
        while let Some(message) = to_send.recv().await {
            let mut bytes = message.into_bytes();
            bytes.push(0);
            if input.write_all(&bytes).await.is_err() {
                // The reader notices too, and says so.
                break;
            }
        }
    });
    tokio::spawn(async move {
        let end = read_messages(output, &received).await;
        let _ = received.send(Err(end)).await;
    });
    Transport { outgoing, incoming }
}

/// Reads until the end and gives the reason for it.
async fn read_messages(
    mut output: OutputPipe,
    received: &mpsc::Sender<Result<Vec<u8>, String>>,
) -> String {
    let mut messages = Messages::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = tokio::select! {
            read = output.read(&mut chunk) => read,
            () = received.closed() => return String::new(),
        };
        match read {
            Ok(0) => return "the browser has ended".to_owned(),
            Ok(length) => messages.add(&chunk[..length]),
            Err(error) => return error.to_string(),
        }
        while let Some(message) = messages.next() {
            if received.send(Ok(message)).await.is_err() {
                return String::new();
            }
        }
        if messages.waiting() > LONGEST_MESSAGE {
            return "the browser sent a message that is too long".to_owned();
        }
    }
}

/// Cuts a stream of bytes at its zeros, looking at each byte once.
#[derive(Default)]
struct Messages {
    bytes: Vec<u8>,
    /// Where the next message begins.
    start: usize,
    /// Up to here there is no zero.
    searched: usize,
}

impl Messages {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let Some(at) = memchr::memchr(0, &self.bytes[self.searched..]) else {
            self.searched = self.bytes.len();
            if self.start > 0 {
                self.bytes.drain(..self.start);
                self.searched -= self.start;
                self.start = 0;
            }
            return None;
        };
        let end = self.searched + at;
        let message = self.bytes[self.start..end].to_vec();
        self.start = end + 1;
        self.searched = self.start;
        if self.start == self.bytes.len() {
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_BUFFER);
            self.start = 0;
            self.searched = 0;
        }
        Some(message)
    }

    fn waiting(&self) -> usize {
        self.bytes.len() - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_are_the_same_however_the_stream_is_cut(
            messages in prop::collection::vec("[a-z]{0,20}", 0..12),
            cuts in prop::collection::vec(1..15_usize, 1..60),
        ) {
            let mut stream = Vec::new();
            for message in &messages {
                stream.extend_from_slice(message.as_bytes());
                stream.push(0);
            }
            let mut reader = Messages::default();
            let mut found = Vec::new();
            let mut rest = stream.as_slice();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                reader.add(now);
                rest = later;
                while let Some(message) = reader.next() {
                    found.push(String::from_utf8(message).unwrap());
                }
            }
            prop_assert_eq!(found, messages);
            prop_assert_eq!(reader.waiting(), 0);
        }
    }
}
