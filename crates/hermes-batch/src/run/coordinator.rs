//! What runs next, and when it is over.
//!
//! Tasks without a record are tried in the order of the data set, so many at a time. A record is counted when the
//! disk has it ([`SegmentWriter::commit`]); one that the disk refuses is kept and handed in again. A failure that
//! another attempt may cure is tried again later; three tasks in a row that fail for a reason of the whole run (a wrong
//! key) end the run, and count as not tried.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_runtime::distributions::DrawSource as _;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::disk::{DiskRoom, RoomNews, keep_unwritten};
use super::limiter::{RateLimiter, RunSpend};
use super::progress::{RunFront, RunProgress, Running};
use super::task::{AttemptOutcome, BatchTask, TaskExecutor, is_of_the_run, is_worth_repeating};
use crate::BatchError;
use crate::dataset::Dataset;
use crate::options::RunOptions;
use crate::record::{TaskRecord, TaskStatus, TaskUsage};
use crate::seed::TaskStream;
use crate::store::{IndexEntry, RunFolder, SegmentWriter};

/// How often the screen is drawn, at most.
const DRAW_EVERY: Duration = Duration::from_millis(250);
/// How often `status.json` is written.
const STATUS_EVERY: Duration = Duration::from_secs(5);
/// Tasks in a row that fail for a reason of the whole run.
const FATAL_IN_A_ROW: usize = 3;
/// How long a server that never answered is waited for.
const NEVER_THERE: Duration = Duration::from_secs(60);
/// How long it takes until a record that the disk refused is handed in again.
const DISK_PAUSE: Duration = Duration::from_secs(2);
/// How long it takes until a task is begun again that the disk has no room for.
const DISK_AGAIN: Duration = Duration::from_secs(5);
/// The class of what the disk refuses.
const DISK: &str = "infra.disk";
/// Workers that one task may lose in a row; after so many it is taken to be the reason.
const MOST_LOST: u32 = 5;
/// Workers a task has lost when it is under suspicion. Two such tasks are never at work at once: the innocent one would
/// be charged with what the other does.
const SUSPECT: u32 = 2;

/// Ends a run before its time.
#[derive(Clone, Debug, Default)]
pub struct RunControl {
    /// Begin nothing new, finish what runs.
    pub drain: CancellationToken,
    /// Stop what runs; it stays pending.
    pub cancel: CancellationToken,
}

/// When a start ends before all tasks have a record.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLimits {
    /// Tasks at a time.
    pub slots: usize,
    /// Dollars of this run, what was spent before included.
    pub max_usd: Option<f64>,
    /// Tokens of this run.
    pub max_tokens: Option<u64>,
    /// How long this start may take.
    pub max_time: Option<Duration>,
    /// Bytes of the disk that stay free; of a small one, a fiftieth.
    pub least_free: u64,
    /// How long there may be no room for records.
    pub disk_patience: Duration,
    /// How long the model's server may not be reached.
    pub outage_patience: Duration,
}

/// What a start works on.
pub struct RunJob {
    /// Where.
    pub folder: RunFolder,
    /// The rows.
    pub dataset: Arc<Dataset>,
    /// How tasks are run.
    pub options: RunOptions,
    /// Which of the configurations of the run that is.
    pub generation: u32,
    /// Which start it is.
    pub epoch: u64,
    /// The numbers of tasks without a record, in order.
    pub pending: Vec<u32>,
    /// How the others ended.
    pub done: BTreeMap<TaskStatus, usize>,
    /// How many tasks there are.
    pub total: usize,
    /// Where records go.
    pub writer: Arc<SegmentWriter>,
    /// Who tries tasks.
    pub executor: Arc<dyn TaskExecutor>,
    /// The limiter of the run, to look at.
    pub limiter: Arc<RateLimiter>,
    /// Dollars and tokens so far, compared with the limits.
    pub spend: Arc<RunSpend>,
    /// What runs.
    pub running: Arc<Running>,
}

/// Why a start ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Every task has a record.
    Complete,
    /// Before that, for this reason; it can be resumed.
    Stopped(String),
    /// Somebody insisted.
    Cancelled,
}

