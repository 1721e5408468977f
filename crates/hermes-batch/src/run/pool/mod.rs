//! Workers in processes of their own: tasks are handed to whoever has room, and a worker that is gone costs its own
//! tasks one more try.
//!
//! What a worker is reached by does not matter here: a pipe to a process on this machine, or a driver that passes lines
//! on to workers elsewhere. Records, retries and permissions to ask the model stay with the coordinator.

mod driver;
mod process;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_llm::model::BoxFuture;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use driver::{DriverOptions, RAY_DRIVER};
pub use process::ProcessOptions;

use super::limiter::LocalPermits;
use super::progress::Running;
use super::task::{AttemptOutcome, BatchTask, TaskExecutor};
use super::wire::{
    HostMessage, SpooledRecord, WorkerMessage, broken_about, line_of, worker_message,
};
use crate::dataset::hex;
use crate::record::{TaskRecord, TaskUsage};
use crate::store::RunFolder;

/// A worker that says nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(60);
/// How long workers have to end by themselves.
const CLOSING: Duration = Duration::from_secs(40);
/// How long a task has to stop when it is told to.
const STOPPING: Duration = Duration::from_secs(15);

/// What all workers of a run are told and share.
pub struct PoolOptions {
    /// The first message to each.
    pub hello: HostMessage,
    /// Where their tool definitions go.
    pub folder: RunFolder,
    /// Says when their requests may go.
    pub permits: LocalPermits,
    /// What runs, for whoever looks.
    pub running: Arc<Running>,
}

/// Tries tasks in other processes.
pub struct WorkerPool {
    inner: Arc<PoolInner>,
    pumps: Mutex<JoinSet<()>>,
}

/// The way to a worker: a pipe of its own, or a driver's with its number on every line.
#[derive(Clone)]
struct WorkerWay {
    lines: mpsc::UnboundedSender<String>,
    slot: Option<usize>,
}

impl WorkerWay {
    fn send(&self, message: &HostMessage) {
        let line = line_of(message);
        let line = match self.slot {
            None => line,
            Some(slot) => line_of(&serde_json::json!({"slot": slot, "line": line.trim_end()})),
        };
        // A worker that is gone is found out by whoever reads from it.
        let _ = self.lines.send(line);
    }
}

/// What a worker says about a task.
enum TaskAnswer {
    /// How the attempt went.
    Ended(AttemptOutcome),
    /// That it could not tell: a class and a reason.
    Unwell(String, String),
}

struct Worker {
    way: Option<WorkerWay>,
    /// Tasks it takes at a time; none before it has said so.
    slots: usize,
    at_work: HashMap<String, oneshot::Sender<TaskAnswer>>,
    tickets: HashSet<u64>,
    heard: Instant,
    who: String,
}

impl Default for Worker {
    fn default() -> Self {
        let (at_work, tickets) = (HashMap::new(), HashSet::new());
        Self { way: None, slots: 0, at_work, tickets, heard: Instant::now(), who: String::new() }
    }
}

struct PoolInner {
    options: PoolOptions,
    workers: Mutex<Vec<Worker>>,
    changed: Notify,
    given_up: Mutex<Option<String>>,
    closing: CancellationToken,
}

impl PoolInner {
    fn new(options: PoolOptions, workers: usize) -> Arc<Self> {
        Arc::new(Self {
            options,
            workers: Mutex::new((0..workers).map(|_| Worker::default()).collect()),
            changed: Notify::new(),
            given_up: Mutex::default(),
            closing: CancellationToken::new(),
        })
    }

