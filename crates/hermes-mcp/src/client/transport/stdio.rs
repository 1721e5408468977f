//! A server that is a program of ours: one JSON message a line on its standard streams.
//!
//! Reading is done by the SDK's task for this connection. It hands answers to our own requests to
//! their callers and everything else to the SDK; what the task sends, and our own requests, go into the
//! pipe right where they are made (see [`pipe`](super::pipe)). Only a pipe that is full makes anybody
//! wait, and no thread ever waits for one.
//!
//! A message has at most [`MAX_MESSAGE_BYTES`]. A longer one is thrown away as it comes: whoever asked
//! for it is told, and the connection goes on. If nobody can tell who asked, or the message does not
//! end, the connection is begun anew.
//!
//! The end of the program is noticed by the end of its output, or by its exit, whichever is first: a
//! grandchild may hold the pipe open. The whole tree is owned by `hermes-process`, so however we end,
//! nothing of it stays.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hermes_process::{Child, Command, OutputMode, OutputPipe, ProcessError, Stdin};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::{Instant, timeout};

use super::MAX_MESSAGE_BYTES;
use super::decode::{MessageDecoder, ServerMessage, request_of_ends};
use super::environment::ServerProgram;
use super::line_reader::{LineReader, OutputLine};
use super::monitor::ConnectionMonitor;
use super::pipe::{PipeSendError, PipeWrite, RequestPipe};
use crate::client::failure::RequestFailure;

/// How long output may still arrive after the program has ended.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// How long a program may take to end after its input has, and after SIGTERM.
const CLOSING: Duration = Duration::from_secs(2);
/// How much of one line is thrown away before the program is taken to be broken.
const MAX_SKIPPED_BYTES: usize = 512 * 1024 * 1024;

/// The connection to a running program.
pub(crate) struct Stdio {
    child: Child,
    requests: Arc<RequestPipe>,
    output: Option<OutputPipe>,
    lines: LineReader,
    decoder: MessageDecoder,
    ready: VecDeque<ServerJsonRpcMessage>,
    monitor: Arc<ConnectionMonitor>,
    /// Set when the program has ended: the last moment for its output.
    until: Option<Instant>,
}

impl Stdio {
    /// Starts the program.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(
        program: ServerProgram,
        args: &[String],
        errors: std::fs::File,
        monitor: Arc<ConnectionMonitor>,
    ) -> Result<Self, ProcessError> {
        let mut child = Command::new(program.file)
            .args(args.iter().cloned())
            .envs(program.env)
            .stdin(Stdin::Piped)
            .output(OutputMode::ErrorsToFile(errors))
            .spawn()?;
        Ok(Self {
            requests: RequestPipe::new(child.take_stdin(), Arc::clone(&monitor)),
            output: child.take_stdout(),
            child,
            lines: LineReader::default(),
            decoder: MessageDecoder::default(),
            ready: VecDeque::new(),
            monitor,
            until: None,
        })
    }

    /// The direct way for our own requests.
    pub(crate) fn requests(&self) -> Arc<RequestPipe> {
        Arc::clone(&self.requests)
    }

    /// Deals with the next line that is there.
    fn take_line(&mut self) -> LineTaken {
        let requests = &self.requests;
        match self.lines.next_line() {
            None => LineTaken::None,
            Some(OutputLine::Whole(line)) => {
                self.decoder.decode(line, |message| match message {
                    ServerMessage::Answer(id, reply) => {
                        requests.settle(id, reply.map_err(RequestFailure::from));
                    }
                    ServerMessage::Other(message) => self.ready.push_back(message),
                });
                LineTaken::One
            }
            Some(OutputLine::TooLong { head, tail }) => match request_of_ends(head, tail) {
                Some(id) => {
                    tracing::warn!("an answer of more than {MAX_MESSAGE_BYTES} bytes was dropped");
                    let limit = MAX_MESSAGE_BYTES;
                    requests.settle(id, Err(RequestFailure::TooLarge { limit }));
                    LineTaken::One
                }
                None => LineTaken::Unreadable,
            },
        }
    }

    /// Reads what is there: how much, or that there is nothing for now.
    fn read(&mut self) -> io::Result<usize> {
        let Some(output) = &self.output else { return Ok(0) };
        output.try_read_buf(self.lines.buffer())
    }

    /// The end of a connection that cannot go on.
    fn broken(&self) -> Option<ServerJsonRpcMessage> {
        let why =
            format!("the server wrote a message of more than {} MiB", MAX_MESSAGE_BYTES >> 20);
        tracing::warn!("{why}; the connection is begun anew");
        self.monitor.ends_because(why);
        None
    }
}

/// What came of looking for a line.
enum LineTaken {
    One,
    None,
    /// One that is too long, and nobody knows whose.
    Unreadable,
}

impl Transport<RoleClient> for Stdio {
    type Error = PipeSendError;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let started = self.requests.send(&item);
        async move {
            match started? {
                PipeWrite::Whole => Ok(()),
                PipeWrite::Partly(told) => told.await.unwrap_or(Err(PipeSendError::Closed)),
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            match self.take_line() {
                LineTaken::One => continue,
                LineTaken::Unreadable => return self.broken(),
                LineTaken::None if self.lines.skipped() > MAX_SKIPPED_BYTES => {
                    return self.broken();
                }
                LineTaken::None => {}
            }
            match self.read() {
                Ok(1..) => {
                    // A flood of noise must not keep others from running.
                    tokio::task::consume_budget().await;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(_) | Err(_) => return None,
            }
            let readable = self.output.as_ref()?.readable();
            match self.until {
                // Nothing here is lost when this future is dropped half way.
                None => {
                    let handle = self.child.handle();
                    tokio::select! {
                        readable = readable => readable.ok()?,
                        _ = handle.wait() => self.until = Some(Instant::now() + LAST_WORDS),
                    }
                }
                Some(until) => tokio::select! {
                    readable = readable => readable.ok()?,
                    () = tokio::time::sleep_until(until) => return None,
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // The end of its input asks a server to leave. One that does not read is not waited for.
        self.requests.close(CLOSING).await;
        // A program that goes on writing notices.
        self.output = None;
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
