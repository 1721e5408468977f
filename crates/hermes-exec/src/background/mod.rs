//! Processes that run on their own while the agent goes on.
//!
//! [`Processes`] is the table of them. A process is started in an environment
//! ([`Processes::start`]) with its input open, and from then on it is known by an id: one can look
//! at it, read its log, wait for it, type to it ([`ProcessKeyboard`]), close its input and kill it. News about processes
//! ([`ProcessEvent`]) wait in a queue for the session they belong to.
//!
//! # What stays, and how long
//!
//! The last [`BUFFER_CHARS`] characters of output; [`MOST_TRACKED`] processes, of which finished
//! ones give way first; finished ones for half an hour from their end. Which processes run is also
//! written to `processes.json`, so that the next start finds those that outlived a crash
//! (see `record.rs`); ours die with us, so that list is short.
//!
//! # What never happens here
//!
//! A process is signalled by a number that may since belong to another: the time it was started is
//! compared first. The end of a process is told twice. A lock is held while something is waited
//! for.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_approval::{Approved, ShellLine};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::backend::BackendKind;
use crate::environment::{Environment, SpawnOptions, random_id};
use crate::error::ExecError;

mod buffer;
mod entry;
mod event;
mod input;
mod limit;
mod record;
mod types;
mod watching;

pub use buffer::BUFFER_CHARS;
pub use event::{ProcessEvent, ProcessEventKind};
pub use input::ProcessKeyboard;
pub use limit::BackgroundSlot;
pub use types::{
    CompletionReason, ProcessSnapshot, ProcessStart, TellError, TerminationSource, Waited,
};

use entry::{EventSink, Live, ProcessEnd, ProcessEntry, ProcessMonitor, ProcessOrder, ends_of};
use record::ProcessRecord;
use watching::{EventBreaker, EventFlow, OutputWatch, Sight};

/// Most processes kept in the table.
pub const MOST_TRACKED: usize = 64;
/// How long a finished process stays in the table.
const RETENTION: Duration = Duration::from_secs(1_800);
/// Most news kept for those who do not listen.
const MOST_EVENTS: usize = 500;

/// The table of background processes.
pub struct Processes {
    table: Mutex<Table>,
    record: Option<ProcessRecord>,
    grace: Duration,
    news: Notify,
}

#[derive(Default)]
struct Table {
    entries: Vec<Arc<ProcessEntry>>,
    events: VecDeque<ProcessEvent>,
    breaker: EventBreaker,
}

