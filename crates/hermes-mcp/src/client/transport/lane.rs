//! The short way to a program: requests of ours go straight into its pipe.
//!
//! The SDK's loop takes a request over a channel, on another thread, and starts a task to send it.
//! That is right for HTTP, where sending is work. For a pipe it is most of what a call costs, so there
//! our own requests are written where they are made, and their answers are handed to the waiting
//! caller by the task that reads them. Everything else (the handshake, what the server asks) stays
//! with the SDK. Our numbers begin where the SDK's never get.
//!
//! A server that has answered at once is expected to do so again: the next caller waits for that moment
//! right at the pipe and reads the answer itself (see [`Lane::wait_at_the_pipe`]).

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_process::InputPipe;
use hermes_runtime::bridge::shared_runtime;
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::decode::{FIRST, Reply};
use super::inbox::{Found, Inbox};
use super::tap::Wire;

/// What counts as an answer at once. A caller's thread is held up no longer than this.
const AT_ONCE: Duration = Duration::from_millis(1);

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

/// A program's pipes, and who waits for an answer.
pub(crate) struct Lane {
    pipe: Arc<Mutex<Option<InputPipe>>>,
    inbox: Inbox,
    waiting: StdMutex<HashMap<i64, Waiting>>,
    next: AtomicI64,
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
        output: Option<OwnedFd>,
        wire: Arc<Wire>,
    ) -> Arc<Self> {
        Arc::new(Self {
            pipe: Arc::new(Mutex::new(input)),
            inbox: Inbox::new(output),
            waiting: StdMutex::default(),
            next: AtomicI64::new(FIRST),
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

    /// Waits a moment for the answer to `id` on this very thread, if the last one came at once and nobody
    /// else waits; says whether it has come. When it has not, nothing is lost.
    pub(crate) fn wait_at_the_pipe(&self, id: i64) -> bool {
        if self.inbox.lent_for().is_none() {
            return false;
        }
        let begun = Instant::now();
        loop {
            match self.lock() {
                waiting if !waiting.contains_key(&id) => return true,
                waiting if waiting.len() > 1 => break,
                _ => {}
            }
            let Some(left) = AT_ONCE.checked_sub(begun.elapsed()) else { break };
            self.inbox.await_here(left, |id, reply| self.settle(id, reply));
        }
        self.wait_elsewhere();
        false
    }

    /// Has the task watch the pipe: a caller waits who does not read.
    pub(crate) fn wait_elsewhere(&self) {
        self.inbox.take_back();
    }

    /// The next message that is not for one of our callers.
    pub(crate) fn receive(&self) -> Found {
        self.inbox.take(|id, reply| self.settle(id, reply))
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

    /// Gives an answer to whoever waits for it.
    fn settle(&self, id: i64, reply: Reply) {
        self.wire.touch();
        // Nobody waits for a late answer, or for a second one.
        let mut all = self.lock();
        if let Some(waiting) = all.remove(&id) {
            // Not while others wait: nobody would read their answers.
            if all.is_empty() && waiting.since.elapsed() < AT_ONCE {
                self.inbox.lend();
            } else {
                self.inbox.take_back();
            }
            let _ = waiting.reply.send(reply);
        }
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

    use rmcp::model::ServerJsonRpcMessage;
    use serde_json::{Value, json};
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
        let output = output.into_nonblocking_fd().unwrap();
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

    /// Reads until the answer has been given to whoever waits.
    async fn settled(lane: &Lane, id: i64) {
        while lane.lock().contains_key(&id) {
            match lane.receive() {
                Found::Nothing => lane.changed().await.unwrap(),
                Found::Other => {}
                Found::Message(_) | Found::End => panic!("there is nothing else to come"),
            }
        }
    }

    #[tokio::test]
    async fn who_waits_at_the_pipe_reads_the_answer_and_leaves_the_rest_for_the_task() {
        let (lane, program) = program(Duration::ZERO);
        // On a busy machine one answer may come too late to be waited for; not all of them.
        let mut met = false;
        for _ in 0..50 {
            lane.inbox.lend();
            let (id, mut reply) = ask(&lane);
            lane.wait_at_the_pipe(id);
            met |= reply.try_recv().is_ok_and(|answer| answer == Ok(id.into()));
            assert!(matches!(receive(&lane).await, ServerJsonRpcMessage::Notification(_)));
            settled(&lane, id).await;
        }
        assert!(met, "no answer of fifty was met at the pipe");
        lane.close(Duration::from_secs(1)).await;
        program.join().unwrap();
    }

    #[tokio::test]
    async fn a_slow_answer_comes_the_usual_way_and_the_task_watches_again() {
        let (lane, program) = program(20 * AT_ONCE);
        lane.inbox.lend();
        let (id, mut reply) = ask(&lane);
        lane.wait_at_the_pipe(id);
        assert!(reply.try_recv().is_err(), "the program is not that fast");
        assert_eq!(lane.inbox.lent_for(), None);
        receive(&lane).await;
        settled(&lane, id).await;
        assert_eq!(reply.await.unwrap(), Ok(id.into()));
        assert_eq!(lane.inbox.lent_for(), None);
        lane.close(Duration::from_secs(1)).await;
        program.join().unwrap();
    }

    #[tokio::test]
    async fn what_comes_while_the_pipe_is_lent_and_nobody_calls_is_found_all_the_same() {
        let (lane, program) = program(Duration::ZERO);
        let (id, reply) = ask(&lane);
        drop(reply);
        lane.inbox.lend();
        assert!(matches!(receive(&lane).await, ServerJsonRpcMessage::Notification(_)));
        settled(&lane, id).await;
        lane.close(Duration::from_secs(1)).await;
        program.join().unwrap();
    }

    #[tokio::test]
    async fn with_others_waiting_nobody_waits_at_the_pipe() {
        let (input, _requests) = pipe().unwrap();
        let (mut answers, output) = pipe().unwrap();
        let output = output.into_nonblocking_fd().unwrap();
        let lane = Lane::new(Some(input), Some(output), Wire::new());
        let ((one, _reply), (other, _)) = (ask(&lane), ask(&lane));
        let answer = json!({"jsonrpc": "2.0", "id": one, "result": {}}).to_string() + "\n";
        answers.write_all(answer.as_bytes()).await.unwrap();
        lane.inbox.lend();
        lane.wait_at_the_pipe(one);
        assert!(lane.lock().contains_key(&one), "the answer is there and was not looked for");
        assert_eq!(lane.inbox.lent_for(), None, "the task has to read for both");
        lane.forget(other);
        lane.inbox.lend();
        lane.wait_at_the_pipe(one);
        assert!(!lane.lock().contains_key(&one));
    }

    #[tokio::test]
    async fn an_answer_at_once_lends_nothing_while_others_wait() {
        let lane = Lane::new(None, None, Wire::new());
        let ((one, _one), (other, _other)) = (lane.expect(), lane.expect());
        lane.settle(one, Ok(json!({})));
        assert_eq!(lane.inbox.lent_for(), None);
        lane.settle(other, Ok(json!({})));
        assert!(lane.inbox.lent_for().is_some());
    }
}