/// What a start came to.
#[derive(Clone, Debug)]
pub struct RunTotals {
    /// Why it ended.
    pub end: RunEnd,
    /// Where the run is now.
    pub progress: RunProgress,
}

/// A task that is tried again later.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Again {
    at: Instant,
    task: u32,
}

/// How one attempt went, once its record is safe or cannot be.
enum Finished {
    Safe { record: Box<TaskRecord> },
    NotWritten { task: u32, record: Box<TaskRecord>, why: String },
    Failed { task: u32, record: Box<TaskRecord> },
    Unreadable { why: BatchError },
    Cancelled { usage: TaskUsage, task: u32 },
    Lost { task: Box<BatchTask>, reason: String },
}

struct Coordinator<'a> {
    job: &'a RunJob,
    limits: RunLimits,
    control: &'a RunControl,
    front: &'a dyn RunFront,
    next: usize,
    again: BinaryHeap<Reverse<Again>>,
    /// Attempts and usage of tasks that were tried before.
    history: HashMap<u32, (u32, TaskUsage)>,
    /// Failures of the whole run that nothing has refuted yet.
    held: Vec<(u32, Box<TaskRecord>)>,
    /// How many workers in a row each task has lost.
    lost: HashMap<u32, u32>,
    /// Tasks under suspicion that wait for their turn.
    suspects: VecDeque<u32>,
    /// Since when a task cannot be begun because of the disk.
    hindered: HashMap<u32, Instant>,
    /// Records that the disk refused.
    unwritten: Vec<(u32, Box<TaskRecord>)>,
    room: DiskRoom,
    paused_until: Option<Instant>,
    at_work: JoinSet<Finished>,
    /// Whose work it is.
    at_work_on: HashMap<tokio::task::Id, u32>,
    /// Stops what runs: because somebody insists, or because it leads nowhere.
    halt: CancellationToken,
    is_out: bool,
    allowed: usize,
    progress: RunProgress,
    began: Instant,
    events: Option<File>,
    stop_reason: Option<String>,
    throttled: u64,
}

/// Works until every task has a record, or something ends it before.
///
/// # Errors
/// If the data set cannot be read any more.
pub async fn coordinate(
    job: &RunJob,
    limits: RunLimits,
    control: &RunControl,
    front: &dyn RunFront,
) -> Result<RunTotals, BatchError> {
    let events =
        File::options().append(true).create(true).open(job.folder.path("events.jsonl")).ok();
    let done = job.done.values().sum();
    let progress = RunProgress {
        total: job.total,
        done,
        by_status: job.done.clone(),
        max_usd: limits.max_usd,
        ..RunProgress::default()
    };
    let mut coordinator = Coordinator {
        job,
        limits,
        control,
        front,
        next: 0,
        again: BinaryHeap::new(),
        history: HashMap::new(),
        held: Vec::new(),
        lost: HashMap::new(),
        suspects: VecDeque::new(),
        hindered: HashMap::new(),
        unwritten: Vec::new(),
        room: DiskRoom::of(&job.folder, limits.least_free),
        paused_until: None,
        at_work: JoinSet::new(),
        at_work_on: HashMap::new(),
        halt: control.cancel.child_token(),
        is_out: false,
        allowed: job.limiter.allowed(),
        progress,
        began: Instant::now(),
        events,
        stop_reason: None,
        throttled: 0,
    };
    let end = coordinator.run().await?;
    coordinator.draw();
    coordinator.write_status();
    Ok(RunTotals { end, progress: coordinator.progress })
}

