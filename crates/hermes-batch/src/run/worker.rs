//! A worker at a pipe: is told tasks, works on them, tells how they went, and keeps nothing.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_exec::BackendKind;
use hermes_host::Host;
use hermes_llm::model::BoxFuture;
use sha2::{Digest as _, Sha256};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::coordinator::RunControl;
use super::executor::{AgentExecutor, ExecutorOptions};
use super::permits::{Permit, Permits, RequestEnd};
use super::progress::Running;
use super::task::{AttemptOutcome, BatchTask, TaskExecutor as _};
use super::wire::{
    HostMessage, MAX_RECORD_BYTES, PROTOCOL, SpooledRecord, WorkerManifest, WorkerMessage,
    broken_about, host_message, line_of,
};
use crate::BatchError;
use crate::dataset::hex;
use crate::record::TaskRecord;
use crate::store::RunFolder;

/// How often the coordinator hears from us, whatever happens.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Why a worker left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
    /// It was told to, or nobody is there any more.
    Drained,
    /// Nothing was ever asked of it.
    Unused,
}

/// Writes messages, whole lines at a time.
#[derive(Debug, Default)]
struct Outbox(Mutex<()>);

impl Outbox {
    fn send(&self, message: &WorkerMessage) {
        let line = line_of(message);
        let _turn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = std::io::stdout().lock();
        // Nobody to read it: the end of stdin says so, too.
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
}

/// Asks the coordinator for leave.
struct AskedPermits {
    out: Arc<Outbox>,
    key: String,
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<()>>>,
}

impl AskedPermits {
    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<()>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leave was given. Whoever does not want it any more gives it back.
    fn granted(&self, ticket: u64) {
        let taken = self.waiting().remove(&ticket).is_some_and(|asked| asked.send(()).is_ok());
        if !taken {
            self.give_back(ticket, &RequestEnd::default());
        }
    }
}

impl Permits for AskedPermits {
    fn take<'a>(&'a self, cancel: &'a CancellationToken) -> BoxFuture<'a, Option<Permit>> {
        Box::pin(async move {
            let began = Instant::now();
            let ticket = self.next.fetch_add(1, Ordering::Relaxed) + 1;
            let (asked, granted) = oneshot::channel();
            self.waiting().insert(ticket, asked);
            self.out.send(&WorkerMessage::Want { ticket, key: self.key.clone() });
            tokio::select! {
                granted = granted => granted.ok()?,
                () = cancel.cancelled() => {
                    return None;
                }
            }
            Some(Permit { ticket, waited: began.elapsed() })
        })
    }

    fn give_back(&self, ticket: u64, end: &RequestEnd) {
        let [input, output] = end.tokens().unwrap_or([0, 0]);
        let (usd, is_answered) = (end.usd, end.is_answered);
        self.out.send(&WorkerMessage::Used { ticket, input, output, usd, is_answered });
    }

    fn unreachable(&self, why: &str) {
        self.out.send(&WorkerMessage::Unreachable { why: why.to_owned() });
    }