    fn workers(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which start of the run its workers were told.
    fn epoch(&self) -> u64 {
        match &self.options.hello {
            HostMessage::Hello { epoch, .. } => *epoch,
            _ => 0,
        }
    }

    fn give_up(&self, why: String) {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.changed.notify_waiters();
    }

    fn given_up(&self) -> Option<String> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A worker can be spoken to.
    fn up(&self, place: usize, way: WorkerWay) {
        way.send(&self.options.hello);
        let mut workers = self.workers();
        workers[place] = Worker { way: Some(way), ..Worker::default() };
    }

    /// A worker is gone, and with it what it was working on; how many tasks that were.
    fn down(&self, place: usize, reason: &str) -> usize {
        let lost = std::mem::take(&mut self.workers()[place]);
        for _ in &lost.tickets {
            self.options.permits.limiter.give_back(None, false);
        }
        let count = lost.at_work.len();
        for (_, reply) in lost.at_work {
            let lost = AttemptOutcome::Lost { reason: reason.to_owned() };
            let _ = reply.send(TaskAnswer::Ended(lost));
        }
        self.changed.notify_waiters();
        count
    }

    /// Whether a worker has been silent for too long.
    fn is_silent(&self, place: usize) -> bool {
        let workers = self.workers();
        workers[place].way.is_some() && workers[place].heard.elapsed() > SILENCE
    }

    /// Hands a task to the worker with the most room, if any has room.
    fn hand_out(&self, task: &BatchTask) -> Option<(usize, oneshot::Receiver<TaskAnswer>)> {
        let mut workers = self.workers();
        let free = |worker: &Worker| worker.slots.saturating_sub(worker.at_work.len());
        let (place, worker) =
            workers.iter_mut().enumerate().max_by_key(|(_, worker)| free(worker))?;
        if free(worker) == 0 {
            return None;
        }
        let way = worker.way.as_ref()?;
        let (reply, answer) = oneshot::channel();
        way.send(&HostMessage::Task(Box::new(task.sent(1))));
        worker.at_work.insert(task.id.clone(), reply);
        Some((place, answer))
    }

    fn tell(&self, place: usize, message: &HostMessage) {
        if let Some(way) = &self.workers()[place].way {
            way.send(message);
        }
    }

    fn settle(&self, place: usize, id: &str, answer: TaskAnswer) {
        let reply = self.workers()[place].at_work.remove(id);
        if let Some(reply) = reply {
            let _ = reply.send(answer);
        }
        self.changed.notify_waiters();
    }

    fn ended(&self, place: usize, id: &str, outcome: AttemptOutcome) {
        self.settle(place, id, TaskAnswer::Ended(outcome));
    }

    /// A worker is done with a task and cannot say how it went. Somebody waits for it all the same.
    fn unwell(&self, place: usize, id: &str, class: &str, reason: &str) {
        tracing::warn!(place, id, class, reason, "a task ended without a record");
        self.settle(place, id, TaskAnswer::Unwell(class.to_owned(), reason.to_owned()));
    }

    /// Deals with a line of a worker.
    fn heard(self: &Arc<Self>, place: usize, line: &[u8]) {
        self.workers()[place].heard = Instant::now();
        let Some(message) = worker_message(line) else {
            match broken_about(line, &["result", "failed", "cancelled"]) {
                Some(id) => self.unwell(place, &id, "internal", "its worker's message is broken"),
                None => tracing::warn!(place, "a worker wrote a line that is no message"),
            }
            return;
        };
        match message {
            WorkerMessage::Ready { slots, host, pid, .. } => {
                let worker = &mut self.workers()[place];
                (worker.slots, worker.who) = (slots, format!("process {pid} on {host}"));
                self.changed.notify_waiters();
            }
            WorkerMessage::Turn { number, turn } => self.options.running.turn(number, turn),
            WorkerMessage::Want { ticket, .. } => {
                self.workers()[place].tickets.insert(ticket);
                tokio::spawn(Arc::clone(self).permit(place, ticket));
            }
            WorkerMessage::Used { ticket, input, output, usd, is_answered } => {
                if self.workers()[place].tickets.remove(&ticket) {
                    let tokens = Some([input, output]);
                    self.options.permits.limiter.give_back(tokens, is_answered);
                }
                self.options.permits.spend.add(usd, input + output);
            }
            WorkerMessage::Throttled { retry_after_ms } => {
                let wait = retry_after_ms.map(Duration::from_millis);
                self.options.permits.limiter.slow_down(wait);
            }
            WorkerMessage::Unreachable { why } => self.options.permits.limiter.unreachable(&why),
            WorkerMessage::Tools { name, text } => self.keep_tools(&name, &text),
            WorkerMessage::Result { record: Some(record), .. } => {
                let id = record.id.clone();
                self.ended(place, &id, AttemptOutcome::Recorded(record));
            }
            WorkerMessage::Result { id, spool: Some(spool), .. } => match read_spool(&spool) {
                Ok(record) => {
                    let id = record.id.clone();
                    self.ended(place, &id, AttemptOutcome::Recorded(Box::new(record)));
                }
                Err(why) => {
                    let why = format!("the file with its record is lost: {why}");
                    self.unwell(place, &id, "infra.disk", &why);
                }
            },
            WorkerMessage::Failed { record: Some(record), .. } => {
                let id = record.id.clone();
                self.ended(place, &id, AttemptOutcome::Failed(record));
            }
            WorkerMessage::Failed { id, class, reason, .. } => {
                let class = if class.is_empty() { "internal" } else { class.as_str() };
                self.unwell(place, &id, class, &reason);
            }
            WorkerMessage::Result { id, .. } => {
                self.unwell(place, &id, "internal", "its worker sent no record");
            }
            WorkerMessage::Cancelled { id, usage } => {
                self.ended(place, &id, AttemptOutcome::Cancelled { usage });
            }
            WorkerMessage::Started { .. }
            | WorkerMessage::Pong
            | WorkerMessage::Bye
            | WorkerMessage::Unknown => {}
        }
    }

    /// Waits for leave for a worker's request. A worker that is gone by then gives it back.
    async fn permit(self: Arc<Self>, place: usize, ticket: u64) {
        // Whoever is told to stop stops by itself, and gives back what it got.
        if self.options.permits.limiter.take(&CancellationToken::new()).await.is_none() {
            return;
        }
        if self.workers()[place].tickets.contains(&ticket) {
            self.tell(place, &HostMessage::Permit { ticket });
        } else {
            self.options.permits.limiter.give_back(None, false);
        }
    }

    fn keep_tools(&self, name: &str, text: &str) {
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        let path = format!("tools/{name}");
        if !is_plain || name.starts_with('.') || self.options.folder.path(&path).exists() {
            return;
        }
        if let Err(error) = self.options.folder.write(&path, text.as_bytes()) {
            tracing::warn!(%error, "definitions of tools could not be kept");
        }
    }
}

fn read_spool(spool: &SpooledRecord) -> Result<TaskRecord, String> {
    use sha2::{Digest as _, Sha256};
    let bytes = std::fs::read(&spool.path).map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&spool.path);
    if bytes.len() as u64 != spool.length || hex(&Sha256::digest(&bytes)) != spool.sha256 {
        return Err("it is not what was written".to_owned());
    }
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

impl WorkerPool {
    /// Starts workers on this machine.
    #[must_use]
    pub fn of_processes(options: PoolOptions, processes: &ProcessOptions) -> Self {
        let inner = PoolInner::new(options, processes.count.max(1));
        let mut pumps = JoinSet::new();
        for place in 0..processes.count.max(1) {
            pumps.spawn(process::pump(Arc::clone(&inner), place, processes.clone()));
        }
        Self { inner, pumps: Mutex::new(pumps) }
    }

