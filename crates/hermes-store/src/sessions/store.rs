//! The handle: one connection, opened at the first use, used by one caller at a time.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::error::{SessionsError, Trouble};
use super::fts;
use super::open::{Access, open};

/// Further attempts when another process is writing, after SQLite itself has waited a second.
const ATTEMPTS: u32 = 15;
/// The pause before each of them, drawn anew so that two processes do not keep step.
const PAUSE: std::ops::Range<u64> = 20..150;
/// So many writes later the log is folded into the file.
const WRITES_A_CHECKPOINT: u32 = 50;

/// What acts on the database answer.
pub type Result<T> = std::result::Result<T, SessionsError>;

/// The sessions of one home. Cheap to clone; all clones share one connection.
#[derive(Clone, Debug)]
pub struct SessionStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    access: Access,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    connection: Option<Connection>,
    writes: u32,
}

impl SessionStore {
    /// The database in this file. Nothing is opened or made before the first use.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::with(path.into(), Access::Write)
    }

    /// The database in this file, for looking only: the file is never changed.
    #[must_use]
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Self::with(path.into(), Access::Read)
    }

    fn with(path: PathBuf, access: Access) -> Self {
        Self { shared: Arc::new(Shared { path, access, state: Mutex::default() }) }
    }

    /// The file.
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
        self.shared.close(&mut self.state())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened<'a>(&self, state: &'a mut State) -> Result<&'a mut Connection> {
        let connection = match state.connection.take() {
            Some(connection) => connection,
            None => patiently(|| open(self.path(), self.shared.access))
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
        patiently(|| act(connection)).map_err(|problem| problem.at(self.path()))
    }

    /// Does all of something or nothing. The act may be tried several times.
    pub(super) fn write<T>(&self, act: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        let mut state = self.state();
        let connection = self.opened(&mut state)?;
        let mut result = patiently(|| whole(connection, &act));
        if let Err(problem) = &result
            && problem.trouble() == Some(Trouble::Corrupt)
        {
            result = self
                .mend_index(connection, problem)
                .and_then(|()| patiently(|| whole(connection, &act)));
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

    /// Like [`read`](Self::read), for what reads the search index: a damaged one is made anew.
    pub(super) fn read_index<T: Default>(
        &self,
        act: impl Fn(&Connection) -> Result<T>,
    ) -> Result<T> {
        match self.read(&act) {
            Err(problem)
                if problem.trouble() == Some(Trouble::Corrupt)
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
        super::repair::back_up(self.path())?;
        whole(connection, &|connection| Ok(fts::rebuild(connection)?))
    }

    /// Work that is no transaction, on the open connection.
    pub(super) fn maintain<T>(&self, act: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let mut state = self.state();
        let connection = self.opened(&mut state)?;
        act(connection).map_err(|problem| problem.at(self.path()))
    }
}

impl Shared {
    fn close(&self, state: &mut State) -> Result<()> {
        let Some(connection) = state.connection.take() else { return Ok(()) };
        if self.access == Access::Write {
            checkpoint(&connection, "TRUNCATE");
        }
        connection.close().map_err(|(_, problem)| SessionsError::from(problem).at(&self.path))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let mut state =
            std::mem::take(self.state.get_mut().unwrap_or_else(PoisonError::into_inner));
        if let Err(problem) = self.close(&mut state) {
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

fn patiently<T>(mut act: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..ATTEMPTS {
        match act() {
            Err(problem) if problem.trouble() == Some(Trouble::Busy) => {
                let span = PAUSE.end - PAUSE.start;
                let pause = PAUSE.start + super::ids::random() % span;
                std::thread::sleep(Duration::from_millis(pause));
            }
            other => return other,
        }
    }
    act()
}