    fn slow_down(&self, retry_after: Option<Duration>) {
        let wait = retry_after.and_then(|wait| u64::try_from(wait.as_millis()).ok());
        self.out.send(&WorkerMessage::Throttled { retry_after_ms: wait });
    }
}

/// Works for whoever is at the other end of stdin and stdout, until that ends or says so. What runs then has `grace` to
/// finish.
///
/// # Errors
/// If the contract is another one, or no model or tool can be had.
pub async fn serve(
    host: &Host,
    slots: usize,
    grace: Duration,
    control: &RunControl,
) -> Result<WorkerEnd, BatchError> {
    let mut lines = stdin_lines();
    let out = Arc::new(Outbox::default());
    let (run, epoch, manifest) = loop {
        let line = tokio::select! {
            line = lines.recv() => line,
            () = control.drain.cancelled() => None,
        };
        let Some(line) = line else { return Ok(WorkerEnd::Unused) };
        match host_message(&line) {
            Some(HostMessage::Hello { protocol, .. }) if protocol != PROTOCOL => {
                return Err(BatchError::usage(format!(
                    "the coordinator speaks version {protocol} of the worker contract, this is {PROTOCOL}"
                )));
            }
            Some(HostMessage::Hello { run, epoch, manifest, .. }) => break (run, epoch, *manifest),
            Some(HostMessage::Ping) => out.send(&WorkerMessage::Pong),
            Some(HostMessage::Drain) => return Ok(WorkerEnd::Unused),
            _ => {}
        }
    };
    let own = tempfile::Builder::new().prefix("hermes-worker-").tempdir();
    let own = own.map_err(BatchError::when("make a folder in", &std::env::temp_dir()))?;
    let shared = manifest
        .folder
        .as_ref()
        .map(RunFolder::at)
        .filter(|folder| folder.manifest().is_ok_and(|manifest| manifest.name == run));
    let is_shared = shared.is_some();
    let folder = shared.unwrap_or_else(|| RunFolder::at(own.path()));
    let WorkerManifest { mut options, id, generation, model, provider, base_url, api_key, .. } =
        manifest;
    options.model = model.or(options.model);
    options.provider = provider.or(options.provider);
    options.base_url = base_url.or(options.base_url);
    let permits = Arc::new(AskedPermits {
        out: Arc::clone(&out),
        key: options.model.clone().unwrap_or_default(),
        next: AtomicU64::new(0),
        waiting: Mutex::default(),
    });
    let running = Arc::new(Running::default());
    let setup = ExecutorOptions {
        folder: folder.clone(),
        options,
        // One that is told no id leaves nothing behind that could be taken for somebody else's.
        run: Some(id).filter(|id| !id.is_empty()).unwrap_or_else(|| folder.place_id()),
        generation,
        epoch,
        api_key,
        permits: Arc::clone(&permits) as Arc<dyn Permits>,
        running: Arc::clone(&running),
        companion: None,
    };
    let executor = Arc::new(AgentExecutor::new(host.task_agents().await?, setup).await?);
    out.send(&ready(slots));
    let teller = Arc::new(Teller {
        out,
        folder,
        is_shared,
        sent: Mutex::default(),
        greeting: AtomicU64::new(0),
    });
    teller.tools("known");
    let state = WorkerState { executor, permits, running, teller, slots, grace };
    state.work(&mut lines, control).await;
    Ok(WorkerEnd::Drained)
}

/// Who we are, and what we can do.
fn ready(slots: usize) -> WorkerMessage {
    WorkerMessage::Ready {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host: crate::store::host_name(),
        pid: std::process::id(),
        slots,
        backends: BackendKind::ALL.map(|kind| kind.name().to_owned()).to_vec(),
    }
}

/// Lines of stdin, from a thread that may wait for them.
fn stdin_lines() -> mpsc::Receiver<Vec<u8>> {
    let (to, from) = mpsc::channel(64);
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match stdin.read_until(b'\n', &mut line) {
                Ok(count) if count > 0 && to.blocking_send(line).is_ok() => {}
                _ => return,
            }
        }
    });
    from
}

struct WorkerState {
    executor: Arc<AgentExecutor>,
    permits: Arc<AskedPermits>,
    running: Arc<Running>,
    teller: Arc<Teller>,
    slots: usize,
    grace: Duration,
}

impl WorkerState {
    async fn work(self, lines: &mut mpsc::Receiver<Vec<u8>>, control: &RunControl) {
        let mut at_work: JoinSet<()> = JoinSet::new();
        let mut whose: HashMap<tokio::task::Id, (String, CancellationToken)> = HashMap::new();
        let mut beat = tokio::time::interval(HEARTBEAT);
        let mut until: Option<Instant> = None;
        let mut told: HashMap<String, usize> = HashMap::new();
        let mut is_open = true;
        // Counts the greetings: what was handed out before the last one, nobody waits for any more.
        let mut greeting = 0;
        loop {
            if until.is_some() && at_work.is_empty() {
                break;
            }
            let left =
                until.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()));
            tokio::select! {
                line = lines.recv(), if is_open => match line.as_deref().map(host_message) {
                    None => {
                        is_open = false;
                        until = until.or(Some(Instant::now() + self.grace));
                    }
                    Some(Some(HostMessage::Task(sent))) if until.is_none() => {
                        let stop = CancellationToken::new();
                        let (id, attempt) = (sent.id.clone(), sent.attempt);
                        self.teller.out.send(&WorkerMessage::Started { id: id.clone(), attempt });
                        let work = at_work.spawn(self.one(*sent, stop.clone()));
                        whose.insert(work.id(), (id, stop));
                        if at_work.len() > self.slots {
                            tracing::warn!("more tasks than there is room for");
                        }
                    }
                    Some(Some(HostMessage::Cancel { id })) => {
                        whose.values().filter(|(at, _)| *at == id).for_each(|(_, stop)| stop.cancel());
                    }
                    Some(Some(HostMessage::Hello { .. })) if until.is_none() => {
                        // Whoever greets again has lost sight of us: everything begins anew.
                        greeting += 1;
                        self.teller.greeting.store(greeting, Ordering::Relaxed);
                        whose.values().for_each(|(_, stop)| stop.cancel());
                        self.teller.out.send(&ready(self.slots));
                    }
                    Some(None) => {
                        if let Some(id) = line.as_deref().and_then(|line| broken_about(line, &["task"])) {
                            self.teller.unwell(&id, "the message with the task is broken");
                        }
                    }
                    Some(Some(HostMessage::Permit { ticket })) => self.permits.granted(ticket),
                    Some(Some(HostMessage::Drain)) => {
                        until = until.or(Some(Instant::now() + self.grace));
                    }
                    Some(Some(HostMessage::Ping)) => self.teller.out.send(&WorkerMessage::Pong),
                    Some(_) => {}
                },
                Some(done) = at_work.join_next_with_id(), if !at_work.is_empty() => {
                    let work = done.as_ref().map_or_else(|error| error.id(), |(work, ())| *work);
                    let Some((id, _)) = whose.remove(&work) else { continue };
                    told.remove(&id);
                    if let Err(error) = done {
                        self.teller.unwell(&id, &error.to_string());
                    }
                }
                _ = beat.tick() => {
                    self.teller.out.send(&WorkerMessage::Pong);
                    for (number, task) in self.running.table_copy() {
                        if told.insert(task.id.clone(), task.turn) != Some(task.turn) {
                            self.teller.out.send(&WorkerMessage::Turn { number, turn: task.turn });
                        }
                    }
                }
                () = control.drain.cancelled(), if until.is_none() => {
                    until = Some(Instant::now() + self.grace);
                }
                () = tokio::time::sleep(left), if until.is_some() => {
                    // The grace is over: what runs is stopped, and has a moment to remove its place.
                    whose.values().for_each(|(_, stop)| stop.cancel());
                    until = Some(Instant::now() + HEARTBEAT);
                }
            }
        }
        self.executor.close().await;
        self.teller.out.send(&WorkerMessage::Bye);
    }

    fn one(
        &self,
        sent: super::wire::SentTask,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let (executor, teller) = (Arc::clone(&self.executor), Arc::clone(&self.teller));
        let running = Arc::clone(&self.running);
        let greeting = teller.greeting.load(Ordering::Relaxed);
        async move {
            let id = sent.id.clone();
            let task = match BatchTask::received(sent) {
                Ok(task) => task,
                Err(why) => return teller.unwell(&id, &why),
            };
            running.begin(task.number, &task.id);
            let outcome = executor.attempt(&task, &stop).await;
            running.end(task.number);
            if teller.greeting.load(Ordering::Relaxed) == greeting {
                teller.outcome(&id, outcome);
            }
        }
    }
}

