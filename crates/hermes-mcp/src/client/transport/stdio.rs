//! A server that is a program of ours: one JSON message a line on its standard streams.
//!
//! Reading is done by the SDK's task for this connection; what it sends, and our own requests, go
//! into the pipe right where they are made (see [`lane`](super::lane)). Only a pipe that is full makes
//! anybody wait.
//!
//! The end of the program is noticed by the end of its output, or by its exit, whichever is first: a
//! grandchild may hold the pipe open. The whole tree is owned by its warden (`hermes-process`), so
//! however we end, nothing of it stays.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hermes_process::{Child, Command, Output, OutputPipe, ProcessError, Stdin};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::{Instant, timeout};

use super::decode::Decoder;
use super::environment::Program;
use super::lane::{Lane, SendError, Sending};
use super::tap::Wire;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;
/// Longest line taken; a server that goes on beyond is broken.
const LONGEST_LINE: usize = 512 * 1024 * 1024;
/// How long output may still arrive after the program has ended.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// How long a program may take to end after its input has, and after SIGTERM.
const CLOSING: Duration = Duration::from_secs(2);

/// The connection to a running program.
pub(crate) struct Stdio {
    child: Child,
    lane: Arc<Lane>,
    reader: Option<OutputPipe>,
    lines: Lines,
    decoder: Decoder,
    ready: VecDeque<ServerJsonRpcMessage>,
    /// Set when the program has ended: the last moment for its output.
    until: Option<Instant>,
}

impl Stdio {
    /// Starts the program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(
        program: Program,
        args: &[String],
        errors: std::fs::File,
        wire: Arc<Wire>,
    ) -> Result<Self, ProcessError> {
        let mut child = Command::new(program.file)
            .args(args.iter().cloned())
            .envs(program.env)
            .stdin(Stdin::Piped)
            .output(Output::ErrorsToFile(errors))
            .spawn()?;
        Ok(Self {
            lane: Lane::new(child.take_stdin(), wire),
            reader: child.take_stdout(),
            child,
            lines: Lines::default(),
            decoder: Decoder::default(),
            ready: VecDeque::new(),
            until: None,
        })
    }

    /// The short way to the program.
    pub(crate) fn lane(&self) -> Arc<Lane> {
        Arc::clone(&self.lane)
    }

    /// Reads what is there; says whether more may come.
    fn fill(&mut self) -> io::Result<Filled> {
        let Some(reader) = &self.reader else { return Ok(Filled::End) };
        match self.lines.fill_from(reader) {
            Ok(0) => Ok(Filled::End),
            Ok(_) => Ok(Filled::Some),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Filled::Nothing),
            Err(error) => Err(error),
        }
    }
}

enum Filled {
    Some,
    Nothing,
    End,
}

impl Transport<RoleClient> for Stdio {
    type Error = SendError;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let started = self.lane.send(&item);
        async move {
            match started? {
                Sending::Done => Ok(()),
                Sending::Later(told) => told.await.unwrap_or(Err(SendError::Closed)),
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if let Some(line) = self.lines.next_line() {
                let line = self.lines.slice(line);
                let messages = self.decoder.decode(line);
                self.ready.extend(messages.into_iter().filter_map(|found| self.lane.settle(found)));
                // A flood of noise must not keep others from running.
                tokio::task::consume_budget().await;
                continue;
            }
            match self.fill() {
                Ok(Filled::Some) if self.lines.unfinished() <= LONGEST_LINE => continue,
                Ok(Filled::Nothing) => {}
                Ok(_) | Err(_) => return None,
            }
            let reader = self.reader.as_ref()?;
            let handle = self.child.handle();
            match self.until {
                // Nothing here is lost when this future is dropped half way.
                None => tokio::select! {
                    ready = reader.readable() => { ready.ok()?; }
                    _ = handle.wait() => self.until = Some(Instant::now() + LAST_WORDS),
                },
                Some(until) => tokio::select! {
                    ready = reader.readable() => { ready.ok()?; }
                    () = tokio::time::sleep_until(until) => return None,
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // The end of its input asks a server to leave. One that does not read is not waited for.
        self.lane.close(CLOSING).await;
        self.reader.take();
        let handle = self.child.handle();
        let left = timeout(CLOSING, handle.wait()).await.is_ok();
        // Also when the program has left by itself: its children may not have.
        let grace = if left { Duration::ZERO } else { CLOSING };
        if let Err(error) = self.child.terminate(grace).await {
            tracing::warn!(%error, "a server's program could not be ended");
        }
        Ok(())
    }
}

/// Output on its way to becoming lines.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no line end.
    searched: usize,
}

impl Lines {
    fn fill_from(&mut self, reader: &OutputPipe) -> io::Result<usize> {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.searched = self.searched.saturating_sub(self.start);
            self.start = 0;
        }
        self.bytes.reserve(CHUNK);
        reader.try_read_buf(&mut self.bytes)
    }

    /// The next whole line without its end.
    fn next_line(&mut self) -> Option<std::ops::Range<usize>> {
        let from = self.searched.max(self.start);
        match memchr::memchr(b'\n', self.bytes.get(from..)?) {
            Some(at) => {
                let line = self.start..from + at;
                self.start = from + at + 1;
                self.searched = self.start;
                Some(line)
            }
            None => {
                self.searched = self.bytes.len();
                None
            }
        }
    }

    fn slice(&self, line: std::ops::Range<usize>) -> &[u8] {
        self.bytes.get(line).unwrap_or_default()
    }

    /// How much of a line without an end is there.
    fn unfinished(&self) -> usize {
        self.bytes.len() - self.start
    }
}
