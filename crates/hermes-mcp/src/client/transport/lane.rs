//! The short way to a program: requests of ours go straight into its pipe.
//!
//! The SDK's loop takes a request over a channel, on another thread, and starts a task to send it.
//! That is right for HTTP, where sending is work. For a pipe it is most of what a call costs, so there
//! our own requests are written where they are made, and their answers are handed to the waiting
//! caller by the task that reads them. Everything else (the handshake, what the server asks) stays
//! with the SDK. Our numbers begin where the SDK's never get.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use hermes_process::InputPipe;
use hermes_runtime::bridge::shared_runtime;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage, ServerResult};
use serde::Serialize;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::tap::Wire;

/// The first number of ours: the SDK counts in 32 bits.
const FIRST: i64 = 1 << 32;

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

/// What a program answered.
pub(crate) type Reply = Result<Value, ErrorData>;

/// The writing end of a program's pipe, and who waits for an answer.
pub(crate) struct Lane {
    pipe: Arc<Mutex<Option<InputPipe>>>,
    waiting: StdMutex<HashMap<i64, oneshot::Sender<Reply>>>,
    next: AtomicI64,
    wire: Arc<Wire>,
}

/// How far a message got without waiting.
pub(crate) enum Sending {
    /// It is in the pipe.
    Done,
    /// The pipe is full; the rest follows, and this tells how that went.
    Later(oneshot::Receiver<Result<(), SendError>>),
}

impl Lane {
    pub(crate) fn new(pipe: Option<InputPipe>, wire: Arc<Wire>) -> Arc<Self> {
        Arc::new(Self {
            pipe: Arc::new(Mutex::new(pipe)),
            waiting: StdMutex::default(),
            next: AtomicI64::new(FIRST),
            wire,
        })
    }

    /// A number for a request, and where its answer will come.
    pub(crate) fn expect(&self) -> (i64, oneshot::Receiver<Reply>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.lock().insert(id, sender);
        (id, receiver)
    }

    /// Nobody waits for this answer any more.
    pub(crate) fn forget(&self, id: i64) {
        self.lock().remove(&id);
    }

    /// Writes a message. What the pipe does not take at once is written on the side, whole, whatever
    /// becomes of the caller: half a line would spoil the next one.
    pub(crate) fn send(&self, message: &impl Serialize) -> Result<Sending, SendError> {
        let mut bytes = serde_json::to_vec(message).map_err(SendError::Encode)?;
        bytes.push(b'\n');
        self.wire.touch();
        let turn = match Arc::clone(&self.pipe).try_lock_owned() {
            Ok(pipe) => {
                let written = write_now(&pipe, &bytes)?;
                if written == bytes.len() {
                    return Ok(Sending::Done);
                }
                bytes.drain(..written);
                Some(pipe)
            }
            Err(_) => None,
        };
        let (done, told) = oneshot::channel();
        let pipe = Arc::clone(&self.pipe);
        shared_runtime().spawn(async move {
            // Waiters are served in order, so messages stay in order.
            let turn = match turn {
                Some(turn) => turn,
                None => pipe.lock_owned().await,
            };
            let _ = done.send(write_rest(turn, &bytes).await);
        });
        Ok(Sending::Later(told))
    }

    /// Gives an answer to whoever waits for it; gives back what is not for us.
    pub(crate) fn settle(&self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let (id, reply) = match message {
            ServerJsonRpcMessage::Response(answer) => match (ours(&answer.id), answer.result) {
                (Some(id), ServerResult::CustomResult(result)) => (id, Ok(result.0)),
                (_, result) => return Some(ServerJsonRpcMessage::response(result, answer.id)),
            },
            ServerJsonRpcMessage::Error(answer) => match answer.id.as_ref().and_then(ours) {
                Some(id) => (id, Err(answer.error)),
                None => return Some(ServerJsonRpcMessage::Error(answer)),
            },
            other => return Some(other),
        };
        self.wire.touch();
        // Nobody waits for a late answer, or for a second one.
        if let Some(waiting) = self.lock().remove(&id) {
            let _ = waiting.send(reply);
        }
        None
    }

    /// Ends the program's input. A program that does not read is not waited for.
    pub(crate) async fn close(&self, limit: std::time::Duration) {
        if let Ok(mut pipe) = tokio::time::timeout(limit, self.pipe.lock()).await {
            pipe.take();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, oneshot::Sender<Reply>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number, if it is one of ours. Some servers send numbers back as texts.
fn ours(id: &RequestId) -> Option<i64> {
    let number = match id {
        RequestId::Number(number) => *number,
        RequestId::String(text) => text.parse().ok()?,
    };
    (number >= FIRST).then_some(number)
}

/// Writes as much as the pipe takes.
fn write_now(pipe: &Option<InputPipe>, bytes: &[u8]) -> Result<usize, SendError> {
    let pipe = pipe.as_ref().ok_or(SendError::Closed)?;
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match pipe.try_write(rest) {
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(SendError::Pipe(error)),
        }
    }
    Ok(written)
}

async fn write_rest(
    mut turn: OwnedMutexGuard<Option<InputPipe>>,
    rest: &[u8],
) -> Result<(), SendError> {
    let pipe = turn.as_mut().ok_or(SendError::Closed)?;
    pipe.write_all(rest).await.map_err(SendError::Pipe)
}