impl Processes {
    /// Time between SIGTERM and SIGKILL, unless set otherwise.
    pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);

    /// An empty table. With a file, what runs is written to it, and what still runs of an earlier
    /// process is found again.
    #[must_use]
    pub fn new(record: Option<PathBuf>, grace: Duration) -> Arc<Self> {
        let record = record.map(ProcessRecord::at);
        let entries = record.as_ref().map(ProcessRecord::recover).unwrap_or_default();
        let table =
            Table { entries: entries.into_iter().map(Arc::new).collect(), ..Table::default() };
        Arc::new(Self { table: Mutex::new(table), record, grace, news: Notify::new() })
    }

    /// Makes room for one more process, if fewer than `most` run for this home.
    ///
    /// # Errors
    /// Those that run.
    pub async fn reserve(&self, most: usize) -> Result<BackgroundSlot, Vec<ProcessSnapshot>> {
        limit::reserve(self, most).await
    }

    /// Starts an approved command. One that cannot be started has an entry that says so.
    pub async fn start(
        self: &Arc<Self>,
        environment: &Environment,
        line: &Approved<ShellLine>,
        mut start: ProcessStart,
        place: BackgroundSlot,
    ) -> Result<ProcessSnapshot, (String, ExecError)> {
        start.on_host = environment.kind() == BackendKind::Local;
        start.target = Some(environment.backend().target());
        let id = format!("proc_{}", random_id());
        let how = SpawnOptions {
            cwd: (!start.cwd.is_empty()).then(|| start.cwd.clone()),
            pty: start.pty,
            exports: start.exports.clone(),
        };
        let spawned = match environment.spawn(line, how).await {
            Ok(spawned) => spawned,
            Err(error) => {
                self.add(failed_entry(&id, start, &error));
                return Err((id, error));
            }
        };
        Ok(self.adopt(&id, spawned, start, place))
    }

    fn adopt(
        self: &Arc<Self>,
        id: &str,
        mut spawned: crate::environment::SpawnedProcess,
        start: ProcessStart,
        place: BackgroundSlot,
    ) -> ProcessSnapshot {
        let (orders, inbox) = mpsc::unbounded_channel();
        let (done_sender, done) = watch::channel(false);
        let echo = spawned.child.pty_echo();
        let ends = ends_of(&mut spawned);
        let entry = Arc::new(ProcessEntry {
            echo,
            pid: Some(spawned.child.pid()),
            kernel_start: spawned.child.start_time(),
            orders: Some(orders),
            done,
            ..new_entry(id, start)
        });
        self.add_shared(Arc::clone(&entry));
        let crate::environment::SpawnedProcess { child, call, guard } = spawned;
        if let Some(ends) = ends {
            let monitor = ProcessMonitor {
                entry: Arc::clone(&entry),
                child,
                call,
                guard,
                ends,
                inbox,
                done: done_sender,
                place,
                audience: Arc::clone(self),
            };
            tokio::spawn(monitor.run());
        }
        snapshot(&entry)
    }

    /// One process.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<ProcessSnapshot> {
        self.entry(id).map(|entry| snapshot(&entry))
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<ProcessSnapshot> {
        self.forget_old();
        let entries = self.table().entries.clone();
        entries.iter().map(|entry| snapshot(entry)).collect()
    }

    /// Whether a process of this environment still runs.
    #[must_use]
    pub fn any_running_in(&self, environment: &str) -> bool {
        let entries = self.table().entries.clone();
        entries.iter().any(|entry| {
            entry.start.environment == environment && !entry.detached && entry.is_running()
        })
    }

    /// Says that the end of a process is known: it is no longer news.
    pub fn consume(&self, id: &str) {
        if let Some(entry) = self.entry(id) {
            entry.live().consumed = true;
            let known = |event: &ProcessEvent| {
                event.id == id && matches!(event.kind, ProcessEventKind::Completion { .. })
            };
            self.table().events.retain(|event| !known(event));
        }
    }

    /// Waits for the end of a process.
    pub async fn wait(
        &self,
        id: &str,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Result<Waited, TellError> {
        let entry = self.entry(id).ok_or_else(|| TellError::NotFound(id.to_owned()))?;
        if entry.detached {
            return Ok(self.wait_detached(&entry, limit, cancel).await);
        }
        Ok(tokio::select! {
            biased;
            () = entry.end() => Waited::Ended,
            () = cancel.cancelled() => Waited::Interrupted,
            () = tokio::time::sleep(limit) => Waited::TimedOut,
        })
    }

    /// Nobody tells us about a process that is not our child: it is looked at now and then.
    async fn wait_detached(
        &self,
        entry: &ProcessEntry,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> Waited {
        let until = Instant::now() + limit;
        loop {
            record::notice_end(entry);
            if !entry.is_running() {
                return Waited::Ended;
            }
            let pause = until.saturating_duration_since(Instant::now());
            if pause.is_zero() {
                return Waited::TimedOut;
            }
            tokio::select! {
                () = cancel.cancelled() => return Waited::Interrupted,
                () = tokio::time::sleep(pause.min(Duration::from_millis(500))) => {}
            }
        }
    }

    /// Ends the input of a process.
    pub async fn close(&self, id: &str) -> Result<(), TellError> {
        let entry = self.running(id)?;
        tell(&entry, |answer| ProcessOrder::Close { answer }).await
    }

    /// Kills a process with everything below it.
    pub async fn kill(&self, id: &str, source: TerminationSource) -> Result<(), TellError> {
        let entry = self.running(id)?;
        let failed = |why: String| TellError::Failed { id: id.to_owned(), why };
        if entry.detached {
            record::kill(&entry, self.grace, source).await.map_err(failed)?;
            self.write_record();
            return Ok(());
        }
        let (answer, answered) = oneshot::channel();
        let order = ProcessOrder::Kill { grace: self.grace, source, answer };
        let orders = entry.orders.as_ref();
        if orders.is_some_and(|orders| orders.send(order).is_ok())
            && let Ok(result) = answered.await
        {
            result.map_err(failed)?;
        }
        entry.end().await;
        Ok(())
    }

    /// Kills all processes of an environment, or of all.
    pub async fn kill_all(&self, environment: Option<&str>) {
        let entries = self.table().entries.clone();
        for entry in entries.iter().filter(|entry| entry.is_running() && !entry.detached) {
            if environment.is_none_or(|name| name == entry.start.environment)
                && let Err(error) = self.kill(&entry.id, TerminationSource::KillAll).await
            {
                tracing::debug!(%error, "while ending all background processes");
            }
        }
    }

    /// Waits until there is news that nobody has waited for yet. For one listener.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// Whether somebody has read how a process ended.
    #[must_use]
    pub fn is_consumed(&self, id: &str) -> bool {
        self.entry(id).is_some_and(|entry| entry.live().consumed)
    }

    /// Takes the news of a session out of the queue; those of others stay.
    pub fn drain(&self, session_key: &str) -> Vec<ProcessEvent> {
        let mut table = self.table();
        let all = std::mem::take(&mut table.events);
        let (ours, others) = all.into_iter().partition(|event| event.session_key == session_key);
        table.events = others;
        let ours: VecDeque<ProcessEvent> = ours;
        ours.into()
    }

    fn running(&self, id: &str) -> Result<Arc<ProcessEntry>, TellError> {
        let entry = self.entry(id).ok_or_else(|| TellError::NotFound(id.to_owned()))?;
        if entry.detached {
            record::notice_end(&entry);
        }
        if entry.is_running() { Ok(entry) } else { Err(TellError::AlreadyExited(id.to_owned())) }
    }

    fn entry(&self, id: &str) -> Option<Arc<ProcessEntry>> {
        self.forget_old();
        self.table().entries.iter().find(|entry| entry.id == id).cloned()
    }

    fn add(&self, entry: ProcessEntry) {
        self.add_shared(Arc::new(entry));
    }

    fn add_shared(&self, entry: Arc<ProcessEntry>) {
        {
            let mut table = self.table();
            table.entries.push(entry);
            while table.entries.len() > MOST_TRACKED {
                let Some(finished) = table.entries.iter().position(|entry| !entry.is_running())
                else {
                    break;
                };
                table.entries.remove(finished);
            }
        }
        self.write_record();
    }

    /// Counted from the end, not from the start: a process may take hours.
    fn forget_old(&self) {
        let now = Instant::now();
        self.table().entries.retain(|entry| {
            let live = entry.live();
            live.ended.as_ref().is_none_or(|ended| now.duration_since(ended.at) < RETENTION)
        });
    }

    fn write_record(&self) {
        if let Some(record) = &self.record {
            let entries = self.table().entries.clone();
            record.write(&entries);
        }
    }

    /// The file whose bytes are the places for processes of this home.
    fn places(&self) -> Option<PathBuf> {
        self.record.as_ref().map(ProcessRecord::places)
    }

    fn tell_news(&self, entry: &ProcessEntry, kind: ProcessEventKind) {
        let event = ProcessEvent {
            id: entry.id.clone(),
            command: entry.start.command.clone(),
            session_key: entry.start.session_key.clone(),
            kind,
        };
        let mut table = self.table();
        table.events.push_back(event);
        while table.events.len() > MOST_EVENTS {
            table.events.pop_front();
        }
        drop(table);
        self.news.notify_one();
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Processes {
    fn wrote(&self, entry: &ProcessEntry, text: &str) {
        let now = Instant::now();
        let sight = entry.live().watch.look(text, now);
        match sight {
            None => {}
            Some(Sight::Disabled) => {
                entry.live().notify = true;
                self.tell_news(entry, ProcessEventKind::WatchDisabled);
            }
            Some(Sight::Match { pattern, output, suppressed }) => {
                let flow = self.table().breaker.pass(now);
                let told = ProcessEventKind::WatchMatch { pattern, output, suppressed };
                match flow {
                    EventFlow::Pass => self.tell_news(entry, told),
                    EventFlow::PassAfter(held_back) => {
                        self.tell_news(entry, ProcessEventKind::OverflowReleased { held_back });
                        self.tell_news(entry, told);
                    }
                    EventFlow::Trip => self.tell_news(entry, ProcessEventKind::OverflowTripped),
                    EventFlow::Hold => {}
                }
            }
        }
    }

    fn ended(&self, entry: &ProcessEntry) {
        self.write_record();
        let told = {
            let live = entry.live();
            let killed = live.ended.as_ref().is_some_and(|ended| ended.source.is_some());
            (live.notify && !live.consumed && !killed).then(|| ProcessEventKind::Completion {
                exit_code: live.ended.as_ref().and_then(|ended| ended.exit_code),
                reason: live.ended.as_ref().map_or(CompletionReason::Lost, |ended| ended.reason),
                output: buffer::tail(live.buffer.text(), event::TAIL_CHARS).to_owned(),
                started_at: entry.started_at,
            })
        };
        if let Some(told) = told {
            self.tell_news(entry, told);
        }
    }
}

async fn tell(
    entry: &ProcessEntry,
    order: impl FnOnce(oneshot::Sender<std::io::Result<()>>) -> ProcessOrder,
) -> Result<(), TellError> {
    let id = &entry.id;
    let failed = |why: String| TellError::Failed { id: id.clone(), why };
    let Some(orders) = &entry.orders else {
        return Err(failed("it was started by an earlier run; its input is out of reach".into()));
    };
    let (answer, answered) = oneshot::channel();
    let ended = || TellError::AlreadyExited(id.clone());
    orders.send(order(answer)).map_err(|_| ended())?;
    match answered.await {
        Ok(result) => result.map_err(|error| failed(error.to_string())),
        Err(_) => Err(ended()),
    }
}

fn new_entry(id: &str, start: ProcessStart) -> ProcessEntry {
    let live = Live {
        buffer: buffer::OutputBuffer::default(),
        watch: OutputWatch::new(&start.watch_patterns),
        ended: None,
        consumed: false,
        notify: start.notify_on_complete,
    };
    ProcessEntry {
        id: id.to_owned(),
        start,
        pid: None,
        kernel_start: None,
        started: Instant::now(),
        started_at: jiff::Timestamp::now().as_second(),
        detached: false,
        live: Mutex::new(live),
        orders: None,
        done: watch::channel(true).1,
        typed: Arc::default(),
        echo: None,
    }
}

fn failed_entry(id: &str, start: ProcessStart, error: &ExecError) -> ProcessEntry {
    let entry = new_entry(id, start);
    {
        let mut live = entry.live();
        live.buffer.push(error.to_string().as_bytes());
        live.ended = Some(ProcessEnd {
            exit_code: Some(-1),
            reason: CompletionReason::FailedStart,
            source: Some(TerminationSource::FailedStart),
            at: Instant::now(),
        });
    }
    entry
}

fn snapshot(entry: &ProcessEntry) -> ProcessSnapshot {
    if entry.detached {
        record::notice_end(entry);
    }
    let live = entry.live();
    let until = live.ended.as_ref().map_or_else(Instant::now, |ended| ended.at);
    ProcessSnapshot {
        id: entry.id.clone(),
        start: entry.start.clone(),
        pid: entry.pid,
        started_at: entry.started_at,
        uptime: until.saturating_duration_since(entry.started),
        detached: entry.detached,
        watch_hit: live.watch.hit(),
        notify: live.notify,
        ended: live.ended.as_ref().map(|ended| (ended.exit_code, ended.reason, ended.source)),
        output: live.buffer.text().to_owned(),
    }
}

#[cfg(test)]
mod tests;
