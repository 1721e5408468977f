//! How an older file is brought up to date.
//!
//! A file is compared with the present tables whenever it is opened, and what is
//! missing is added: whole tables, single columns, indexes. That is all that ever happens to a
//! file of somebody else. Nothing is dropped or renamed, and the version such a file states stays
//! what it is, so that the program that wrote it still does the conversions it knows about.

use rusqlite::Connection;

use super::error::SessionsError;
use super::fts;
use super::tables::{Existing, INDEXES, TABLES, Table, UNIQUE_TITLES, VERSION};

/// The first table or column a file lacks.
pub(super) fn first_gap(existing: &Existing) -> Option<String> {
    TABLES.iter().find_map(|table| {
        if !existing.has(table.name) {
            return Some(format!("the table {}", table.name));
        }
        let gap = table.columns.iter().find(|(column, _)| {
            !existing.columns.contains(&(table.name.to_owned(), (*column).to_owned()))
        });
        gap.map(|(column, _)| format!("the column {}.{column}", table.name))
    })
}

/// Whether a file needs [`complete`].
pub(super) fn is_complete(existing: &Existing) -> bool {
    first_gap(existing).is_none()
        && INDEXES.iter().all(|(name, _)| existing.has(name))
        && fts::is_complete(existing)
}

/// The version a file states; none if it states none yet.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection.query_row("SELECT max(version) FROM schema_version", [], |row| row.get(0))
}

/// Adds whatever is missing. Runs inside a transaction of the caller.
pub(super) fn complete(connection: &Connection) -> Result<(), SessionsError> {
    let existing = Existing::read(connection)?;
    for table in TABLES {
        if !existing.has(table.name) {
            connection.execute_batch(&create(table))?;
            continue;
        }
        for (column, declaration) in table.columns {
            if !existing.columns.contains(&(table.name.to_owned(), (*column).to_owned())) {
                let name = table.name;
                connection.execute_batch(&format!(
                    "ALTER TABLE {name} ADD COLUMN {column} {declaration}"
                ))?;
            }
        }
    }
    for (name, on) in INDEXES {
        connection.execute_batch(&format!("CREATE INDEX IF NOT EXISTS {name} ON {on}"))?;
    }
    let (name, on) = UNIQUE_TITLES;
    if let Err(problem) =
        connection.execute_batch(&format!("CREATE UNIQUE INDEX IF NOT EXISTS {name} ON {on}"))
    {
        tracing::warn!(%problem, "titles are not unique in this sessions database");
    }
    if version(connection)?.is_none() {
        connection.execute("INSERT INTO schema_version(version) VALUES (?1)", [VERSION])?;
    }
    fts::complete(connection, &existing)?;
    Ok(())
}

fn create(table: &Table) -> String {
    let mut parts: Vec<String> =
        table.columns.iter().map(|(name, declaration)| format!("{name} {declaration}")).collect();
    if !table.constraint.is_empty() {
        parts.push(table.constraint.to_owned());
    }
    format!("CREATE TABLE {} (\n    {}\n)", table.name, parts.join(",\n    "))
}
