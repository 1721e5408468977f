//! The thread that writes.
//!
//! Everything that changes the database in an async program goes through one queue, in order:
//!
//! * *changes* of a conversation. They are recorded as soon as they are in the database, several at once
//!   if several wait. While another program holds the database locked they are recorded in a file beside
//!   it ([`super::journal`]), and move to the database when it is free;
//! * *acts*, which have an answer. Their callers wait for it, and hear that the database is busy if it
//!   stays locked for [`ACT_WAIT`];
//! * the wish to close.
//!
//! Nobody waits here on a thread that has other work: callers are handed numbers and futures.
//!
//! What never happens: a change overtakes another one, or is written after an earlier one of the same
//! conversation failed. A conversation is whole up to a point, and its recorder says so.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hermes_store::clock::random;
use tokio::sync::{oneshot, watch};

use super::change::{Rows, SessionChange};
use super::database::SessionDatabase;
use super::error::{Result, SessionsError};
use super::journal::{self, Journal};
use super::notes;

/// How long a first attempt waits for another process: far more than its transactions take, and less
/// than a person notices.
const FIRST_WAIT: Duration = Duration::from_millis(75);
/// The pause between attempts while the database is locked, in milliseconds, drawn anew each time.
const PAUSE: std::ops::Range<u64> = 20..60;
/// How long an act waits for a locked database before its caller is told.
pub(crate) const ACT_WAIT: Duration = Duration::from_secs(5);
/// Most changes in one transaction.
const MAX_BATCH: usize = 256;

/// How far the writer has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriterStatus {
    /// All changes up to this number are recorded: in the database, or beside it while it is locked.
    pub(crate) recorded: u64,
    /// Whether another program holds the database locked.
    pub(crate) is_locked: bool,
}

/// Why a conversation is no longer recorded; filled in once.
pub(crate) type Failure = Arc<OnceLock<String>>;

/// What happens when an act's time has come.
pub(crate) enum Call<'a> {
    /// Try.
    Try(&'a SessionDatabase),
    /// Tell the caller that the database is busy.
    GiveUp(SessionsError),
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    Done,
    Busy,
}

/// Work with an answer, which knows where the answer goes.
pub(crate) type Act = Box<dyn FnMut(Call<'_>) -> Attempt + Send>;

enum Command {
    Change { number: u64, change: Box<SessionChange>, failure: Failure },
    Act { act: Act, until: Instant },
    Close(oneshot::Sender<Result<()>>),
}

/// The near end of the queue.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Mutex<Queue>,
    status: watch::Receiver<WriterStatus>,
}

#[derive(Debug)]
struct Queue {
    sender: Sender<Command>,
    /// The number of the last change.
    last: u64,
}

