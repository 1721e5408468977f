//! The record of runs: `cron/executions.db`.
//!
//! One row a run, written before it begins. The owner of a run is a process, told apart from a later one of the same
//! number by the time it started; a row that is not finished and whose owner is gone will never be finished.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_store::atomic::PRIVATE_MODE;
use hermes_store::clock;
use hermes_store::home::ensure_private_dir;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params};
use serde::Serialize;

use crate::error::CronError;

/// Rows that are kept.
const KEPT_ROWS: i64 = 1_000;
/// How long SQLite waits for another process.
const BUSY_WAIT: Duration = Duration::from_secs(30);

/// `due_at` is ours: the time a run was due, so that none is claimed twice.
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS executions (
    id TEXT PRIMARY KEY, job_id TEXT NOT NULL, source TEXT NOT NULL, process_id TEXT NOT NULL, pid INTEGER,
    process_started_at INTEGER, status TEXT NOT NULL, claimed_at TEXT NOT NULL, started_at TEXT,
    finished_at TEXT, error TEXT, due_at TEXT)";
const INDEXES: &str = "CREATE INDEX IF NOT EXISTS executions_by_job ON executions (job_id, due_at);
    CREATE INDEX IF NOT EXISTS executions_open ON executions (status) WHERE status IN ('claimed', 'running');";

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExecutionStatus {
    /// Somebody took it.
    Claimed,
    /// It began.
    Running,
    /// It ended well.
    Completed,
    /// It ended badly.
    Failed,
    /// Whoever ran it is gone; nobody knows how far it came.
    Unknown,
}

impl ExecutionStatus {
    /// The word in the database.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    fn read(word: &str) -> Self {
        match word {
            "claimed" => Self::Claimed,
            "running" => Self::Running,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            _ => Self::Unknown,
        }
    }
}

/// The process that runs something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerOwner {
    process_id: String,
    pid: u32,
    started: Option<u64>,
}

impl LedgerOwner {
    /// Number and start time of the running process, so that a reused number is told apart.
    #[must_use]
    pub fn this_process() -> Self {
        let pid = std::process::id();
        let process_id = format!("{:016x}", clock::random());
        Self { process_id, pid, started: hermes_process::process_start_time(pid) }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Execution {
    /// Its own name.
    pub id: String,
    /// Whose run it is.
    pub job_id: String,
    /// `schedule` or `manual`.
    pub source: String,
    /// How it stands.
    pub status: ExecutionStatus,
    /// The process that took it.
    pub pid: Option<u32>,
    /// When it was taken.
    pub claimed_at: String,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// The time it was due.
    pub due_at: Option<String>,
    #[serde(skip)]
    process_started: Option<u64>,
}

/// The record of runs of a home.
#[derive(Debug)]
pub struct Ledger {
    file: PathBuf,
    connection: Connection,
}

impl Ledger {
    /// Opens the record in the folder of jobs, and makes it if there is none.
    ///
    /// # Errors
    /// When it cannot be opened.
    #[expect(
        clippy::disallowed_methods,
        reason = "not the session database: a record of the jobs' own"
    )]
    pub fn open(folder: &Path) -> Result<Self, CronError> {
        let file = folder.join("executions.db");
        ensure_private_dir(folder)?;
        make_private(&file)?;
        let failed = |problem: rusqlite::Error| ledger_error(&file, &problem);
        let connection = Connection::open(&file).map_err(failed)?;
        let prepare = || -> rusqlite::Result<()> {
            connection.busy_timeout(BUSY_WAIT)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            // A kill loses nothing; after a power cut `jobs.json`, which is flushed, has the last word.
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.execute_batch(SCHEMA)?;
            // Another program's table may lack our column.
            let has_due = connection.prepare("SELECT due_at FROM executions LIMIT 0").is_ok();
            if !has_due {
                connection.execute_batch("ALTER TABLE executions ADD COLUMN due_at TEXT")?;
            }
            connection.execute_batch(INDEXES)
        };
        prepare().map_err(failed)?;
        Ok(Self { file, connection })
    }

