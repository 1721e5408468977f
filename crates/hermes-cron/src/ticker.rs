//! The clock of a home: sleeps until something is due, takes it, and has it run.
//!
//! One process at a time holds `cron/.tick.lock`; others stand by and take over when it is gone. The loop sleeps until the
//! next due second, but looks every second whether `jobs.json` was changed or the clock was set, so that a new job
//! counts at once. Runs are tasks beside it: one that hangs holds up nothing, one that panics is a failed run. Only as
//! many runs are taken as can begin now; what waits is left in the file, where a kill does not touch it.
//!
//! `ticker_heartbeat` and `ticker_last_success` (seconds since 1970) say from outside whether it works.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use hermes_guard::redact::Redactor;
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{FileLock, LockError, Wait};
use jiff::Timestamp;
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::claim::{ClaimedRun, LostRun};
use crate::error::CronError;
use crate::finish::{finish, told};
use crate::ledger::{Ledger, LedgerOwner};
use crate::runner::{JobOutcome, JobRunner};
use crate::settings::CronSettings;
use crate::store::JobStore;

/// Between two looks at the file of jobs and at the clock.
const LOOK: Duration = Duration::from_secs(1);
/// Between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// A sign of life older than this means that the ticker hangs.
const STALLED: Duration = Duration::from_secs(60);
/// Runs that end within this time are written down together.
const TOGETHER: Duration = Duration::from_millis(50);
/// How long runs have to end when the ticker is told to.
const FAREWELL: Duration = Duration::from_secs(10);

const HEARTBEAT_FILE: &str = "ticker_heartbeat";
const SUCCESS_FILE: &str = "ticker_last_success";

/// What a ticker has to tell while it works.
#[derive(Clone, Debug)]
pub enum TickEvent {
    /// Another process ticks; this one waits for its end.
    StandingBy {
        /// That process.
        holder: Option<u32>,
    },
    /// This process ticks.
    Ticking,
    /// A run begins.
    Began(Box<ClaimedRun>),
    /// A run ended.
    Ended(Box<ClaimedRun>, JobOutcome),
    /// A run that another process left.
    Lost(Box<LostRun>),
    /// Something went wrong; it is tried again.
    Trouble(String),
}

/// How a run ended, and who did not hear of it.
type Told = (JobOutcome, Option<String>);
type Finished = (ClaimedRun, JobOutcome, Option<String>);

/// Runs the jobs of a home as they become due.
pub struct Ticker {
    store: JobStore,
    settings: CronSettings,
    redactor: Redactor,
    runner: Arc<dyn JobRunner>,
    tell: Arc<dyn Fn(TickEvent) + Send + Sync>,
}

/// What one [`Ticker::tick`] came to.
#[derive(Debug)]
pub enum Ticked {
    /// Another process ticks.
    NotOurs {
        /// That process.
        holder: Option<u32>,
    },
    /// So many runs were done.
    Done {
        /// All of them.
        runs: usize,
        /// Those that failed.
        failed: usize,
    },
}

impl Ticker {
    /// A ticker for these jobs, with whoever can run them.
    #[must_use]
    pub fn new(
        store: JobStore,
        settings: CronSettings,
        redactor: Redactor,
        runner: Arc<dyn JobRunner>,
    ) -> Self {
        Self { store, settings, redactor, runner, tell: Arc::new(|_| ()) }
    }

    /// The same, telling what happens.
    #[must_use]
    pub fn telling(self, tell: impl Fn(TickEvent) + Send + Sync + 'static) -> Self {
        Self { tell: Arc::new(tell), ..self }
    }

    /// Does everything that is due now, and waits for its end.
    ///
    /// # Errors
    /// When the jobs cannot be read or nothing can be written down.
    pub async fn tick(&self, stop: &CancellationToken) -> Result<Ticked, CronError> {
        let _lock = match self.lock() {
            Ok(lock) => lock,
            Err(LockError::Busy { holder, .. }) => return Ok(Ticked::NotOurs { holder }),
            Err(problem) => return Err(problem.into()),
        };
        let mut work = Work::open(self, stop)?;
        let (mut runs, mut failed) = (0, 0);
        // What becomes due on the way is for the next tick.
        let now = Timestamp::now();
        loop {
            work.claim(now).await?;
            if work.tasks.is_empty() {
                break;
            }
            let ended = work.join().await?;
            runs += ended.len();
            failed += ended.iter().filter(|(_, outcome, _)| outcome.error.is_some()).count();
        }
        Ok(Ticked::Done { runs, failed })
    }

