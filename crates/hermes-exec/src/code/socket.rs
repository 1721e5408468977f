//! The socket a script on this machine calls through.
//!
//! It lies in the run's own folder, which only we can enter, is closed to other users by its mode, and
//! hangs up on whoever is not us all the same: a folder can be opened by mistake. Several connections
//! and, on each, several calls may be under way at once; all of it is one future, and dropping that
//! ends every call.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{sleep, timeout};

use super::calls::{Desk, mistake};

/// Calls under way at once on one connection; more wait.
const MAX_AT_ONCE: usize = 32;
/// Connections at once; more wait.
const MAX_CONNECTIONS: usize = 64;
/// The longest request. Files are written through it.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Room for what is read at once.
const READ_SIZE: usize = 8 << 10;
/// Between attempts to accept a connection.
const PAUSE: Duration = Duration::from_millis(10);
/// How long, and how much, somebody is listened to who is turned away.
const FAREWELL: Duration = Duration::from_secs(1);
const MAX_FAREWELL_BYTES: u64 = 64 << 10;

/// Opens the socket.
pub(super) fn open(path: &Path) -> std::io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Answers whoever connects, for ever.
pub(super) async fn serve(listener: UnixListener, desk: Desk) {
    let mut connections = FuturesUnordered::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                match accepted {
                    Ok((stream, _)) => connections.push(attend(stream, &desk)),
                    // Out of descriptors, most likely: the next one may have more luck.
                    Err(error) => {
                        tracing::debug!(%error, "a script could not connect");
                        sleep(PAUSE).await;
                    }
                }
            }
            Some(()) = connections.next() => {}
        }
    }
}

async fn attend(mut stream: UnixStream, desk: &Desk) {
    let own = nix::unistd::geteuid().as_raw();
    let theirs = stream.peer_cred().map(|peer| peer.uid());
    if !matches!(theirs, Ok(uid) if uid == own) {
        tracing::warn!(?theirs, "another user tried to call tools through the socket of a script");
        let refusal = mistake("this socket serves one user, and you are another");
        let _ = timeout(FAREWELL, turn_away(stream, &refusal)).await;
        return;
    }
    let (read, mut write) = stream.split();
    let mut lines = Lines::new(read);
    let mut calls = FuturesUnordered::new();
    let mut goes_on = true;
    while goes_on || !calls.is_empty() {
        tokio::select! {
            line = lines.next(), if goes_on && calls.len() < MAX_AT_ONCE => match line {
                Some(Line::Whole(line)) => calls.push(desk.answer(line)),
                Some(Line::TooLong) => {
                    let most = MAX_REQUEST_BYTES >> 20;
                    let told = mistake(&format!("a request may have {most} MiB at most"));
                    goes_on = write.write_all(format!("{told}\n").as_bytes()).await.is_ok();
                }
                None => goes_on = false,
            },
            Some(reply) = calls.next() => {
                if write.write_all(&reply).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Hangs up; what was said is read, or the other one would not hear why.
async fn turn_away(mut stream: UnixStream, refusal: &str) -> std::io::Result<()> {
    stream.write_all(format!("{refusal}\n").as_bytes()).await?;
    stream.shutdown().await?;
    let mut said = stream.take(MAX_FAREWELL_BYTES);
    tokio::io::copy(&mut said, &mut tokio::io::sink()).await?;
    Ok(())
}

/// One line of a connection.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    /// It was read to its end and thrown away.
    TooLong,
}

/// A stream as lines. Waiting for one can be given up and taken up again.
struct Lines<R> {
    stream: R,
    buffer: Vec<u8>,
    /// How far the buffer has been looked through.
    seen: usize,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(stream: R) -> Self {
        Self { stream, buffer: Vec::new(), seen: 0, skipping: false }
    }

    /// The next line without its end; blank ones are passed over.
    async fn next(&mut self) -> Option<Line> {
        loop {
            let fresh = self.buffer.get(self.seen..).unwrap_or_default();
            if let Some(at) = fresh.iter().position(|byte| *byte == b'\n') {
                // Copied out, so that the room stays for the next one.
                let end = self.seen + at;
                let line = self.buffer.get(..end).unwrap_or_default().to_vec();
                self.buffer.drain(..=end);
                self.seen = 0;
                if std::mem::take(&mut self.skipping) {
                    return Some(Line::TooLong);
                }
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                return Some(Line::Whole(line));
            }
            self.seen = self.buffer.len();
            if self.buffer.len() > MAX_REQUEST_BYTES {
                self.buffer.clear();
                self.seen = 0;
                self.skipping = true;
            }
            self.buffer.reserve(READ_SIZE);
            if !matches!(self.stream.read_buf(&mut self.buffer).await, Ok(1..)) {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_whole_however_they_arrive() {
        let (mut there, here) = tokio::io::duplex(4);
        let talking = tokio::spawn(async move {
            there.write_all(b"one\n\n  \ntwo\nhalf").await.unwrap();
        });
        let mut lines = Lines::new(here);
        assert_eq!(lines.next().await, Some(Line::Whole(b"one".to_vec())));
        assert_eq!(lines.next().await, Some(Line::Whole(b"two".to_vec())));
        assert_eq!(lines.next().await, None, "half a line is none");
        talking.await.unwrap();
    }

    #[tokio::test]
    async fn a_line_without_end_is_thrown_away_and_told() {
        let (mut there, here) = tokio::io::duplex(1 << 20);
        let talking = tokio::spawn(async move {
            let piece = vec![b'x'; 1 << 20];
            for _ in 0..=MAX_REQUEST_BYTES >> 20 {
                there.write_all(&piece).await.unwrap();
            }
            there.write_all(b"x\nnext\n").await.unwrap();
        });
        let mut lines = Lines::new(here);
        assert_eq!(lines.next().await, Some(Line::TooLong));
        assert_eq!(lines.next().await, Some(Line::Whole(b"next".to_vec())));
        talking.await.unwrap();
    }
}