    /// Writes down that a run is taken; its name. None if that due time was taken before.
    pub(crate) fn claim(
        &mut self,
        job_id: &str,
        source: &str,
        due_at: Option<&str>,
        owner: &LedgerOwner,
    ) -> Result<Option<String>, CronError> {
        let id = format!("{:016x}{:08x}", clock::random(), clock::random() & 0xffff_ffff);
        let file = self.file.clone();
        let mut act = || -> rusqlite::Result<Option<String>> {
            let transaction =
                self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let taken: Option<i64> = transaction
                .query_row(
                    "SELECT 1 FROM executions WHERE job_id = ?1 AND due_at = ?2",
                    params![job_id, due_at],
                    |row| row.get(0),
                )
                .optional()?;
            if taken.is_some() {
                return Ok(None);
            }
            transaction.execute(
                "INSERT INTO executions (id, job_id, source, process_id, pid, process_started_at, status,
                     claimed_at, due_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'claimed', ?7, ?8)",
                params![
                    id,
                    job_id,
                    source,
                    owner.process_id,
                    owner.pid,
                    owner.started.and_then(|started| i64::try_from(started).ok()),
                    now(),
                    due_at
                ],
            )?;
            transaction.commit()?;
            Ok(Some(id.clone()))
        };
        act().map_err(|problem| ledger_error(&file, &problem))
    }

    /// Writes down that a run begins.
    ///
    /// # Errors
    /// When it cannot be written: then it does not begin.
    pub fn started(&self, id: &str) -> Result<(), CronError> {
        self.execute(
            "UPDATE executions SET status = 'running', started_at = ?2 WHERE id = ?1",
            params![id, now()],
        )
    }

    /// Writes down how a run ended, and forgets the oldest ones.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finished(
        &self,
        id: &str,
        status: ExecutionStatus,
        error: Option<&str>,
    ) -> Result<(), CronError> {
        self.execute(
            "UPDATE executions SET status = ?2, finished_at = ?3, error = ?4 WHERE id = ?1",
            params![id, status.word(), now(), error],
        )?;
        self.execute(
            "DELETE FROM executions WHERE status NOT IN ('claimed', 'running') AND rowid <=
                 (SELECT max(rowid) FROM executions) - ?1",
            params![KEPT_ROWS],
        )
    }

    /// The newest runs first, of one job or of all.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn runs(&self, job_id: Option<&str>, limit: usize) -> Result<Vec<Execution>, CronError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.query(
            "SELECT * FROM executions WHERE ?1 IS NULL OR job_id = ?1 ORDER BY rowid DESC LIMIT ?2",
            params![job_id, limit],
        )
    }

    /// Runs that are not finished, though their owner may be gone.
    pub(crate) fn open_runs(&self) -> Result<Vec<Execution>, CronError> {
        self.query(
            "SELECT * FROM executions WHERE status IN ('claimed', 'running') ORDER BY rowid",
            [],
        )
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), CronError> {
        let done = self.connection.execute(sql, values);
        done.map(drop).map_err(|problem| ledger_error(&self.file, &problem))
    }

    fn query(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<Execution>, CronError> {
        let act = || -> rusqlite::Result<Vec<Execution>> {
            self.connection.prepare(sql)?.query_map(values, read_row)?.collect()
        };
        act().map_err(|problem| ledger_error(&self.file, &problem))
    }
}

impl Execution {
    /// Whether whoever took it is still there.
    #[must_use]
    pub fn has_owner(&self) -> bool {
        let started = self.pid.and_then(hermes_process::process_start_time);
        started.is_some() && (self.process_started.is_none() || started == self.process_started)
    }
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Execution> {
    let started: Option<i64> = row.get("process_started_at").unwrap_or_default();
    Ok(Execution {
        id: row.get("id")?,
        job_id: row.get("job_id")?,
        source: row.get("source")?,
        status: ExecutionStatus::read(&row.get::<_, String>("status")?),
        pid: row.get("pid")?,
        claimed_at: row.get("claimed_at")?,
        started_at: row.get("started_at")?,
        finished_at: row.get("finished_at")?,
        error: row.get("error")?,
        due_at: row.get("due_at")?,
        process_started: started.and_then(|started| u64::try_from(started).ok()),
    })
}

fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3f+00:00").to_string()
}

fn ledger_error(file: &Path, problem: &rusqlite::Error) -> CronError {
    CronError::Ledger { file: file.to_owned(), problem: problem.to_string() }
}

fn make_private(file: &Path) -> Result<(), CronError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE_MODE);
    options.open(file).map(drop).map_err(|source| CronError::Read { file: file.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_due_time_is_claimed_once() {
        let folder = tempfile::tempdir().unwrap();
        let owner = LedgerOwner::this_process();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        let id = ledger.claim("job", "schedule", Some("t1"), &owner).unwrap().unwrap();
        assert_eq!(
            Ledger::open(folder.path())
                .unwrap()
                .claim("job", "schedule", Some("t1"), &owner)
                .unwrap(),
            None
        );
        assert!(ledger.claim("job", "schedule", Some("t2"), &owner).unwrap().is_some());
        assert!(ledger.claim("job", "manual", None, &owner).unwrap().is_some());
        assert!(
            ledger.claim("job", "manual", None, &owner).unwrap().is_some(),
            "by hand as often as one likes"
        );
        ledger.started(&id).unwrap();
        ledger.finished(&id, ExecutionStatus::Failed, Some("why")).unwrap();
        let runs = ledger.runs(Some("job"), 10).unwrap();
        assert_eq!(runs.len(), 4);
        let first = runs.last().unwrap();
        assert_eq!((first.status, first.error.as_deref()), (ExecutionStatus::Failed, Some("why")));
        assert!(first.started_at.is_some() && first.has_owner());
        assert_eq!(ledger.open_runs().unwrap().len(), 3);
    }

    #[test]
    fn only_the_newest_rows_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let owner = LedgerOwner::this_process();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        ledger
            .connection
            .execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
            .unwrap();
        for _ in 0..KEPT_ROWS + 20 {
            let id = ledger.claim("job", "manual", None, &owner).unwrap().unwrap();
            ledger.finished(&id, ExecutionStatus::Completed, None).unwrap();
        }
        assert_eq!(ledger.runs(None, 5_000).unwrap().len(), usize::try_from(KEPT_ROWS).unwrap());
    }
}
