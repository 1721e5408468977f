//! The short way to a program: requests of ours go straight into its pipe.
//!
//! The SDK's loop takes a request over a channel, on another thread, and starts a task to send it.
//! That is right for HTTP, where sending is work. For a pipe it is most of what a call costs, so there
//! our own requests are written where they are made, and their answers are handed to the waiting
//! caller by the task that reads them. Everything else (the handshake, what the server asks) stays
//! with the SDK. Our numbers begin where the SDK's never get.
//!
//! A server that has answered at once is expected to do so again: the next caller does not lie down for
//! the moment it takes, but reads the answer itself (see [`Lane::stay_awake`]).

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_process::{InputPipe, OutputPipe};
use hermes_runtime::bridge::shared_runtime;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage, ServerResult};
use serde::Serialize;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::inbox::{Found, Inbox};
use super::tap::Wire;

/// The first number of ours: the SDK counts in 32 bits.
const FIRST: i64 = 1 << 32;

/// How long a caller stays awake for an answer. To be woken takes a fifth of that.
const AWAKE: Duration = Duration::from_micros(500);

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

/// A program's pipes, and who waits for an answer.
pub(crate) struct Lane {
    pipe: Arc<Mutex<Option<InputPipe>>>,
    inbox: Inbox,
    waiting: StdMutex<HashMap<i64, Waiting>>,
    next: AtomicI64,
    /// Whether the last answer came at once.
    quick: AtomicBool,
    wire: Arc<Wire>,
}

/// A caller and when it began to wait.
struct Waiting {
    reply: oneshot::Sender<Reply>,
    since: Instant,
}

/// How far a message got without waiting.
pub(crate) enum Sending {
    /// It is in the pipe.
    Done,
    /// The pipe is full; the rest follows, and this tells how that went.
    Later(oneshot::Receiver<Result<(), SendError>>),
}

impl Lane {
    pub(crate) fn new(
        input: Option<InputPipe>,
        output: Option<OutputPipe>,
        wire: Arc<Wire>,
    ) -> Arc<Self> {
        Arc::new(Self {
            pipe: Arc::new(Mutex::new(input)),
            inbox: Inbox::new(output),
            waiting: StdMutex::default(),
            next: AtomicI64::new(FIRST),
            quick: AtomicBool::new(false),
            wire,
        })
    }

    /// A number for a request, and where its answer will come.
    pub(crate) fn expect(&self) -> (i64, oneshot::Receiver<Reply>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (reply, receiver) = oneshot::channel();
        self.lock().insert(id, Waiting { reply, since: Instant::now() });
        (id, receiver)
    }

    /// Waits a moment for the answer to `id`, awake, if the last one came at once and nobody else
    /// waits. Reads it right here when it comes; when it does not, nothing is lost.
    pub(crate) fn stay_awake(&self, id: i64) {
        if !self.quick.load(Ordering::Relaxed) {
            return;
        }
        let begun = Instant::now();
        while self.lock().len() == 1 && begun.elapsed() < AWAKE {
            self.inbox.look(|message| self.settle(message));
            if !self.lock().contains_key(&id) {
                return;
            }
            std::thread::yield_now();
        }
    }

    /// The next message that is not for one of our callers.
    pub(crate) fn receive(&self) -> Found {
        self.inbox.take(|message| self.settle(message))
    }

    /// Waits until there may be something to receive.
    pub(crate) async fn changed(&self) -> io::Result<()> {
        self.inbox.changed().await
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
    fn settle(&self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
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
            self.quick.store(waiting.since.elapsed() < AWAKE, Ordering::Relaxed);
            let _ = waiting.reply.send(reply);
        }
        None
    }