    /// Ticks until told to stop; stands by while another process does.
    ///
    /// # Errors
    /// When the lock cannot be used at all.
    pub async fn run(&self, stop: &CancellationToken) -> Result<(), CronError> {
        let mut is_told = false;
        let _lock = loop {
            match self.lock() {
                Ok(lock) => break lock,
                Err(LockError::Busy { holder, .. }) => {
                    if !std::mem::replace(&mut is_told, true) {
                        (self.tell)(TickEvent::StandingBy { holder });
                    }
                }
                Err(problem) => return Err(problem.into()),
            }
            if stop.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_none() {
                return Ok(());
            }
        };
        (self.tell)(TickEvent::Ticking);
        let mut work = None;
        while !stop.is_cancelled() {
            // Runs that are under way outlive a trouble with the files: dropping them would end them, and their rows
            // would say for ever that they run.
            let ended = match &mut work {
                Some(Work { .. }) => Ok(()),
                none => Work::open(self, stop).map(|opened| *none = Some(opened)),
            };
            let ended = match (&mut work, ended) {
                (Some(work), Ok(())) => work.until_stopped().await,
                (_, ended) => ended,
            };
            if let Err(problem) = ended {
                (self.tell)(TickEvent::Trouble(problem.to_string()));
                stop.run_until_cancelled(tokio::time::sleep(LOOK)).await;
            }
        }
        Ok(())
    }

    fn lock(&self) -> Result<FileLock, LockError> {
        let file = self.store.folder().join(".tick.lock");
        ensure_private_dir(self.store.folder())
            .map_err(|problem| LockError::Io { file: file.clone(), source: problem.source })?;
        FileLock::acquire(&file, Wait::Never)
    }
}

/// Runs under way.
struct Work<'a> {
    ticker: &'a Ticker,
    stop: &'a CancellationToken,
    ledger: Arc<Mutex<Ledger>>,
    owner: LedgerOwner,
    tasks: JoinSet<Told>,
    claims: HashMap<Id, ClaimedRun>,
}

impl<'a> Work<'a> {
    fn open(ticker: &'a Ticker, stop: &'a CancellationToken) -> Result<Self, CronError> {
        let ledger = Arc::new(Mutex::new(Ledger::open(ticker.store.folder())?));
        let owner = LedgerOwner::this_process();
        Ok(Self { ticker, stop, ledger, owner, tasks: JoinSet::new(), claims: HashMap::new() })
    }