impl Writer {
    /// Starts the thread. It ends when this is dropped.
    pub(crate) fn start(path: PathBuf) -> io::Result<Self> {
        let (sender, commands) = mpsc::channel();
        let (publish, status) = watch::channel(WriterStatus::default());
        let thread = WriterThread {
            database: SessionDatabase::with_lock_wait(path, FIRST_WAIT),
            commands,
            publish,
            backlog: VecDeque::new(),
            rows: HashMap::new(),
            journal: None,
            journaled: 0,
            one_by_one: 0,
            is_locked: false,
        };
        std::thread::Builder::new()
            .name("session-writer".to_owned())
            .spawn(move || thread.run())?;
        Ok(Self { queue: Mutex::new(Queue { sender, last: 0 }), status })
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a change; its number.
    pub(crate) fn change(&self, change: SessionChange, failure: Failure) -> u64 {
        // Number and place in the queue must agree, so both are given under the lock.
        let mut queue = self.queue();
        queue.last += 1;
        let number = queue.last;
        // A thread that is gone is seen by whoever waits for the number.
        let _ = queue.sender.send(Command::Change { number, change: Box::new(change), failure });
        number
    }

    /// Queues work with an answer.
    pub(crate) fn act(&self, act: Act) {
        let _ = self.queue().sender.send(Command::Act { act, until: Instant::now() + ACT_WAIT });
    }

    /// Asks for the database to be closed once everything before is written; tells at once if that
    /// cannot be, because it is locked.
    pub(crate) fn close(&self) -> oneshot::Receiver<Result<()>> {
        let (done, is_done) = oneshot::channel();
        let _ = self.queue().sender.send(Command::Close(done));
        is_done
    }

    /// The number of the last change that was queued.
    pub(crate) fn last(&self) -> u64 {
        self.queue().last
    }

    pub(crate) fn status(&self) -> watch::Receiver<WriterStatus> {
        self.status.clone()
    }
}

/// The far end of the queue.
struct WriterThread {
    database: SessionDatabase,
    commands: Receiver<Command>,
    publish: watch::Sender<WriterStatus>,
    backlog: VecDeque<Command>,
    /// The rows of messages, by the numbers they were queued under.
    rows: HashMap<u64, i64>,
    journal: Option<Journal>,
    /// The last change that is in the journal.
    journaled: u64,
    /// How many changes at the front are to be written each on its own, to find the one that fails.
    one_by_one: usize,
    is_locked: bool,
}

impl WriterThread {
    fn run(mut self) {
        journal::recover(self.database.path());
        loop {
            let received = match self.backlog.is_empty() {
                true => self.commands.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => {
                    let pause = PAUSE.start + random() % (PAUSE.end - PAUSE.start);
                    self.commands.recv_timeout(Duration::from_millis(pause))
                }
            };
            let is_over = matches!(received, Err(RecvTimeoutError::Disconnected));
            self.backlog.extend(received);
            self.backlog.extend(self.commands.try_iter());
            self.work_off();
            if is_over {
                // What is left is in the journal, for the next process.
                return;
            }
        }
    }

    fn work_off(&mut self) {
        while let Some(mut command) = self.backlog.pop_front() {
            let attempt = match &mut command {
                Command::Change { .. } => {
                    self.backlog.push_front(command);
                    match self.write_changes() {
                        Attempt::Done => continue,
                        Attempt::Busy => return self.others_write(),
                    }
                }
                Command::Act { act, until } => {
                    let call = match self.is_locked && *until <= Instant::now() {
                        true => Call::GiveUp(SessionsError::busy(self.database.path())),
                        false => Call::Try(&self.database),
                    };
                    // A panic ends the act, not the thread: its caller finds the answer missing.
                    catch_unwind(AssertUnwindSafe(|| act(call))).unwrap_or(Attempt::Done)
                }
                Command::Close(_) => Attempt::Done,
            };
            match (attempt, command) {
                (Attempt::Busy, command) => {
                    self.backlog.push_front(command);
                    return self.others_write();
                }
                (Attempt::Done, Command::Close(done)) => {
                    self.free();
                    let _ = done.send(self.database.close());
                }
                (Attempt::Done, _) => {}
            }
        }
        self.free();
    }

    /// Writes the changes at the front of the queue, in one transaction.
    fn write_changes(&mut self) -> Attempt {
        let most = if self.one_by_one > 0 { 1 } else { MAX_BATCH };
        let mut batch: Vec<&SessionChange> = Vec::new();
        let (mut count, mut last, mut from_journal) = (0, 0, 0);
        let mut failures: Vec<&Failure> = Vec::new();
        for command in self.backlog.iter().take(most) {
            let Command::Change { number, change, failure } = command else { break };
            (count, last) = (count + 1, *number);
            from_journal += usize::from(*number <= self.journaled);
            if failure.get().is_none() {
                batch.push(change);
                failures.push(failure);
            }
        }
        // The lines of the journal are the changes up to `journaled`; those before this batch are written.
        let mark = self.journal.as_ref().filter(|_| from_journal > 0).map(|journal| {
            let rest = self.journaled - last.min(self.journaled);
            (journal.key(), journal.written - usize::try_from(rest).unwrap_or(usize::MAX))
        });
        let written = self.database.write(|connection| {
            let mut rows = Rows::new(&self.rows);
            for change in &batch {
                change.apply(connection, &mut rows)?;
            }
            if let Some((key, lines)) = &mark {
                notes::set(connection, key, Some(&lines.to_string()))?;
            }
            Ok(rows.fresh)
        });
        match written {
            Ok(fresh) => self.rows.extend(fresh),
            Err(problem) if problem.is_busy() => return Attempt::Busy,
            Err(_) if count > 1 => {
                self.one_by_one = count;
                return Attempt::Done;
            }
            Err(problem) => {
                tracing::warn!(%problem, "a conversation is no longer recorded");
                for failure in failures {
                    // Only the first reason counts.
                    let _ = failure.set(problem.to_string());
                }
            }
        }
        self.backlog.drain(..count);
        self.one_by_one = self.one_by_one.saturating_sub(count);
        self.publish.send_modify(|status| status.recorded = status.recorded.max(last));
        Attempt::Done
    }

