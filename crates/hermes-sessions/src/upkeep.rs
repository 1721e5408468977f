//! Removing sessions, and numbers about all of them.

use rusqlite::Connection;
use serde::Serialize;

use super::database::{SessionDatabase, checkpoint};
use super::error::Result;
use super::find::{SessionSummary, Where, summaries};
use super::fts::{self, IndexKind};

/// Which sessions to remove or archive: those that meet all that is said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PruneFilter {
    /// Nothing was said in it since this time.
    pub before: Option<f64>,
    /// Something was said in it since this time.
    pub after: Option<f64>,
    /// It comes from here.
    pub source: Option<String>,
    /// Its title holds this, capitals or not.
    pub title: Option<String>,
    /// It works in this folder or below.
    pub cwd: Option<String>,
    /// Its model's name holds this.
    pub model: Option<String>,
    /// It has at least so many messages.
    pub min_messages: Option<i64>,
    /// It has at most so many messages.
    pub max_messages: Option<i64>,
}

/// Whether something is only shown or really done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Only shown.
    Pretend,
    /// Done.
    Perform,
}

/// Numbers about all sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// How many sessions.
    pub sessions: i64,
    /// How many of them are archived.
    pub archived: i64,
    /// How many messages, also those set aside.
    pub messages: i64,
    /// How often models asked for a tool.
    pub tool_calls: i64,
    /// Tokens read by models.
    pub input_tokens: i64,
    /// Tokens written by models.
    pub output_tokens: i64,
    /// What models did or should have cost.
    pub cost_usd: f64,
    /// The beginning of the oldest session.
    pub oldest: Option<f64>,
    /// The beginning of the newest session.
    pub newest: Option<f64>,
    /// Sessions by where they come from, most first.
    pub by_source: Vec<(String, i64)>,
    /// Sessions by model, most first.
    pub by_model: Vec<(String, i64)>,
    /// Size of the file, with its log.
    pub bytes: u64,
    /// The version the file states.
    pub schema_version: Option<i64>,
    /// Where the search index keeps its text.
    pub index: Option<IndexKind>,
}

/// What [`SessionDatabase::optimize`] gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Optimized {
    /// Size of the file before.
    pub bytes_before: u64,
    /// Size of the file after.
    pub bytes_after: u64,
}

fn delete(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    // What goes on from it stands on its own from now on.
    for statement in [
        "UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?1",
        "DELETE FROM messages WHERE session_id = ?1",
        "DELETE FROM session_model_usage WHERE session_id = ?1",
        "DELETE FROM compression_locks WHERE session_id = ?1",
        "DELETE FROM state_meta WHERE key = 'goal:' || ?1",
    ] {
        connection.prepare_cached(statement)?.execute([id])?;
    }
    let removed = connection.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([id])?;
    Ok(removed == 1)
}

impl PruneFilter {
    fn conditions(&self) -> Where {
        let mut filter = Where::default();
        if let Some(time) = self.before {
            filter.and_with("last_active < ?", time);
        }
        if let Some(time) = self.after {
            filter.and_with("last_active >= ?", time);
        }
        if let Some(source) = &self.source {
            filter.and_with("s.source = ?", source.clone());
        }
        if let Some(title) = &self.title {
            filter.and_with("instr(lower(s.title), lower(?)) > 0", title.clone());
        }
        if let Some(model) = &self.model {
            filter.and_with("instr(lower(s.model), lower(?)) > 0", model.clone());
        }
        if let Some(cwd) = &self.cwd {
            filter.and_below(cwd);
        }
        if let Some(count) = self.min_messages {
            filter.and_with("coalesce(s.message_count, 0) >= ?", count);
        }
        if let Some(count) = self.max_messages {
            filter.and_with("coalesce(s.message_count, 0) <= ?", count);
        }
        filter
    }
}

