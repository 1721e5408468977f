//! The only place that opens the database.

use std::path::Path;
use std::time::Duration;

use hermes_store::atomic::PRIVATE_MODE;
use hermes_store::home::ensure_private_dir;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::error::{DatabaseTrouble, SessionsError};
use super::schema;
use super::tables::{self, Existing};

/// Pages kept in memory, in KiB (negative is SQLite's way to say so).
const CACHE_KIB: i64 = -16_384;
/// Statements kept ready.
const STATEMENTS: usize = 64;

/// What a connection may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Everything.
    Write,
    /// Look only; the file is never changed, not even brought up to date: what it lacks stands beside it.
    Read,
}

/// Opens the file, makes it if it may, and brings it up to date. SQLite itself waits `busy_wait` for
/// another process.
pub(super) fn open(
    path: &Path,
    access: Access,
    busy_wait: Duration,
) -> Result<Connection, SessionsError> {
    match access {
        Access::Write => open_for_writing(path, busy_wait),
        Access::Read => open_for_reading(path, busy_wait),
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the place the rule points to")]
fn connect(path: &Path, flags: OpenFlags, busy_wait: Duration) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(busy_wait)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "cache_size", CACHE_KIB)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Text of a model must not be able to call functions by way of a crafted file's views.
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

fn open_for_writing(path: &Path, busy_wait: Duration) -> Result<Connection, SessionsError> {
    make_private(path)?;
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, busy_wait)?;
    set_journal(&connection)?;
    let existing = Existing::read(&connection)?;
    check_age(path, &connection, &existing)?;
    if !schema::is_complete(&existing) {
        // Another process may be at the same work; whoever is second finds nothing left to do.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        schema::complete(&transaction)?;
        transaction.commit()?;
    }
    Ok(connection)
}

/// The file and its folder are for their owner alone. SQLite gives its side files the same mode.
fn make_private(path: &Path) -> Result<(), SessionsError> {
    if path.exists() {
        return Ok(());
    }
    let failed = |source| SessionsError::File { act: "create", path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        ensure_private_dir(folder).map_err(|problem| failed(std::io::Error::other(problem)))?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE_MODE);
    options.open(path).map(drop).map_err(failed)
}

/// A write-ahead log where the file system can do it, else the old journal.
///
/// With the log, `synchronous = NORMAL` loses nothing when a process dies at any moment: what was
/// committed is in the system's memory. Only a power cut can take the last transactions with it,
/// and it still leaves a sound file.
fn set_journal(connection: &Connection) -> rusqlite::Result<()> {
    let mode = |wanted: &str| {
        connection
            .pragma_update_and_check(None, "journal_mode", wanted, |row| row.get::<_, String>(0))
    };
    let is_log = match mode("WAL") {
        Ok(got) => got.eq_ignore_ascii_case("wal"),
        Err(problem) if DatabaseTrouble::of(&problem) == DatabaseTrouble::Other => {
            tracing::debug!(%problem, "no write-ahead log here");
            mode("DELETE")?;
            false
        }
        Err(problem) => return Err(problem),
    };
    connection.pragma_update(None, "synchronous", if is_log { "NORMAL" } else { "FULL" })
}

fn open_for_reading(path: &Path, busy_wait: Duration) -> Result<Connection, SessionsError> {
    let probe = |connection: Connection| -> Result<(Connection, Existing), SessionsError> {
        let existing = Existing::read(&connection)?;
        Ok((connection, existing))
    };
    let ordinary = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, busy_wait)
        .map_err(SessionsError::from)
        .and_then(probe);
    let (connection, existing) = match ordinary {
        Ok(opened) => opened,
        // A log needs a side file; in a folder that cannot be written to, the file is read as it is.
        Err(problem)
            if matches!(
                problem.trouble(),
                Some(DatabaseTrouble::CannotOpen | DatabaseTrouble::ReadOnly)
            ) =>
        {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            probe(connect(Path::new(&immutable_uri(path)), flags, busy_wait)?)?
        }
        Err(problem) => return Err(problem),
    };
    check_age(path, &connection, &existing)?;
    schema::stand_in(&connection, &existing)?;
    Ok(connection)
}

/// A form from before the oldest that is understood is left alone.
fn check_age(
    path: &Path,
    connection: &Connection,
    existing: &Existing,
) -> Result<(), SessionsError> {
    match existing.has("schema_version").then(|| schema::version(connection)).transpose()? {
        Some(Some(version)) if version < tables::OLDEST_VERSION => {
            Err(SessionsError::TooOld { path: path.to_owned(), version })
        }
        _ => Ok(()),
    }
}

fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri + "?immutable=1"
}