    async fn until_stopped(&mut self) -> Result<(), CronError> {
        // Nothing was seen yet, not even that there is no file.
        let mut seen = None::<FileStamp>;
        let (mut beaten, mut next) = (None::<Instant>, None);
        loop {
            let file = stamp(&self.ticker.store.file());
            let now = Timestamp::now();
            if seen != Some(file) || next.is_some_and(|next| next <= now) {
                self.claim(now).await?;
                next = self.next_due().await?;
                seen = Some(file);
            }
            if beaten.is_none_or(|beaten| beaten.elapsed() >= HEARTBEAT) {
                let folder = self.ticker.store.folder();
                beat(folder, HEARTBEAT_FILE);
                beat(folder, SUCCESS_FILE);
                beaten = Some(Instant::now());
            }
            let wait = next
                .and_then(|next| Duration::try_from(next.duration_since(Timestamp::now())).ok())
                .filter(|wait| !wait.is_zero())
                .map_or(LOOK, |wait| wait.min(LOOK));
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return self.say_farewell().await,
                () = tokio::time::sleep(wait) => {}
                Some(ended) = self.tasks.join_next_with_id(), if !self.tasks.is_empty() => {
                    // The file is written once for all that end about now.
                    if !self.tasks.is_empty() {
                        tokio::time::sleep(TOGETHER).await;
                    }
                    self.take(vec![ended]).await?;
                    // Room for more.
                    seen = None;
                }
            }
        }
    }

    async fn say_farewell(&mut self) -> Result<(), CronError> {
        // The runs were told by the same token.
        let ended = tokio::time::timeout(FAREWELL, async {
            while !self.tasks.is_empty() {
                self.join().await?;
            }
            Ok(())
        });
        ended.await.unwrap_or(Ok(()))
    }

    /// Takes what is due and begins it.
    async fn claim(&mut self, now: Timestamp) -> Result<(), CronError> {
        let most = self.ticker.settings.parallel().saturating_sub(self.tasks.len());
        let owner = self.owner.clone();
        let (lost, claimed) = self
            .on_disk(move |store, ledger| {
                let lost = store.recover(ledger, now)?;
                Ok((lost, store.claim_due(ledger, &owner, now, most)?))
            })
            .await?;
        for lost in lost {
            let outcome = JobOutcome::failed(lost.error.clone());
            told(
                &self.ticker.store,
                &lost.job,
                &outcome,
                &self.ticker.settings,
                self.ticker.redactor,
            )
            .await;
            (self.ticker.tell)(TickEvent::Lost(Box::new(lost)));
        }
        for run in claimed {
            self.begin(run).await?;
        }
        Ok(())
    }

    async fn begin(&mut self, run: ClaimedRun) -> Result<(), CronError> {
        let execution = run.execution.clone();
        self.on_disk(move |_, ledger| ledger.started(&execution)).await?;
        (self.ticker.tell)(TickEvent::Began(Box::new(run.clone())));
        let (runner, stop, job) =
            (Arc::clone(&self.ticker.runner), self.stop.clone(), run.job.clone());
        let (store, settings, redactor) =
            (self.ticker.store.clone(), self.ticker.settings.clone(), self.ticker.redactor);
        let task = self.tasks.spawn(async move {
            let outcome = runner.run(&job, &stop).await;
            let undelivered = told(&store, &job, &outcome, &settings, redactor).await;
            (outcome, undelivered)
        });
        self.claims.insert(task.id(), run);
        Ok(())
    }

    /// Waits until a run ends, and takes all that ended by then.
    async fn join(&mut self) -> Result<Vec<Finished>, CronError> {
        let first = self.tasks.join_next_with_id().await;
        self.take(first.into_iter().collect()).await
    }

    async fn take(
        &mut self,
        mut ended: Vec<Result<(Id, Told), tokio::task::JoinError>>,
    ) -> Result<Vec<Finished>, CronError> {
        while let Some(more) = self.tasks.try_join_next_with_id() {
            ended.push(more);
        }
        let mut finished = Vec::new();
        for ended in ended {
            let (id, (outcome, undelivered)) = match ended {
                Ok(ended) => ended,
                Err(problem) => {
                    (problem.id(), (JobOutcome::failed("the run broke down inside Hermes"), None))
                }
            };
            finished.extend(self.claims.remove(&id).map(|run| (run, outcome, undelivered)));
        }
        let runs = finished.clone();
        self.on_disk(move |store, ledger| finish(store, ledger, &runs)).await?;
        for (run, outcome, _) in &finished {
            (self.ticker.tell)(TickEvent::Ended(Box::new(run.clone()), outcome.clone()));
        }
        Ok(finished)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, CronError> {
        self.on_disk(|store, ledger| store.next_due(ledger)).await
    }

    /// Works on file and ledger on a thread that may wait for locks and disks.
    async fn on_disk<T: Send + 'static>(
        &self,
        act: impl FnOnce(&JobStore, &mut Ledger) -> Result<T, CronError> + Send + 'static,
    ) -> Result<T, CronError> {
        let (store, ledger) = (self.ticker.store.clone(), Arc::clone(&self.ledger));
        let done = tokio::task::spawn_blocking(move || {
            act(&store, &mut ledger.lock().unwrap_or_else(PoisonError::into_inner))
        });
        done.await.unwrap_or_else(|problem| {
            Err(CronError::BadJob(format!("the ticker broke down: {problem}")))
        })
    }
}

/// Whether the clock of a home works.
#[derive(Clone, Debug, PartialEq)]
pub struct TickerHealth {
    /// The process that ticks, if one does.
    pub holder: Option<u32>,
    /// Whether anybody ticks.
    pub is_held: bool,
    /// Since its last sign of life.
    pub silent_for: Option<Duration>,
}

impl TickerHealth {
    /// Whether somebody ticks and gives no sign of life.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        self.is_held && self.silent_for.is_none_or(|silent| silent > STALLED)
    }
}

/// Looks whether somebody ticks. Changes nothing.
#[must_use]
pub fn ticker_health(store: &JobStore) -> TickerHealth {
    let lock = store.folder().join(".tick.lock");
    let (is_held, holder) = match lock.exists().then(|| FileLock::acquire(&lock, Wait::Never)) {
        Some(Err(LockError::Busy { holder, .. })) => (true, holder),
        _ => (false, None),
    };
    let beaten = fs::read_to_string(store.folder().join(HEARTBEAT_FILE)).ok();
    let beaten = beaten.and_then(|text| text.trim().parse::<f64>().ok());
    let silent_for = beaten.and_then(|beaten| {
        let since = hermes_store::clock::now() - beaten;
        Duration::try_from_secs_f64(since.max(0.0)).ok()
    });
    TickerHealth { holder, is_held, silent_for }
}

fn beat(folder: &Path, name: &str) {
    let text = format!("{:.3}\n", hermes_store::clock::now());
    if let Err(problem) = atomic::write(&folder.join(name), text.as_bytes(), WriteOptions::SECRET) {
        tracing::warn!(%problem, "no sign of life of the ticker");
    }
}

/// What changes when a file is replaced.
type FileStamp = Option<(SystemTime, u64)>;

fn stamp(file: &Path) -> FileStamp {
    let found = fs::metadata(file).ok()?;
    Some((found.modified().ok()?, found.len()))
}