    /// Another program holds the database locked: what waits is recorded beside it.
    fn others_write(&mut self) {
        if !std::mem::replace(&mut self.is_locked, true) {
            self.database.set_busy_wait(Duration::ZERO);
        }
        self.journal_changes();
        let now = Instant::now();
        let closing = self.backlog.iter().any(|command| matches!(command, Command::Close(_)));
        let unwritten = self.unwritten();
        let mut kept = VecDeque::with_capacity(self.backlog.len());
        for command in std::mem::take(&mut self.backlog) {
            match command {
                Command::Act { mut act, until } if closing || until <= now => {
                    let call = Call::GiveUp(SessionsError::busy(self.database.path()));
                    let _ = catch_unwind(AssertUnwindSafe(|| act(call)));
                }
                Command::Close(done) => {
                    let answer = match (&self.journal, unwritten) {
                        (Some(journal), changes) if changes > 0 => {
                            Err(SessionsError::Unwritten { changes, file: journal.path().into() })
                        }
                        (_, 0) => Ok(()),
                        _ => Err(SessionsError::busy(self.database.path())),
                    };
                    let _ = done.send(answer);
                }
                command => kept.push_back(command),
            }
        }
        self.backlog = kept;
    }

    fn unwritten(&self) -> usize {
        let is_change = |command: &&Command| matches!(command, Command::Change { .. });
        self.backlog.iter().filter(is_change).count()
    }

    fn journal_changes(&mut self) {
        let mut recorded = 0;
        for command in &self.backlog {
            let Command::Change { number, change, .. } = command else { continue };
            recorded = *number;
            if *number <= self.journaled {
                continue;
            }
            let appended = match &mut self.journal {
                Some(journal) => journal.append(&change.with_rows(&self.rows)),
                None => Journal::create(self.database.path()).and_then(|mut journal| {
                    journal.append(&change.with_rows(&self.rows))?;
                    self.journal = Some(journal);
                    Ok(())
                }),
            };
            if let Err(problem) = appended {
                // Neither here nor there can be written. It still waits in memory, and whoever talks is
                // not held up for it.
                tracing::warn!(%problem, "changes of a conversation wait in memory only");
                return self.publish_recorded(u64::MAX);
            }
            self.journaled = *number;
        }
        self.publish_recorded(recorded);
    }

    /// Nobody is held up for changes up to this number that are in the queue.
    fn publish_recorded(&self, number: u64) {
        let is_change = |command: &Command| match command {
            Command::Change { number, .. } => Some(*number),
            _ => None,
        };
        let last = self.backlog.iter().filter_map(is_change).max().unwrap_or(0);
        let number = number.min(last);
        // Both at once: whoever sees the number must not take what is beside the database for written.
        self.publish.send_modify(|status| {
            status.recorded = status.recorded.max(number);
            status.is_locked = true;
        });
    }

    /// Everything is in the database.
    fn free(&mut self) {
        if std::mem::take(&mut self.is_locked) {
            self.database.set_busy_wait(FIRST_WAIT);
            if let Some(journal) = self.journal.take() {
                journal.finish(&self.database);
            }
            self.publish.send_modify(|status| status.is_locked = false);
        }
    }
}