impl Coordinator<'_> {
    async fn run(&mut self) -> Result<RunEnd, BatchError> {
        self.tell(
            &json!({"event": "run_started", "epoch": self.job.epoch, "tasks": self.job.total,
            "pending": self.job.pending.len()}),
        );
        let mut drawn = tokio::time::interval(DRAW_EVERY);
        drawn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut status_at, mut drawn_at) = (Instant::now(), Instant::now());
        let mut told_draining = false;
        loop {
            self.look_at_limits();
            self.look_at_disk();
            self.look_at_server();
            self.begin_tasks();
            if self.at_work.is_empty() && (self.unwritten.is_empty() || self.gives_up_records()) {
                if self.is_stopping() {
                    break;
                }
                if self.has_begun_all() {
                    if self.held.is_empty() {
                        break;
                    }
                    self.settle_held();
                    continue;
                }
            }
            if self.is_stopping() && !told_draining && !self.at_work.is_empty() {
                told_draining = true;
                let count = self.at_work.len();
                self.front.note(&format!(
                    "draining: {count} tasks finish (Ctrl-C again to cancel them; they stay pending)"
                ));
            }
            tokio::select! {
                finished = self.at_work.join_next_with_id(), if !self.at_work.is_empty() => {
                    match finished {
                        Some(Ok((id, finished))) => {
                            self.at_work_on.remove(&id);
                            self.take(finished)?;
                        }
                        Some(Err(error)) => self.panicked(&error)?,
                        None => {}
                    }
                }
                _ = drawn.tick() => {}
                () = self.control.drain.cancelled(), if !told_draining && self.stop_reason.is_none() => {}
            }
            if drawn_at.elapsed() >= DRAW_EVERY {
                drawn_at = Instant::now();
                self.draw();
            }
            if status_at.elapsed() >= STATUS_EVERY {
                status_at = Instant::now();
                self.write_status();
            }
        }
        self.keep_unwritten();
        let end = match &self.stop_reason {
            _ if self.control.cancel.is_cancelled() => RunEnd::Cancelled,
            _ if self.progress.done >= self.progress.total => RunEnd::Complete,
            Some(why) => RunEnd::Stopped(why.clone()),
            None if self.control.drain.is_cancelled() => RunEnd::Stopped("drained".to_owned()),
            None => RunEnd::Stopped("some tasks could not be run".to_owned()),
        };
        self.tell(
            &json!({"event": "run_done", "done": self.progress.done, "end": format!("{end:?}")}),
        );
        Ok(end)
    }

    fn is_stopping(&self) -> bool {
        self.stop_reason.is_some() || self.control.drain.is_cancelled()
    }

    fn look_at_limits(&mut self) {
        self.progress.usd = self.job.spend.usd();
        self.progress.tokens = self.job.spend.tokens();
        let throttled = self.job.limiter.throttled();
        let allowed = self.job.limiter.allowed();
        if throttled > self.throttled {
            self.throttled = throttled;
            self.tell(&json!({"event": "throttled", "answers": throttled, "concurrency": allowed}));
        } else if allowed > self.allowed {
            self.tell(&json!({"event": "concurrency", "concurrency": allowed}));
        }
        self.allowed = allowed;
        if self.stop_reason.is_none() {
            self.stop_reason = self.job.executor.given_up();
        }
        if self.stop_reason.is_some() || self.has_begun_all() {
            return;
        }
        let RunLimits { max_usd, max_tokens, max_time, .. } = self.limits;
        let usd = self.progress.usd;
        let reason = match (max_usd, max_tokens, max_time) {
            (Some(most), _, _) if usd >= most => Some(format!("${usd:.2} of ${most:.2} are spent")),
            (_, Some(most), _) if self.progress.tokens >= most => {
                Some(format!("{most} tokens are used"))
            }
            (_, _, Some(most)) if self.began.elapsed() >= most => {
                Some("its time is over".to_owned())
            }
            _ => None,
        };
        if let Some(reason) = reason {
            self.tell(&json!({"event": "budget", "reason": reason}));
            self.stop_reason = Some(reason);
        }
    }

    fn begin_tasks(&mut self) {
        let now = Instant::now();
        if self.room.why().is_some() {
            return;
        }
        while self.at_work.len() < self.limits.slots.max(1) && !self.is_stopping() {
            let ready = self.again.peek().is_some_and(|Reverse(again)| again.at <= now);
            let number = if !self.suspects.is_empty() && !self.has_suspect_at_work() {
                self.suspects.pop_front()
            } else if ready {
                self.again.pop().map(|Reverse(again)| again.task)
            } else {
                let next = self.job.pending.get(self.next).copied();
                self.next += usize::from(next.is_some());
                next
            };
            let Some(number) = number else { return };
            self.begin(number);
        }
    }

    /// Whether nothing waits to be begun.
    fn has_begun_all(&self) -> bool {
        self.next >= self.job.pending.len() && self.again.is_empty() && self.suspects.is_empty()
    }

    fn is_suspect(&self, task: u32) -> bool {
        self.lost.get(&task).is_some_and(|losses| *losses >= SUSPECT)
    }

    fn has_suspect_at_work(&self) -> bool {
        self.at_work_on.values().any(|task| self.is_suspect(*task))
    }

    fn begin(&mut self, number: u32) {
        let job = self.job;
        let (dataset, options) = (Arc::clone(&job.dataset), job.options.clone());
        let (executor, writer) = (Arc::clone(&job.executor), Arc::clone(&job.writer));
        let (running, stop) = (Arc::clone(&job.running), self.halt.child_token());
        let (attempts, spent) = self.history.get(&number).cloned().unwrap_or_default();
        self.spawn(number, async move {
            let task = match BatchTask::read(&dataset, &options, number) {
                Ok(task) => task,
                Err(why) => return Finished::Unreadable { why },
            };
            running.begin(number, &task.id);
            let outcome = executor.attempt(&task, &stop).await;
            running.end(number);
            let mut record = match outcome {
                AttemptOutcome::Cancelled { usage } => {
                    return Finished::Cancelled { usage, task: number };
                }
                AttemptOutcome::Lost { reason } => {
                    return Finished::Lost { task: Box::new(task), reason };
                }
                AttemptOutcome::Recorded(record) => record,
                AttemptOutcome::Failed(mut record) => {
                    record.attempts = attempts + 1;
                    return Finished::Failed { task: number, record };
                }
            };
            record.attempts = attempts + 1;
            record.usage.add(&spent);
            commit(&writer, number, record).await
        });
    }

    fn spawn(&mut self, number: u32, work: impl Future<Output = Finished> + Send + 'static) {
        let id = self.at_work.spawn(work).id();
        self.at_work_on.insert(id, number);
    }

    /// A panic in a task's own work is a fault of ours, and costs that task only.
    fn panicked(&mut self, error: &tokio::task::JoinError) -> Result<(), BatchError> {
        let Some(number) = self.at_work_on.remove(&error.id()) else { return Ok(()) };
        self.job.running.end(number);
        let task = BatchTask::read(&self.job.dataset, &self.job.options, number)?;
        let mut record = task.failed(self.job.epoch, "internal", &error.to_string());
        record.generation = self.job.generation;
        record.attempts = self.history.get(&number).map_or(0, |(attempts, _)| *attempts) + 1;
        self.failed(number, Box::new(record));
        Ok(())
    }

    /// Hands in again what the disk refused, and says when there is no room or some again.
    fn look_at_disk(&mut self) {
        let now = Instant::now();
        if !self.unwritten.is_empty() && self.paused_until.is_none_or(|until| until <= now) {
            for (task, record) in std::mem::take(&mut self.unwritten) {
                self.write(task, record);
            }
        }
        match self.room.look() {
            Some(RoomNews::None(why)) => {
                self.front
                    .note(&format!("waiting for room on the disk, nothing new begins: {why}"));
                self.tell(&json!({"event": "disk", "reason": why}));
            }
            Some(RoomNews::Some) => {
                self.front.note("there is room on the disk again");
                self.tell(&json!({"event": "disk", "reason": null}));
            }
            None => {}
        }
        if self.stop_reason.is_none()
            && let Some(why) = self.room.why()
            && self.room.lasted() >= self.limits.disk_patience
        {
            self.stop_reason = Some(format!("records cannot be written: {why}"));
        }
    }

    /// Whether records that found no room are waited for no longer.
    fn gives_up_records(&self) -> bool {
        self.halt.is_cancelled() || self.room.lasted() >= self.limits.disk_patience
    }

    /// What found no room by the end goes beside the segments.
    fn keep_unwritten(&mut self) {
        if self.unwritten.is_empty() {
            return;
        }
        let records: Vec<&TaskRecord> =
            self.unwritten.iter().map(|(_, record)| &**record).collect();
        let count = records.len();
        let said = match keep_unwritten(&self.job.folder, self.job.epoch, &records) {
            Ok(path) => format!(
                "{count} records that could not be written are kept in {}; the next start takes them in",
                path.display()
            ),
            Err(error) => {
                format!("{count} records could not be written, so their tasks run again: {error}")
            }
        };
        self.front.note(&said);
    }

    /// Says when the model's server cannot be reached, and ends the run when that lasts.
    fn look_at_server(&mut self) {
        let outage = self.job.limiter.outage();
        match (&outage, std::mem::replace(&mut self.is_out, outage.is_some())) {
            (Some(outage), false) => {
                self.front
                    .note(&format!("the model cannot be reached, all tasks wait: {}", outage.why));
                self.tell(&json!({"event": "outage", "reason": outage.why}));
            }
            (None, true) => {
                self.front.note("the model can be reached again");
                self.tell(&json!({"event": "reachable"}));
            }
            _ => {}
        }
        let Some(outage) = outage.filter(|_| self.stop_reason.is_none()) else { return };
        // Who never answered is more likely a wrong address than one that will be back.
        let patience = match outage.was_there {
            true => self.limits.outage_patience,
            false => self.limits.outage_patience.min(NEVER_THERE),
        };
        if outage.lasted >= patience {
            self.stop_reason = Some(format!("the model cannot be reached: {}", outage.why));
            self.halt.cancel();
        }
    }

    fn take(&mut self, finished: Finished) -> Result<(), BatchError> {
        match finished {
            Finished::Unreadable { why } => return Err(why),
            Finished::Safe { record } => {
                self.room.taken();
                self.hindered.clear();
                if record.status != TaskStatus::Failed {
                    self.settle_held();
                }
                self.count(&record);
            }
            Finished::NotWritten { task, record, why } => {
                self.room.refused(why);
                self.unwritten.push((task, record));
                self.paused_until = Some(Instant::now() + DISK_PAUSE);
            }
            Finished::Cancelled { usage, task } => {
                // No fault of the task, so no try of it; but what it used is paid for.
                self.history.entry(task).or_default().1.add(&usage);
                // Stopped by its worker, not by us: another one takes it.
                if !self.halt.is_cancelled() {
                    self.again.push(Reverse(Again { at: Instant::now(), task }));
                }
            }
            Finished::Failed { task, record } => {
                self.lost.remove(&task);
                self.failed(task, record);
            }
            Finished::Lost { task, reason } => self.lost(&task, &reason),
        }
        Ok(())
    }

    /// Another worker takes the task. One that takes every worker along is the reason itself.
    fn lost(&mut self, task: &BatchTask, reason: &str) {
        let losses = self.lost.entry(task.number).or_default();
        *losses += 1;
        let losses = *losses;
        self.tell(
            &json!({"event": "worker_lost", "id": task.id, "reason": reason, "losses": losses}),
        );
        self.progress.last_failure = Some(format!("infra.worker_lost: {}", first_line(reason)));
        if losses < MOST_LOST {
            match self.is_suspect(task.number) {
                true => self.suspects.push_back(task.number),
                false => self.again.push(Reverse(Again { at: Instant::now(), task: task.number })),
            }
            return;
        }
        let why = format!("this task kills its worker, {losses} times in a row: {reason}");
        let mut record = task.failed(self.job.epoch, "infra.worker_lost", &why);
        record.generation = self.job.generation;
        record.attempts = losses;
        self.write(task.number, Box::new(record));
    }

    fn failed(&mut self, task: u32, mut record: Box<TaskRecord>) {
        let class = record.class.clone().unwrap_or_default();
        let reason = record.reason.clone().unwrap_or_default();
        self.progress.last_failure = Some(format!("{class}: {}", first_line(&reason)));
        let attempts = record.attempts;
        if class == DISK {
            // No fault of the task either: it is waited for as long as a record would be.
            let since = *self.hindered.entry(task).or_insert_with(Instant::now);
            if since.elapsed() < self.limits.disk_patience {
                self.history.entry(task).or_default().1.add(&record.usage);
                self.again.push(Reverse(Again { at: Instant::now() + DISK_AGAIN, task }));
                self.tell(&json!({"event": "disk", "id": record.id, "reason": reason}));
                return;
            }
        }
        if is_worth_repeating(&class) && attempts <= self.job.options.retries {
            self.remember(task, &record.usage);
            let mut stream = TaskStream::new(record.seed ^ u64::from(attempts));
            let seconds = (2.0 * 2_f64.powi(attempts as i32 - 1)).min(60.0);
            let wait = Duration::from_secs_f64(seconds * (0.75 + stream.draw() / 2.0));
            self.again.push(Reverse(Again { at: Instant::now() + wait, task }));
            self.tell(&json!({"event": "retry", "id": record.id, "class": class, "reason": reason,
                "attempt": attempts, "wait_ms": wait.as_millis() as u64}));
            return;
        }
        if let Some((_, spent)) = self.history.get(&task) {
            record.usage.add(spent);
        }
        if is_of_the_run(&class) {
            self.held.push((task, record));
            if self.held.len() >= FATAL_IN_A_ROW && self.stop_reason.is_none() {
                self.stop_reason =
                    Some(format!("{FATAL_IN_A_ROW} tasks in a row failed with {class}: {reason}"));
            }
            return;
        }
        self.write(task, record);
    }

    /// Failures of single tasks after all: something else went well, or there is nothing else.
    fn settle_held(&mut self) {
        if self.held.len() >= FATAL_IN_A_ROW {
            return;
        }
        for (task, record) in std::mem::take(&mut self.held) {
            self.write(task, record);
        }
    }

    fn write(&mut self, task: u32, record: Box<TaskRecord>) {
        let writer = Arc::clone(&self.job.writer);
        self.spawn(task, async move { commit(&writer, task, record).await });
    }

    fn remember(&mut self, task: u32, usage: &TaskUsage) {
        let (attempts, spent) = self.history.entry(task).or_default();
        *attempts += 1;
        spent.add(usage);
    }

    fn count(&mut self, record: &TaskRecord) {
        self.progress.done += 1;
        self.progress.done_now += 1;
        *self.progress.by_status.entry(record.status).or_default() += 1;
        self.tell(&json!({"event": "task_done", "id": record.id, "status": record.status,
            "class": record.class, "attempts": record.attempts, "done": self.progress.done}));
    }

    fn draw(&mut self) {
        let running = self.job.running.list();
        self.progress.running = running.len();
        self.progress.oldest = running.into_iter().next();
        self.progress.waiting = self.job.limiter.waiting();
        self.progress.took = self.began.elapsed();
        self.front.progress(&self.progress);
    }

    fn tell(&mut self, event: &Value) {
        self.front.event(event);
        if let Some(events) = &mut self.events
            && writeln!(events, "{event}").is_err()
        {
            // The log is a convenience; the records are what counts.
            self.events = None;
        }
    }

    fn write_status(&mut self) {
        let running: Vec<Value> = self
            .job
            .running
            .list()
            .iter()
            .map(|task| json!({"id": task.id, "turn": task.turn, "seconds": task.since.elapsed().as_secs()}))
            .collect();
        let status = json!({
            "epoch": self.job.epoch, "pid": std::process::id(), "host": crate::store::host_name(),
            "updated": jiff::Timestamp::now().to_string(), "running": running,
            "progress": self.progress.to_json(),
        });
        if let Err(error) = self.job.folder.write("status.json", status.to_string().as_bytes()) {
            tracing::debug!(%error, "status.json");
        }
    }
}

async fn commit(writer: &SegmentWriter, task: u32, record: Box<TaskRecord>) -> Finished {
    let line = match serde_json::to_vec(&record) {
        Ok(line) => line,
        Err(error) => return Finished::NotWritten { task, record, why: error.to_string() },
    };
    match writer.commit(IndexEntry::of(&record), line).await {
        Ok(()) => Finished::Safe { record },
        Err(error) => Finished::NotWritten { task, record, why: error.to_string() },
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(160).collect()
}

#[cfg(test)]
#[path = "coordinator_tests.rs"]
mod tests;