    /// Ends the program's input, and reads no more. A program that does not read is not waited for.
    pub(crate) async fn close(&self, limit: Duration) {
        if let Ok(mut pipe) = tokio::time::timeout(limit, self.pipe.lock()).await {
            pipe.take();
        }
        self.inbox.close();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Waiting>> {
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

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::thread::JoinHandle;

    use serde_json::json;
    use tokio::net::unix::pipe::pipe;

    use super::*;

    /// A program that says something of its own before each answer, and takes its time for it.
    fn program(takes: Duration) -> (Arc<Lane>, JoinHandle<()>) {
        let (input, requests) = pipe().unwrap();
        let (answers, output) = pipe().unwrap();
        let requests = std::fs::File::from(requests.into_blocking_fd().unwrap());
        let mut answers = std::fs::File::from(answers.into_blocking_fd().unwrap());
        let program = std::thread::spawn(move || {
            for line in BufReader::new(requests).lines() {
                let asked: Value = serde_json::from_str(&line.unwrap()).unwrap();
                std::thread::sleep(takes);
                let changed =
                    json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": asked["id"]});
                write!(answers, "{changed}\n{answer}\n").unwrap();
            }
        });
        (Lane::new(Some(input), Some(output), Wire::new()), program)
    }

    /// Asks, and gives where the answer comes.
    fn ask(lane: &Lane) -> (i64, oneshot::Receiver<Reply>) {
        let (id, reply) = lane.expect();
        lane.send(&json!({"id": id})).unwrap();
        (id, reply)
    }

    /// Reads as the connection's task does.
    async fn receive(lane: &Lane) -> ServerJsonRpcMessage {
        loop {
            match lane.receive() {
                Found::Message(message) => return message,
                Found::Other => {}
                Found::Nothing => lane.changed().await.unwrap(),
                Found::End => panic!("the program has ended"),
            }
        }
    }

    #[tokio::test]
    async fn who_stays_awake_reads_the_answer_and_leaves_the_rest_for_the_task() {
        let (lane, program) = program(Duration::ZERO);
        // On a busy machine one answer may come too late to be met awake; not all of them.
        let mut met = false;
        for _ in 0..50 {
            lane.quick.store(true, Ordering::Relaxed);
            let (id, mut reply) = ask(&lane);
            lane.stay_awake(id);
            met |= reply.try_recv().is_ok_and(|answer| answer == Ok(id.into()));
            assert!(matches!(receive(&lane).await, ServerJsonRpcMessage::Notification(_)));
            while lane.lock().contains_key(&id) {
                lane.changed().await.unwrap();
                assert!(matches!(lane.receive(), Found::Other | Found::Nothing));
            }
        }
        assert!(met, "no answer of fifty was met awake");
        lane.close(Duration::from_secs(1)).await;
        program.join().unwrap();
    }

    #[tokio::test]
    async fn a_slow_answer_comes_the_usual_way_and_the_next_caller_lies_down() {
        let (lane, program) = program(10 * AWAKE);
        lane.quick.store(true, Ordering::Relaxed);
        let (id, mut reply) = ask(&lane);
        lane.stay_awake(id);
        assert!(reply.try_recv().is_err(), "the program is not that fast");
        receive(&lane).await;
        while lane.lock().contains_key(&id) {
            lane.receive();
        }
        assert_eq!(reply.await.unwrap(), Ok(id.into()));
        assert!(!lane.quick.load(Ordering::Relaxed));
        lane.close(Duration::from_secs(1)).await;
        program.join().unwrap();
    }

    #[tokio::test]
    async fn with_others_waiting_nobody_stays_awake() {
        let (input, _requests) = pipe().unwrap();
        let (mut answers, output) = pipe().unwrap();
        let lane = Lane::new(Some(input), Some(output), Wire::new());
        lane.quick.store(true, Ordering::Relaxed);
        let ((one, _reply), (other, _)) = (ask(&lane), ask(&lane));
        let answer = json!({"jsonrpc": "2.0", "id": one, "result": {}}).to_string() + "\n";
        answers.write_all(answer.as_bytes()).await.unwrap();
        lane.stay_awake(one);
        assert!(lane.lock().contains_key(&one), "the answer is there and was not looked for");
        lane.forget(other);
        lane.stay_awake(one);
        assert!(!lane.lock().contains_key(&one));
    }
}
