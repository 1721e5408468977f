//! Sessions: made, looked up, renamed, ended.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::database::SessionDatabase;
use super::error::Result;
use super::error::SessionsError;
use super::row::Columns;
use super::title::{self, TitleError, base_title, clean_title};
use hermes_store::clock::now;

/// A session to be made. Fields that are not known stay `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewSession {
    /// Its id, such as [`super::new_session_id`] gives.
    pub id: String,
    /// Where it comes from: `cli`, `cron`, `subagent`, `acp` and so on.
    pub source: String,
    /// The person, on platforms that tell.
    pub user_id: Option<String>,
    /// The model it begins with.
    pub model: Option<String>,
    /// Settings of the model, and notes under names that begin with `_`.
    pub model_config: Option<Value>,
    /// The instructions, frozen for its life.
    pub system_prompt: Option<String>,
    /// The session it goes on from.
    pub parent_session_id: Option<String>,
    /// Where it works.
    pub cwd: Option<String>,
    /// The branch checked out there.
    pub git_branch: Option<String>,
    /// The repository around it.
    pub git_repo_root: Option<String>,
    /// The profile it belongs to.
    pub profile_name: Option<String>,
    /// When it began; now, if not said.
    pub started_at: Option<f64>,
}

/// A session as stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names of the columns say it")]
pub struct SessionRow {
    pub id: String,
    pub source: String,
    pub user_id: Option<String>,
    pub model: Option<String>,
    pub model_config: Option<Value>,
    pub system_prompt: Option<String>,
    pub parent_session_id: Option<String>,
    pub started_at: f64,
    pub ended_at: Option<f64>,
    pub end_reason: Option<String>,
    pub message_count: i64,
    pub tool_call_count: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub cache_read_tokens: i64,
    pub cache_write_tokens: i64,
    pub reasoning_tokens: i64,
    pub cwd: Option<String>,
    pub git_branch: Option<String>,
    pub git_repo_root: Option<String>,
    pub billing_provider: Option<String>,
    pub estimated_cost_usd: Option<f64>,
    pub actual_cost_usd: Option<f64>,
    pub title: Option<String>,
    pub api_call_count: i64,
    pub compression_failure_cooldown_until: Option<f64>,
    pub compression_failure_error: Option<String>,
    pub compression_fallback_streak: i64,
    pub profile_name: Option<String>,
    pub rewind_count: i64,
    pub archived: bool,
}

const COLUMNS: &str = "id, source, user_id, model, model_config, system_prompt, parent_session_id, \
    started_at, ended_at, end_reason, message_count, tool_call_count, input_tokens, output_tokens, \
    cache_read_tokens, cache_write_tokens, reasoning_tokens, cwd, git_branch, git_repo_root, \
    billing_provider, estimated_cost_usd, actual_cost_usd, title, api_call_count, \
    compression_failure_cooldown_until, compression_failure_error, compression_fallback_streak, \
    profile_name, rewind_count, archived";

impl SessionRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let mut columns = Columns::of(row);
        Ok(Self {
            id: columns.take()?,
            source: columns.take()?,
            user_id: columns.take()?,
            model: columns.take()?,
            model_config: columns.json()?,
            system_prompt: columns.take()?,
            parent_session_id: columns.take()?,
            started_at: columns.take()?,
            ended_at: columns.take()?,
            end_reason: columns.take()?,
            message_count: columns.count()?,
            tool_call_count: columns.count()?,
            input_tokens: columns.count()?,
            output_tokens: columns.count()?,
            cache_read_tokens: columns.count()?,
            cache_write_tokens: columns.count()?,
            reasoning_tokens: columns.count()?,
            cwd: columns.take()?,
            git_branch: columns.take()?,
            git_repo_root: columns.take()?,
            billing_provider: columns.take()?,
            estimated_cost_usd: columns.take()?,
            actual_cost_usd: columns.take()?,
            title: columns.take()?,
            api_call_count: columns.count()?,
            compression_failure_cooldown_until: columns.take()?,
            compression_failure_error: columns.take()?,
            compression_fallback_streak: columns.count()?,
            profile_name: columns.take()?,
            rewind_count: columns.count()?,
            archived: columns.count()? != 0,
        })
    }

    /// A note in the model's settings, such as `_branched_from`.
    #[must_use]
    pub fn note(&self, name: &str) -> Option<&str> {
        self.model_config.as_ref()?.get(name)?.as_str()
    }
}

/// One session by its exact id.
pub(super) fn get(connection: &Connection, id: &str) -> rusqlite::Result<Option<SessionRow>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM sessions WHERE id = ?1"))?
        .query_row([id], SessionRow::from_row)
        .optional()
}

/// One session by its exact id, or the error that there is none.
pub(super) fn require(connection: &Connection, id: &str) -> Result<SessionRow> {
    get(connection, id)?.ok_or_else(|| missing(id))
}

pub(super) fn missing(wanted: &str) -> SessionsError {
    SessionsError::NoSession { wanted: wanted.to_owned() }
}

pub(super) fn insert(connection: &Connection, new: &NewSession) -> Result<()> {
    let config = new.model_config.as_ref().map(Value::to_string);
    let made = connection
        .prepare_cached(
            "INSERT OR IGNORE INTO sessions(id, source, user_id, model, model_config, \
             system_prompt, parent_session_id, cwd, git_branch, git_repo_root, profile_name, \
             started_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            new.id,
            new.source,
            new.user_id,
            new.model,
            config,
            new.system_prompt,
            new.parent_session_id,
            new.cwd,
            new.git_branch,
            new.git_repo_root,
            new.profile_name,
            new.started_at.unwrap_or_else(now),
        ])?;
    match made {
        0 => Err(SessionsError::Exists { id: new.id.clone() }),
        _ => Ok(()),
    }
}

