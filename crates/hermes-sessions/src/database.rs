//! The session database for callers that may wait: one connection, opened at the first use, used by one caller
//! at a time.
//!
//! All the acts of this crate are methods of [`SessionDatabase`], each in the file of what it is about.
//! They are plain functions that wait for the disk and for other processes. Async code reaches them
//! through [`SessionStore`](crate::SessionStore), which runs them on threads of its own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::error::{DatabaseTrouble, Result, SessionsError};
use super::fts;
use super::open::{Access, open};

/// How long SQLite itself waits for another process in one attempt.
const BUSY_WAIT: Duration = Duration::from_secs(1);
/// Further attempts when another process is writing.
const ATTEMPTS: u32 = 15;
/// The pause before each of them, drawn anew so that two processes do not keep step.
const PAUSE: std::ops::Range<u64> = 20..150;
/// So many writes later the log is folded into the file.
const WRITES_A_CHECKPOINT: u32 = 50;

/// The sessions of one home, for callers that may wait. Cheap to clone; all clones share one connection.
#[derive(Clone, Debug)]
pub struct SessionDatabase {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    access: Access,
    /// Attempts after the first when another process is writing.
    attempts: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    connection: Option<Connection>,
    writes: u32,
    busy_wait: Duration,
}

impl SessionDatabase {
    /// The database in this file. Nothing is opened or made before the first use.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::with(path.into(), Access::Write, ATTEMPTS, BUSY_WAIT)
    }

    /// The database in this file, for looking only: the file is never changed.
    #[must_use]
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Self::with(path.into(), Access::Read, ATTEMPTS, BUSY_WAIT)
    }

    /// For a caller that waits in its own way: each act is tried once, and is busy after `wait`.
    pub(super) fn with_lock_wait(path: PathBuf, wait: Duration) -> Self {
        Self::with(path, Access::Write, 0, wait)
    }

    fn with(path: PathBuf, access: Access, attempts: u32, busy_wait: Duration) -> Self {
        let state = Mutex::new(State { connection: None, writes: 0, busy_wait });
        Self { shared: Arc::new(Shared { path, access, attempts, state }) }
    }

    /// From now on SQLite itself waits this long in one attempt.
    pub(super) fn set_busy_wait(&self, wait: Duration) {
        let mut state = self.state();
        state.busy_wait = wait;
        if let Some(connection) = &state.connection
            && let Err(problem) = connection.busy_timeout(wait)
        {
            tracing::debug!(%problem, "how long to wait for others");
        }
    }

    /// Where it is. There need not be a file yet.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Opens the database now, making it if need be, to learn early that nothing can be kept.
    pub fn open(&self) -> Result<()> {
        self.opened(&mut self.state()).map(|_| ())
    }

    /// Folds the log into the file and closes the database. The next use opens it again.
    pub fn close(&self) -> Result<()> {
        let connection = self.state().connection.take();
        self.shared.close(connection)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened<'a>(&self, state: &'a mut State) -> Result<&'a mut Connection> {
        let connection = match state.connection.take() {
            Some(connection) => connection,
            None => self
                .retry_while_locked(|| open(self.path(), self.shared.access, state.busy_wait))
                .map_err(|problem| problem.at(self.path()))?,
        };
        Ok(state.connection.insert(connection))
    }

    /// Looks something up. There is nothing in a database that does not exist, and none is made.
    pub(super) fn read<T: Default>(&self, act: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        let mut state = self.state();
        if state.connection.is_none() && !self.path().exists() {
            return Ok(T::default());
        }
        let connection = self.opened(&mut state)?;
        self.retry_while_locked(|| act(connection)).map_err(|problem| problem.at(self.path()))
    }

    /// Does all of something or nothing. The act may be tried several times.
    pub(super) fn write<T>(&self, act: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        let mut state = self.state();
        let connection = self.opened(&mut state)?;
        let mut result = self.retry_while_locked(|| whole(connection, &act));
        if let Err(problem) = &result
            && problem.trouble() == Some(DatabaseTrouble::Corrupt)
        {
            result = self
                .mend_index(connection, problem)
                .and_then(|()| self.retry_while_locked(|| whole(connection, &act)));
        }
        let answer = result.map_err(|problem| problem.at(self.path()))?;
        state.writes += 1;
        if state.writes.is_multiple_of(WRITES_A_CHECKPOINT)
            && let Some(connection) = &state.connection
        {
            checkpoint(connection, "PASSIVE");
        }
        Ok(answer)
    }

    /// Like [`read`](Self::read), for what reads the search index: a damaged one is made anew, and a
    /// missing one is made beside a file that is only looked at.
    pub(super) fn read_index<T: Default>(
        &self,
        act: impl Fn(&Connection) -> Result<T>,
    ) -> Result<T> {
        let act = |connection: &Connection| {
            if self.shared.access == Access::Read {
                fts::stand_in(connection)?;
            }
            act(connection)
        };
        match self.read(act) {
            Err(problem)
                if problem.trouble() == Some(DatabaseTrouble::Corrupt)
                    && self.shared.access == Access::Write =>
            {
                self.maintain(|connection| self.mend_index(connection, &problem))?;
                self.read(act)
            }
            other => other,
        }
    }

    /// A damaged index is no loss: it is made again from the messages, after a copy of the file.
    fn mend_index(&self, connection: &mut Connection, problem: &SessionsError) -> Result<()> {
        tracing::warn!(%problem, "making the search index of the sessions anew");
        super::backup::back_up(self.path())?;
        whole(connection, &|connection| Ok(fts::rebuild(connection)?))
    }

    fn retry_while_locked<T>(&self, mut act: impl FnMut() -> Result<T>) -> Result<T> {
        for _ in 0..self.shared.attempts {
            match act() {
                Err(problem) if problem.is_busy() => {
                    let span = PAUSE.end - PAUSE.start;
                    let pause = PAUSE.start + hermes_store::clock::random() % span;
                    std::thread::sleep(Duration::from_millis(pause));
                }
                other => return other,
            }
        }
        act()
    }

    /// Work that is no transaction, on the open connection.
    pub(super) fn maintain<T>(&self, act: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let mut state = self.state();
        let connection = self.opened(&mut state)?;
        act(connection).map_err(|problem| problem.at(self.path()))
    }
}

impl Shared {
    fn close(&self, connection: Option<Connection>) -> Result<()> {
        let Some(connection) = connection else { return Ok(()) };
        if self.access == Access::Write {
            checkpoint(&connection, "TRUNCATE");
        }
        connection.close().map_err(|(_, problem)| SessionsError::from(problem).at(&self.path))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let connection =
            self.state.get_mut().unwrap_or_else(PoisonError::into_inner).connection.take();
        if let Err(problem) = self.close(connection) {
            tracing::debug!(%problem, "closing the sessions database");
        }
    }
}

/// One attempt at a transaction, which claims the right to write at its beginning.
fn whole<T>(connection: &mut Connection, act: &impl Fn(&Connection) -> Result<T>) -> Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let answer = act(&transaction)?;
    transaction.commit()?;
    Ok(answer)
}

/// Folding the log is a kindness to readers; a process that is in the way only delays it.
pub(super) fn checkpoint(connection: &Connection, how: &str) {
    if let Err(problem) = connection.execute_batch(&format!("PRAGMA wal_checkpoint({how})")) {
        tracing::debug!(%problem, "checkpoint of the sessions database");
    }
}
