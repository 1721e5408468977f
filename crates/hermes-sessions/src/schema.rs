//! The tables of the session database, and how an older file is brought up to date.
//!
//! A file is compared with the present tables whenever it is opened, and what is
//! missing is added: whole tables, single columns, indexes. That is all that ever happens to a
//! file of somebody else. Nothing is dropped or renamed, and the version such a file states stays
//! what it is, so that the program that wrote it still does the conversions it knows about.
//!
//! Who only reads changes nothing at all: what is missing stands beside the file while it is open
//! ([`stand_in`]).

use rusqlite::Connection;

use super::error::SessionsError;
use super::fts;
use super::tables::{Existing, INDEXES, TABLES, Table, UNIQUE_TITLES, VERSION};

/// Whether a file has this table with every column.
fn is_whole(table: &Table, existing: &Existing) -> bool {
    existing.has(table.name)
        && table.columns.iter().all(|(column, _)| existing.has_column(table.name, column))
}

/// Whether a file needs [`complete`].
pub(super) fn is_complete(existing: &Existing) -> bool {
    TABLES.iter().all(|table| is_whole(table, existing))
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
            if !existing.has_column(table.name, column) {
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

/// For a reader: puts what a file lacks beside it, under the same names, which come first when a statement
/// is read. The file itself is not touched.
pub(super) fn stand_in(connection: &Connection, existing: &Existing) -> rusqlite::Result<()> {
    for table in TABLES.iter().filter(|table| !is_whole(table, existing)) {
        let name = table.name;
        let columns = table.columns.iter().map(|(column, declaration)| {
            if existing.has_column(name, column) {
                return (*column).to_owned();
            }
            let value = declaration.split_once("DEFAULT ").map_or("NULL", |(_, value)| value);
            format!("{value} AS {column}")
        });
        let columns: Vec<String> = columns.collect();
        let from = if existing.has(name) { format!("FROM main.{name}") } else { "WHERE 0".into() };
        let columns = columns.join(", ");
        connection.execute_batch(&format!("CREATE TEMP VIEW {name} AS SELECT {columns} {from}"))?;
    }
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