/// Changes columns of one session.
pub(super) fn update(
    connection: &Connection,
    id: &str,
    set: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<()> {
    let mut statement =
        connection.prepare_cached(&format!("UPDATE sessions SET {set} WHERE id = ?1"))?;
    let mut all: Vec<&dyn rusqlite::ToSql> = vec![&id];
    all.extend_from_slice(values);
    match statement.execute(all.as_slice())? {
        0 => Err(missing(id)),
        _ => Ok(()),
    }
}

pub(super) fn set_system_prompt(connection: &Connection, id: &str, prompt: &str) -> Result<()> {
    update(connection, id, "system_prompt = ?2", &[&prompt])
}

/// Ends a session. The first end counts.
pub(super) fn end(connection: &Connection, id: &str, reason: &str, time: f64) -> Result<()> {
    let set = "ended_at = coalesce(ended_at, ?2), end_reason = coalesce(end_reason, ?3)";
    update(connection, id, set, &[&time, &reason])
}

pub(super) fn reopen(connection: &Connection, id: &str) -> Result<()> {
    update(connection, id, "ended_at = NULL, end_reason = NULL", &[])
}

/// Gives a session a title that is already clean.
pub(super) fn set_clean_title(connection: &Connection, id: &str, title: &str) -> Result<()> {
    let owner: Option<String> = connection
        .query_row("SELECT id FROM sessions WHERE title = ?1 AND id <> ?2", [title, id], |row| {
            row.get(0)
        })
        .optional()?;
    if let Some(owner) = owner {
        return Err(TitleError::Taken { title: title.to_owned(), owner }.into());
    }
    update(connection, id, "title = ?2", &[&title])
}

/// The next free `name #N` after this title.
pub(super) fn next_title(connection: &Connection, title: &str) -> Result<String> {
    let base = base_title(title);
    let mut statement = connection.prepare_cached(
        "SELECT title FROM sessions WHERE title = ?1 OR title >= ?2 AND title < ?3",
    )?;
    // What begins with `base #` lies between that and the same with the next character.
    let mut highest = 0;
    let titles = statement
        .query_map([base, &format!("{base} #"), &format!("{base} $")], |row| {
            row.get::<_, String>(0)
        })?;
    for found in titles {
        highest = highest.max(title::number(&found?, base).unwrap_or_default());
    }
    Ok(match highest {
        0 => base.to_owned(),
        highest => title::numbered(base, highest + 1),
    })
}

impl SessionDatabase {
    /// Makes a session.
    pub fn create(&self, new: &NewSession) -> Result<()> {
        self.write(|connection| insert(connection, new))
    }

    /// A session by its exact id.
    pub fn get(&self, id: &str) -> Result<Option<SessionRow>> {
        self.read(|connection| Ok(get(connection, id)?))
    }

    /// Gives a session a title; answers the title as stored. Other sessions' titles are refused.
    pub fn set_title(&self, id: &str, title: &str) -> Result<String> {
        let title = clean_title(title)?;
        self.write(|connection| set_clean_title(connection, id, &title))?;
        Ok(title)
    }

    /// Gives a session a title if it has none, numbered when the name is taken; answers the title
    /// it has in the end.
    pub fn set_title_if_none(&self, id: &str, title: &str) -> Result<String> {
        let title = clean_title(title)?;
        self.write(|connection| {
            if let Some(present) = require(connection, id)?.title {
                return Ok(present);
            }
            let free = next_title(connection, &title)?;
            set_clean_title(connection, id, &free)?;
            Ok(free)
        })
    }

    /// The name itself if it is free, else the next `name #N`.
    pub fn next_title(&self, title: &str) -> Result<String> {
        let title = clean_title(title)?;
        let next = self.read(|connection| next_title(connection, &title).map(Some))?;
        Ok(next.unwrap_or(title))
    }

    /// Freezes the instructions of a session.
    pub fn set_system_prompt(&self, id: &str, prompt: &str) -> Result<()> {
        self.write(|connection| set_system_prompt(connection, id, prompt))
    }

    /// Notes the model a session goes on with, and its settings.
    pub fn set_model(&self, id: &str, model: &str, config: Option<&Value>) -> Result<()> {
        let config = config.map(Value::to_string);
        self.write(|connection| {
            let set = "model = ?2, model_config = coalesce(?3, model_config)";
            update(connection, id, set, &[&model, &config])
        })
    }

    /// Ends a session for a reason such as `user_exit`. The first end counts.
    pub fn end(&self, id: &str, reason: &str) -> Result<()> {
        self.write(|connection| end(connection, id, reason, now()))
    }

    /// Takes back the end of a session, to go on with it.
    pub fn reopen(&self, id: &str) -> Result<()> {
        self.write(|connection| reopen(connection, id))
    }

    /// Puts a session out of sight, or back.
    pub fn archive(&self, id: &str, state: Archive) -> Result<()> {
        let archived = state == Archive::Hidden;
        self.write(|connection| update(connection, id, "archived = ?2", &[&archived]))
    }
}

/// Whether a session is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archive {
    /// Out of sight.
    Hidden,
    /// Listed.
    Listed,
}
