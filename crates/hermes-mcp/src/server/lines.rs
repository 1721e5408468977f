//! Messages of a client as lines of JSON.
//!
//! The library's own transport says nothing to text that is no JSON, and a client that waits for an
//! answer waits for ever. Here it is told what was wrong ([`unreadable`](super::unreadable)).

use std::io;
use std::sync::Arc;

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::unreadable::{self, Unreadable};

/// The longest message a client may send, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A client on a pair of streams.
pub(super) struct LineTransport<R, W> {
    read: BufReader<R>,
    /// The line so far: reading may be interrupted between any two bytes.
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is being skipped.
    skipping: bool,
    write: Arc<Mutex<Option<W>>>,
}

/// What the next bytes brought.
enum Arrived {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W) -> Self {
        let write = Arc::new(Mutex::new(Some(write)));
        Self { read: BufReader::new(read), line: Vec::new(), skipping: false, write }
    }

    async fn next_line(&mut self) -> Arrived {
        loop {
            let bytes = match self.read.fill_buf().await {
                Ok(bytes) if !bytes.is_empty() => bytes,
                // The last line may lack its end.
                _ if !self.line.is_empty() => return Arrived::Line(std::mem::take(&mut self.line)),
                _ => return Arrived::End,
            };
            let end = memchr::memchr(b'\n', bytes);
            let taken = end.map_or(bytes.len(), |end| end + 1);
            let fits = self.line.len() + taken <= MAX_MESSAGE_BYTES;
            if fits && !self.skipping {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.read.consume(taken);
            let was_skipping = self.skipping;
            self.skipping = (was_skipping || !fits) && end.is_none();
            if !fits && !was_skipping {
                self.line = Vec::new();
                return Arrived::TooLong;
            }
            if end.is_some() && !was_skipping {
                return Arrived::Line(std::mem::take(&mut self.line));
            }
        }
    }

    /// Answers without waiting: reading may be interrupted, and half an answer would be worse than none.
    fn answer(&self, message: &Value) {
        let write = Arc::clone(&self.write);
        let line = format!("{message}\n");
        tokio::spawn(async move { write_line(&write, line.as_bytes()).await });
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    write: &Mutex<Option<W>>,
    line: &[u8],
) -> io::Result<()> {
    let mut write = write.lock().await;
    let Some(write) = write.as_mut() else {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "the client is gone"));
    };
    write.write_all(line).await?;
    write.flush().await
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            write_line(&write, &line).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.next_line().await {
                Arrived::Line(line) => line,
                Arrived::TooLong => {
                    self.answer(&unreadable::parse_error("the message is longer than 64 MiB"));
                    continue;
                }
                Arrived::End => return None,
            };
            let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line).trim_ascii();
            if text.is_empty() {
                continue;
            }
            match serde_json::from_slice(text) {
                Ok(message) => return Some(message),
                Err(why) => match Unreadable::of(text) {
                    Some(problem) => self.answer(&problem.answer()),
                    None => tracing::debug!(%why, "a message that needs no answer was left out"),
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}