    /// Starts a driver that places workers elsewhere.
    #[must_use]
    pub fn of_driver(options: PoolOptions, driver: DriverOptions) -> Self {
        let inner = PoolInner::new(options, driver.slots.max(1));
        let mut pumps = JoinSet::new();
        pumps.spawn(driver::pump(Arc::clone(&inner), driver));
        Self { inner, pumps: Mutex::new(pumps) }
    }

    async fn try_task(&self, task: &BatchTask, stop: &CancellationToken) -> AttemptOutcome {
        let stopped = || AttemptOutcome::Cancelled { usage: TaskUsage::default() };
        let (place, mut outcome) = loop {
            // Looked at before the hand-out, so that a change in between is not missed.
            let changed = self.inner.changed.notified();
            if stop.is_cancelled() || self.inner.given_up().is_some() {
                return stopped();
            }
            if let Some(handed) = self.inner.hand_out(task) {
                break handed;
            }
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(Duration::from_millis(500)) => {}
                () = stop.cancelled() => {}
            }
        };
        let answer = tokio::select! {
            answer = &mut outcome => answer.ok(),
            () = stop.cancelled() => {
                self.inner.tell(place, &HostMessage::Cancel { id: task.id.clone() });
                tokio::time::timeout(STOPPING, outcome).await.ok().and_then(Result::ok)
            }
        };
        match answer {
            Some(TaskAnswer::Ended(outcome)) => outcome,
            Some(TaskAnswer::Unwell(class, reason)) => {
                AttemptOutcome::Failed(Box::new(task.failed(self.inner.epoch(), &class, &reason)))
            }
            None => stopped(),
        }
    }
}