impl SessionDatabase {
    /// Removes a session and its messages for good; tells whether there was one.
    pub fn delete(&self, id: &str) -> Result<bool> {
        self.write(|connection| Ok(delete(connection, id)?))
    }

    /// Removes the sessions that meet a filter, all or none; answers which.
    pub fn prune(&self, filter: &PruneFilter, act: Act) -> Result<Vec<SessionSummary>> {
        self.chosen(filter, act, |connection, id| delete(connection, id).map(|_| ()))
    }

    /// Archives the sessions that meet a filter and are not archived yet; answers which.
    pub fn archive_all(&self, filter: &PruneFilter, act: Act) -> Result<Vec<SessionSummary>> {
        let all = self.chosen(filter, act, |connection, id| {
            let mut statement =
                connection.prepare_cached("UPDATE sessions SET archived = 1 WHERE id = ?1")?;
            statement.execute([id]).map(|_| ())
        })?;
        Ok(all.into_iter().filter(|summary| !summary.archived).collect())
    }

    fn chosen(
        &self,
        filter: &PruneFilter,
        act: Act,
        change: impl Fn(&Connection, &str) -> rusqlite::Result<()>,
    ) -> Result<Vec<SessionSummary>> {
        let choose = |connection: &Connection| summaries(connection, &filter.conditions(), None);
        if act == Act::Pretend || !self.path().exists() {
            return self.read(|connection| Ok(choose(connection)?));
        }
        self.write(|connection| {
            let chosen = choose(connection)?;
            for summary in &chosen {
                change(connection, &summary.id)?;
            }
            Ok(chosen)
        })
    }

    /// Numbers about all sessions.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.read(|connection| {
            let mut stats = connection.query_row(
                "SELECT count(*), total(archived), total(tool_call_count), total(input_tokens), \
                 total(output_tokens), total(coalesce(actual_cost_usd, estimated_cost_usd)), \
                 min(started_at), max(started_at) FROM sessions",
                [],
                |row| {
                    let whole = |index| row.get::<_, f64>(index).map(|total| total as i64);
                    Ok(Stats {
                        sessions: row.get(0)?,
                        archived: whole(1)?,
                        tool_calls: whole(2)?,
                        input_tokens: whole(3)?,
                        output_tokens: whole(4)?,
                        cost_usd: row.get(5)?,
                        oldest: row.get(6)?,
                        newest: row.get(7)?,
                        ..Stats::default()
                    })
                },
            )?;
            stats.messages =
                connection.query_row("SELECT count(*) FROM messages", [], |row| row.get(0))?;
            let by = |column: &str| -> rusqlite::Result<Vec<(String, i64)>> {
                let select = format!(
                    "SELECT coalesce({column}, ''), count(*) AS number FROM sessions \
                     GROUP BY 1 ORDER BY number DESC, 1"
                );
                connection
                    .prepare(&select)?
                    .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                    .collect()
            };
            stats.by_source = by("source")?;
            stats.by_model = by("model")?;
            stats.schema_version = super::schema::version(connection)?;
            stats.index = fts::kind(connection)?;
            Ok(stats)
        })?;
        stats.bytes = self.bytes();
        Ok(stats)
    }

    /// Size of the file with its log.
    fn bytes(&self) -> u64 {
        let mut log = self.path().as_os_str().to_owned();
        log.push("-wal");
        let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |data| data.len());
        size(self.path()) + size(std::path::Path::new(&log))
    }

    /// Merges the search index, gives unused pages back to the system, refreshes statistics.
    pub fn optimize(&self) -> Result<Optimized> {
        let bytes_before = self.bytes();
        self.maintain(|connection| {
            fts::optimize(connection)?;
            checkpoint(connection, "TRUNCATE");
            connection.execute_batch("VACUUM; PRAGMA optimize")?;
            checkpoint(connection, "TRUNCATE");
            Ok(())
        })?;
        Ok(Optimized { bytes_before, bytes_after: self.bytes() })
    }
}
