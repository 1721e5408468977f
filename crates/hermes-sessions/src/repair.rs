//! Saving what can be read of a damaged file.
//!
//! Everything begins with a copy of the file, which stays. Then the search indexes are made anew,
//! and if that leaves the file unsound, every row that can still be read moves to a new file, which
//! takes the place of the old one.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use serde::Serialize;

use super::backup::back_up;
use super::database::SessionDatabase;
use super::error::Result;
use super::error::SessionsError;
use super::fts;

/// How many complaints of a check are told.
const COMPLAINTS: usize = 20;

/// What [`SessionDatabase::repair`] did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Repaired {
    /// The copy made before anything was changed.
    pub backup: PathBuf,
    /// What was wrong before.
    pub complaints: Vec<String>,
    /// Rows moved to a new file, if that was needed.
    pub salvaged_rows: Option<usize>,
    /// What is still wrong.
    pub remaining: Vec<String>,
}

/// Everything SQLite and the indexes complain about.
pub(super) fn complaints(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({COMPLAINTS})"))?;
    let mut found = statement
        .query_map([], |row| row.get::<_, String>(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    found.retain(|line| line != "ok");
    let mut broken_links = connection.prepare("PRAGMA foreign_key_check")?;
    let links = broken_links.query_map([], |row| row.get::<_, String>(0))?.count();
    if links > 0 {
        found.push(format!("{links} rows point to sessions that are not there"));
    }
    found.extend(fts::check(connection)?);
    Ok(found)
}

impl SessionDatabase {
    /// Checks the whole file; answers the complaints, none if it is sound.
    pub fn check(&self) -> Result<Vec<String>> {
        if !self.path().exists() {
            return Ok(Vec::new());
        }
        self.maintain(|connection| Ok(complaints(connection)?))
    }

    /// Mends a damaged file as far as it can be, after a copy was made of it.
    pub fn repair(&self) -> Result<Repaired> {
        let backup = back_up(self.path())?;
        let before = match self.check() {
            Ok(found) => found,
            Err(problem) => vec![problem.to_string()],
        };
        let mended = self.maintain(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if fts::rebuild(&transaction).is_err() {
                fts::drop_all(&transaction)?;
                super::schema::complete(&transaction)?;
            }
            transaction.commit()?;
            Ok(complaints(connection)?)
        });
        if let Ok(remaining) = &mended
            && remaining.is_empty()
        {
            let remaining = Vec::new();
            return Ok(Repaired { backup, complaints: before, salvaged_rows: None, remaining });
        }
        // Whether closing works no longer matters: the file is replaced.
        let _ = self.close();
        let salvaged = salvage(self.path(), &backup).map_err(|problem| problem.at(self.path()))?;
        let remaining = self.check()?;
        Ok(Repaired { backup, complaints: before, salvaged_rows: Some(salvaged), remaining })
    }
}

/// Tables worth saving, those that others point to first.
const SAVED: [&str; 7] = [
    "sessions",
    "messages",
    "session_model_usage",
    "state_meta",
    "gateway_routing",
    "async_delegations",
    "schema_version",
];

fn salvage(path: &Path, backup: &Path) -> Result<usize> {
    let mut fresh_name = path.as_os_str().to_owned();
    fresh_name.push(".repaired");
    let fresh = PathBuf::from(fresh_name);
    let failed = |source| SessionsError::File { act: "replace", path: path.to_owned(), source };
    remove_with_log(&fresh).map_err(failed)?;
    let rows = {
        let target = SessionDatabase::at(&fresh);
        target.maintain(|connection| {
            connection.pragma_update(None, "foreign_keys", false)?;
            connection.execute_batch("DELETE FROM schema_version")?;
            // What is no database at all holds no rows; the new one begins empty then.
            let source = read_leniently(backup).ok();
            let transaction = connection.transaction()?;
            let rows = SAVED
                .iter()
                .filter_map(|table| Some(move_rows(source.as_ref()?, &transaction, table)))
                .sum();
            if super::schema::version(&transaction)?.is_none() {
                transaction.execute_batch("INSERT INTO schema_version(version) VALUES (22)")?;
            }
            // Messages whose session is lost get one to belong to.
            transaction.execute_batch(
                "INSERT INTO sessions(id, source, started_at, message_count, end_reason)
                 SELECT session_id, 'cli', min(timestamp), count(*), 'repaired' FROM messages
                 WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id;
                 UPDATE sessions SET parent_session_id = NULL
                 WHERE parent_session_id NOT IN (SELECT id FROM sessions);
                 DELETE FROM session_model_usage
                 WHERE session_id NOT IN (SELECT id FROM sessions);",
            )?;
            transaction.commit()?;
            Ok(rows)
        })?
    };
    remove_with_log(path).map_err(failed)?;
    std::fs::rename(&fresh, path).map_err(failed)?;
    Ok(rows)
}

fn remove_with_log(path: &Path) -> std::io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match std::fs::remove_file(&name) {
            Err(problem) if problem.kind() != std::io::ErrorKind::NotFound => return Err(problem),
            _ => {}
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a damaged file cannot be opened the ordinary way")]
fn read_leniently(path: &Path) -> rusqlite::Result<Connection> {
    let source = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Lets a file be read whose definitions are partly nonsense.
    source.pragma_update(None, "writable_schema", true)?;
    Ok(source)
}

/// Copies what can be read of one table: from its beginning up to the damage, and from its end back
/// to it.
fn move_rows(source: &Connection, target: &Connection, table: &str) -> usize {
    let names = |connection: &Connection| -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        statement.query_map([table], |row| row.get(0))?.collect()
    };
    let (Ok(theirs), Ok(ours)) = (names(source), names(target)) else { return 0 };
    let shared: Vec<&str> =
        ours.iter().filter(|name| theirs.contains(name)).map(String::as_str).collect();
    let (list, marks) = (shared.join(", "), vec!["?"; shared.len()].join(", "));
    let Ok(mut insert) =
        target.prepare(&format!("INSERT OR IGNORE INTO {table}({list}) VALUES ({marks})"))
    else {
        return 0;
    };
    let mut copied = 0;
    for direction in ["ASC", "DESC"] {
        // `NOT INDEXED`: a damaged index must not hide rows that are there.
        let select = format!("SELECT {list} FROM {table} NOT INDEXED ORDER BY rowid {direction}");
        let Ok(mut statement) = source.prepare(&select) else { continue };
        let Ok(mut rows) = statement.query([]) else { continue };
        let mut is_whole = false;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => {
                    is_whole = true;
                    break;
                }
                Err(_) => break,
            };
            let values: rusqlite::Result<Vec<rusqlite::types::Value>> =
                (0..shared.len()).map(|index| row.get(index)).collect();
            if let Ok(values) = values {
                copied += insert.execute(rusqlite::params_from_iter(values)).unwrap_or_default();
            }
        }
        if is_whole {
            break;
        }
    }
    copied
}
