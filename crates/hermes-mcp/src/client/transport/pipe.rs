//! Our own requests to a program: written where they are made, answered by the connection's task.
//!
//! The SDK's loop takes a request over a channel, on another thread, and starts a task to send it.
//! That is right for HTTP, where sending is work. For a pipe it is most of what a call costs, so
//! requests of ours go into the pipe at once, and whoever reads the program's output gives each answer
//! to its waiting caller. Everything else (the handshake, what the server asks) stays with the SDK. Our
//! numbers begin where the SDK's never get.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_process::InputPipe;
use hermes_runtime::bridge::shared_runtime;
use serde::Serialize;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::decode::FIRST;
use super::monitor::ConnectionMonitor;
use crate::client::failure::RequestFailure;

/// What becomes of a request.
pub(crate) type PipeAnswer = Result<Value, RequestFailure>;

/// Why a message could not be sent. It has not reached the program, or not whole.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PipeSendError {
    #[error("the program has ended")]
    Closed,
    #[error("the program takes no more input: {0}")]
    Pipe(io::Error),
    #[error("the message cannot be written: {0}")]
    Encode(serde_json::Error),
}

/// A program's input, and who waits for an answer.
pub(crate) struct RequestPipe {
    input: Arc<Mutex<Option<InputPipe>>>,
    waiting: StdMutex<HashMap<i64, oneshot::Sender<PipeAnswer>>>,
    next: AtomicI64,
    monitor: Arc<ConnectionMonitor>,
}

/// How far a message got without waiting.
pub(crate) enum PipeWrite {
    /// All of it is in the pipe.
    Whole,
    /// The pipe is full; the rest follows, and this tells how that went.
    Partly(oneshot::Receiver<Result<(), PipeSendError>>),
}

impl RequestPipe {
    pub(crate) fn new(input: Option<InputPipe>, monitor: Arc<ConnectionMonitor>) -> Arc<Self> {
        Arc::new(Self {
            input: Arc::new(Mutex::new(input)),
            waiting: StdMutex::default(),
            next: AtomicI64::new(FIRST),
            monitor,
        })
    }

    /// A number for a request, and where its answer will come.
    pub(crate) fn expect(&self) -> (i64, oneshot::Receiver<PipeAnswer>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.lock().insert(id, sender);
        (id, receiver)
    }

    /// Gives an answer to whoever waits for it. Nobody waits for a late answer, or for a second one.
    pub(crate) fn settle(&self, id: i64, answer: PipeAnswer) {
        self.monitor.touch();
        if let Some(waiting) = self.lock().remove(&id) {
            let _ = waiting.send(answer);
        }
    }

    /// Nobody waits for this answer any more.
    pub(crate) fn forget(&self, id: i64) {
        self.lock().remove(&id);
    }

    /// Writes a message. What the pipe does not take at once is written on the side, whole, whatever
    /// becomes of the caller: half a line would spoil the next one.
    pub(crate) fn send(&self, message: &impl Serialize) -> Result<PipeWrite, PipeSendError> {
        let mut bytes = serde_json::to_vec(message).map_err(PipeSendError::Encode)?;
        bytes.push(b'\n');
        self.monitor.touch();
        let turn = match Arc::clone(&self.input).try_lock_owned() {
            Ok(pipe) => {
                let written = write_now(&pipe, &bytes)?;
                if written == bytes.len() {
                    return Ok(PipeWrite::Whole);
                }
                bytes.drain(..written);
                Some(pipe)
            }
            Err(_) => None,
        };
        let (done, told) = oneshot::channel();
        let pipe = Arc::clone(&self.input);
        shared_runtime().spawn(async move {
            // Waiters are served in order, so messages stay in order.
            let turn = match turn {
                Some(turn) => turn,
                None => pipe.lock_owned().await,
            };
            let _ = done.send(write_rest(turn, &bytes).await);
        });
        Ok(PipeWrite::Partly(told))
    }

    /// Ends the program's input. A program that does not read is not waited for.
    pub(crate) async fn close(&self, limit: Duration) {
        if let Ok(mut pipe) = tokio::time::timeout(limit, self.input.lock()).await {
            pipe.take();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, oneshot::Sender<PipeAnswer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes as much as the pipe takes.
fn write_now(pipe: &Option<InputPipe>, bytes: &[u8]) -> Result<usize, PipeSendError> {
    let pipe = pipe.as_ref().ok_or(PipeSendError::Closed)?;
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match pipe.try_write(rest) {
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(PipeSendError::Pipe(error)),
        }
    }
    Ok(written)
}

async fn write_rest(
    mut turn: OwnedMutexGuard<Option<InputPipe>>,
    rest: &[u8],
) -> Result<(), PipeSendError> {
    let pipe = turn.as_mut().ok_or(PipeSendError::Closed)?;
    pipe.write_all(rest).await.map_err(PipeSendError::Pipe)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::AsyncReadExt as _;
    use tokio::net::unix::pipe::pipe;

    use super::*;

    #[tokio::test]
    async fn an_answer_reaches_its_caller_once() {
        let pipe = RequestPipe::new(None, ConnectionMonitor::new());
        let ((one, first), (other, second)) = (pipe.expect(), pipe.expect());
        pipe.settle(other, Ok(json!("b")));
        pipe.settle(one, Ok(json!("a")));
        pipe.settle(one, Ok(json!("again")));
        assert_eq!(first.await.unwrap(), Ok(json!("a")));
        assert_eq!(second.await.unwrap(), Ok(json!("b")));
        let (late, answer) = pipe.expect();
        pipe.forget(late);
        pipe.settle(late, Ok(json!("late")));
        assert!(answer.await.is_err());
    }

    #[tokio::test]
    async fn a_line_longer_than_the_pipe_is_written_whole_before_the_next() {
        let (input, mut output) = pipe().unwrap();
        let pipe = RequestPipe::new(Some(input), ConnectionMonitor::new());
        let long = "x".repeat(1024 * 1024);
        assert!(matches!(pipe.send(&long).unwrap(), PipeWrite::Partly(_)));
        assert!(matches!(pipe.send(&"next").unwrap(), PipeWrite::Partly(_)));
        let wanted = format!("\"{long}\"\n\"next\"\n");
        let mut found = vec![0; wanted.len()];
        output.read_exact(&mut found).await.unwrap();
        assert!(found == wanted.as_bytes());
        pipe.close(Duration::from_secs(1)).await;
        assert!(matches!(pipe.send(&1), Err(PipeSendError::Closed)));
    }
}