impl TaskExecutor for WorkerPool {
    fn attempt<'a>(
        &'a self,
        task: &'a BatchTask,
        stop: &'a CancellationToken,
    ) -> BoxFuture<'a, AttemptOutcome> {
        Box::pin(self.try_task(task, stop))
    }

    fn given_up(&self) -> Option<String> {
        self.inner.given_up()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.inner.closing.cancel();
            for worker in self.inner.workers().iter_mut() {
                if let Some(way) = worker.way.take() {
                    way.send(&HostMessage::Drain);
                }
            }
            let mut pumps =
                std::mem::take(&mut *self.pumps.lock().unwrap_or_else(PoisonError::into_inner));
            let ended = async { while pumps.join_next().await.is_some() {} };
            let _ = tokio::time::timeout(CLOSING, ended).await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::RunOptions;
    use crate::run::limiter::{RateLimiter, RateLimits, RunSpend};
    use crate::run::wire::{PROTOCOL, SentTask, WorkerManifest};

    /// A pool with one worker that has room for two tasks, and what it is told.
    fn pool(place: &tempfile::TempDir) -> (WorkerPool, mpsc::UnboundedReceiver<String>) {
        let manifest = WorkerManifest {
            options: RunOptions::default(),
            id: String::new(),
            generation: 1,
            model: None,
            provider: None,
            base_url: None,
            api_key: None,
            folder: None,
        };
        let (run, manifest) = ("one".to_owned(), Box::new(manifest));
        let hello = HostMessage::Hello { protocol: PROTOCOL, run, epoch: 4, manifest };
        let limiter = Arc::new(RateLimiter::new(RateLimits::default(), 2));
        let permits = LocalPermits { limiter, spend: Arc::new(RunSpend::default()) };
        let folder = RunFolder::at(place.path());
        let options = PoolOptions { hello, folder, permits, running: Arc::default() };
        let pool = WorkerPool { inner: PoolInner::new(options, 1), pumps: Mutex::default() };
        let (lines, told) = mpsc::unbounded_channel();
        pool.inner.up(0, WorkerWay { lines, slot: None });
        let ready = br#"{"type":"ready","protocol":1,"version":"x","host":"h","pid":1,"slots":2,"backends":[]}"#;
        pool.inner.heard(0, ready);
        (pool, told)
    }

    fn task(id: &str) -> BatchTask {
        let sent = SentTask {
            id: id.to_owned(),
            attempt: 1,
            row: serde_json::json!({"prompt": "x"}),
            row_id: id.to_owned(),
            sample: 0,
            index: 0,
            number: 0,
            seed: 1,
            tools_seed: 1,
        };
        BatchTask::received(sent).unwrap()
    }

    async fn told_about(told: &mut mpsc::UnboundedReceiver<String>, word: &str) {
        while !told.recv().await.unwrap().contains(word) {}
    }

    /// A record that could not be read was left aside, and the task was waited for until its worker ended.
    #[tokio::test]
    async fn a_broken_message_about_a_task_ends_its_attempt() {
        let place = tempfile::tempdir().unwrap();
        for (line, class) in [
            (r#"{"type":"result","id":"a","record":{"v":2}}"#, "internal"),
            (r#"{"type":"result","record":{"id":"a","status":"odd"}}"#, "internal"),
            (r#"{"type":"result","id":"a"}"#, "internal"),
            (
                r#"{"type":"result","id":"a","spool":{"path":"/nowhere","length":1,"sha256":"x"}}"#,
                "infra.disk",
            ),
            (
                r#"{"type":"failed","id":"a","class":"infra.sandbox","reason":"no room"}"#,
                "infra.sandbox",
            ),
            (r#"{"type":"failed","id":"a"}"#, "internal"),
        ] {
            let (pool, mut told) = pool(&place);
            let (task, stop) = (task("a"), CancellationToken::new());
            let answered = async {
                told_about(&mut told, "\"task\"").await;
                for noise in
                    ["", "no json", "{\"type\":\"sing\"}", "{\"type\":\"result\",\"id\":\"b\"}"]
                {
                    pool.inner.heard(0, noise.as_bytes());
                }
                pool.inner.heard(0, line.as_bytes());
            };
            let (outcome, ()) = tokio::join!(pool.try_task(&task, &stop), answered);
            let AttemptOutcome::Failed(record) = outcome else { panic!("{line}: {outcome:?}") };
            assert_eq!((record.class.as_deref(), record.epoch), (Some(class), 4), "{line}");
            assert!(pool.inner.hand_out(&task).is_some(), "there is room again");
        }
    }

    #[tokio::test]
    async fn what_a_lost_worker_held_is_free_again() {
        let place = tempfile::tempdir().unwrap();
        let (pool, mut told) = pool(&place);
        let (task, stop) = (task("a"), CancellationToken::new());
        let answered = async {
            told_about(&mut told, "\"task\"").await;
            pool.inner.heard(0, br#"{"type":"want","ticket":7,"key":"m"}"#);
            told_about(&mut told, "\"permit\"").await;
            assert_eq!(pool.inner.down(0, "it was killed"), 1);
        };
        let (outcome, ()) = tokio::join!(pool.try_task(&task, &stop), answered);
        assert!(
            matches!(&outcome, AttemptOutcome::Lost { reason } if reason == "it was killed"),
            "{outcome:?}"
        );
        let limiter = &pool.inner.options.permits.limiter;
        for _ in 0..2 {
            let taken = tokio::time::timeout(Duration::from_secs(5), limiter.take(&stop)).await;
            assert_eq!(taken, Ok(Some(())), "its leave was given back");
        }
    }
}
