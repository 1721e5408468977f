//! A server that is a program of ours: one JSON message a line on its standard streams.
//!
//! Reading is done by the SDK's task for this connection, unless a caller does it for its own answer;
//! what the task sends, and our own requests, go into the pipe right where they are made (see
//! [`lane`](super::lane)). Only a pipe that is full makes anybody wait.
//!
//! The end of the program is noticed by the end of its output, or by its exit, whichever is first: a
//! grandchild may hold the pipe open. The whole tree is owned by its warden (`hermes-process`), so
//! however we end, nothing of it stays.

use std::sync::Arc;
use std::time::Duration;

use hermes_process::{Child, Command, Output, OutputPipe, ProcessError, Stdin};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::{Instant, timeout};

use super::environment::Program;
use super::inbox::Found;
use super::lane::{Lane, SendError, Sending};
use super::tap::Wire;

/// How long output may still arrive after the program has ended.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// How long a program may take to end after its input has, and after SIGTERM.
const CLOSING: Duration = Duration::from_secs(2);

/// The connection to a running program.
pub(crate) struct Stdio {
    child: Child,
    lane: Arc<Lane>,
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
        let name = program.file.display().to_string();
        let mut child = Command::new(program.file)
            .args(args.iter().cloned())
            .envs(program.env)
            .stdin(Stdin::Piped)
            .output(Output::ErrorsToFile(errors))
            .spawn()?;
        let output = child.take_stdout().map(OutputPipe::into_nonblocking_fd).transpose();
        let output = output.map_err(|source| ProcessError::Spawn { program: name, source })?;
        Ok(Self { lane: Lane::new(child.take_stdin(), output, wire), child, until: None })
    }

    /// The short way to the program.
    pub(crate) fn lane(&self) -> Arc<Lane> {
        Arc::clone(&self.lane)
    }
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
            match self.lane.receive() {
                Found::Message(message) => return Some(message),
                Found::End => return None,
                Found::Other => {
                    // A flood of noise must not keep others from running.
                    tokio::task::consume_budget().await;
                    continue;
                }
                Found::Nothing => {}
            }
            let changed = self.lane.changed();
            let handle = self.child.handle();
            match self.until {
                // Nothing here is lost when this future is dropped half way.
                None => tokio::select! {
                    changed = changed => changed.ok()?,
                    _ = handle.wait() => self.until = Some(Instant::now() + LAST_WORDS),
                },
                Some(until) => tokio::select! {
                    changed = changed => changed.ok()?,
                    () = tokio::time::sleep_until(until) => return None,
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // The end of its input asks a server to leave. One that does not read is not waited for.
        self.lane.close(CLOSING).await;
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