/// Tells how tasks went.
struct Teller {
    out: Arc<Outbox>,
    folder: RunFolder,
    is_shared: bool,
    sent: Mutex<HashSet<String>>,
    greeting: AtomicU64,
}

impl Teller {
    /// A task came to nothing, and there is no record of that.
    fn unwell(&self, id: &str, reason: &str) {
        self.out.send(&WorkerMessage::Failed {
            id: id.to_owned(),
            record: None,
            class: "internal".to_owned(),
            reason: reason.to_owned(),
        });
    }

    fn outcome(&self, id: &str, outcome: AttemptOutcome) {
        match outcome {
            AttemptOutcome::Recorded(record) => {
                self.tools(record.tools.trim_start_matches("sha256:"));
                let message = self.result(record);
                self.out.send(&message);
            }
            AttemptOutcome::Failed(record) => {
                self.tools(record.tools.trim_start_matches("sha256:"));
                self.out.send(&WorkerMessage::Failed {
                    id: id.to_owned(),
                    record: Some(record),
                    class: String::new(),
                    reason: String::new(),
                });
            }
            AttemptOutcome::Cancelled { usage } => {
                self.out.send(&WorkerMessage::Cancelled { id: id.to_owned(), usage });
            }
            AttemptOutcome::Lost { reason } => self.unwell(id, &reason),
        }
    }

    fn result(&self, record: Box<TaskRecord>) -> WorkerMessage {
        let id = record.id.clone();
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        // A file is of use only where both see the same disk.
        if self.is_shared && bytes.len() > MAX_RECORD_BYTES {
            match spooled(&bytes) {
                Ok(spool) => return WorkerMessage::Result { id, record: None, spool: Some(spool) },
                Err(error) => tracing::warn!(%error, "a long record goes over the pipe"),
            }
        }
        WorkerMessage::Result { id, record: Some(record), spool: None }
    }

    /// Sends definitions of tools once, unless the coordinator has them in the same folder.
    fn tools(&self, name: &str) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_shared || name.is_empty() || !sent.insert(name.to_owned()) {
            return;
        }
        let name = format!("{name}.json");
        if let Ok(text) = std::fs::read_to_string(self.folder.path(&format!("tools/{name}"))) {
            self.out.send(&WorkerMessage::Tools { name, text });
        }
    }
}

fn spooled(bytes: &[u8]) -> std::io::Result<SpooledRecord> {
    let mut file = tempfile::Builder::new().prefix("hermes-record-").tempfile()?;
    file.write_all(bytes)?;
    file.as_file().sync_data()?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(SpooledRecord { path, length: bytes.len() as u64, sha256: hex(&Sha256::digest(bytes)) })
}
