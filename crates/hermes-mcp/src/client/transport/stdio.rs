//! A server that is a program of ours: one JSON message a line on its standard streams.
//!
//! The way of a message is short on purpose. Sending writes to the pipe right where it is called;
//! only a pipe that is full makes anybody wait. Receiving is done by the task that needs the message.
//! No thread and no further task stands between a caller and the program.
//!
//! The end of the program is noticed by the end of its output, or by its exit, whichever is first: a
//! grandchild may hold the pipe open. The whole tree is owned by its warden (`hermes-process`), so
//! however we end, nothing of it stays.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hermes_process::{Child, Command, InputPipe, Output, OutputPipe, ProcessError, Stdin};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{Instant, timeout};

use super::decode::Decoder;
use super::environment::Program;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;
/// Longest line taken; a server that goes on beyond is broken.
const LONGEST_LINE: usize = 512 * 1024 * 1024;
/// How long output may still arrive after the program has ended.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// How long a program may take to end after its input has, and after SIGTERM.
const CLOSING: Duration = Duration::from_secs(2);

/// Why a message could not be sent. It has not reached the program, or not whole.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("the program has ended")]
    Closed,
    #[error("the program takes no more input: {0}")]
    Pipe(io::Error),
    #[error("the message cannot be written: {0}")]
    Encode(serde_json::Error),
}

type Writer = Arc<Mutex<Option<InputPipe>>>;

/// The connection to a running program.
pub(crate) struct Stdio {
    child: Child,
    writer: Writer,
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
    ) -> Result<Self, ProcessError> {
        let mut child = Command::new(program.file)
            .args(args.iter().cloned())
            .envs(program.env)
            .stdin(Stdin::Piped)
            .output(Output::ErrorsToFile(errors))
            .spawn()?;
        Ok(Self {
            writer: Arc::new(Mutex::new(child.take_stdin())),
            reader: child.take_stdout(),
            child,
            lines: Lines::default(),
            decoder: Decoder::default(),
            ready: VecDeque::new(),
            until: None,
        })
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
        let started = start_sending(&self.writer, &item);
        let writer = Arc::clone(&self.writer);
        async move {
            let (guard, rest) = match started? {
                Sending::Done => return Ok(()),
                Sending::Rest(guard, rest) => (guard, rest),
                // Waiters are served in order, so messages stay in order.
                Sending::Busy(bytes) => (writer.lock_owned().await, bytes),
            };
            finish_sending(guard, &rest).await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if let Some(line) = self.lines.next_line() {
                let line = self.lines.slice(line);
                self.ready.extend(self.decoder.decode(line));
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
        if let Ok(mut writer) = timeout(CLOSING, self.writer.lock()).await {
            writer.take();
        }
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

/// How far a message got without waiting.
enum Sending {
    Done,
    /// The pipe is full; this much is left, and it is our turn.
    Rest(OwnedMutexGuard<Option<InputPipe>>, Vec<u8>),
    /// It is somebody else's turn.
    Busy(Vec<u8>),
}

fn start_sending(writer: &Writer, item: &ClientJsonRpcMessage) -> Result<Sending, SendError> {
    let mut bytes = serde_json::to_vec(item).map_err(SendError::Encode)?;
    bytes.push(b'\n');
    let Ok(guard) = Arc::clone(writer).try_lock_owned() else { return Ok(Sending::Busy(bytes)) };
    let pipe = guard.as_ref().ok_or(SendError::Closed)?;
    let mut written = 0;
    while written < bytes.len() {
        match pipe.try_write(bytes.get(written..).unwrap_or_default()) {
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                bytes.drain(..written);
                return Ok(Sending::Rest(guard, bytes));
            }
            Err(error) => return Err(SendError::Pipe(error)),
        }
    }
    Ok(Sending::Done)
}

async fn finish_sending(
    mut guard: OwnedMutexGuard<Option<InputPipe>>,
    rest: &[u8],
) -> Result<(), SendError> {
    let pipe = guard.as_mut().ok_or(SendError::Closed)?;
    pipe.write_all(rest).await.map_err(SendError::Pipe)
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
