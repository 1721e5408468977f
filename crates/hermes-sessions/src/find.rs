//! Finding sessions by what a person remembers of them, and listing them.

use rusqlite::{Connection, OptionalExtension, ToSql};
use serde::Serialize;

use super::content::Content;
use super::database::SessionDatabase;
use super::error::Result;
use super::error::SessionsError;
use super::message::ACTIVE;
use super::session::{self, SessionRow};
use super::tables::in_message_order;
use super::title::{clean_title, number};
use super::{lineage, row::Columns};

/// How many ids an error about an unclear beginning names.
const NAMED_CANDIDATES: usize = 5;
/// Longest preview, in characters.
const PREVIEW: usize = 60;
/// Sources that are inner workings and only listed when asked for.
pub const HIDDEN_SOURCES: [&str; 2] = ["subagent", "tool"];

/// The time of the last message, or of the beginning if there is none.
pub(super) const LAST_ACTIVE: &str =
    "coalesce((SELECT max(timestamp) FROM messages WHERE session_id = s.id), s.started_at)";

/// A session as listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct SessionSummary {
    pub id: String,
    pub title: Option<String>,
    pub source: String,
    pub model: Option<String>,
    pub cwd: Option<String>,
    pub started_at: f64,
    pub last_active: f64,
    pub ended_at: Option<f64>,
    pub message_count: i64,
    pub archived: bool,
    pub parent_session_id: Option<String>,
    /// How the first message of the person begins.
    pub preview: String,
}

/// Which sessions to list, newest activity first.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    /// Only those of this source; without, all but [`HIDDEN_SOURCES`].
    pub source: Option<String>,
    /// Only those that work in this folder or below.
    pub workspace: Option<String>,
    /// Whether archived ones are shown.
    pub archived: Archived,
    /// At most so many.
    pub limit: Option<usize>,
}

/// Whether archived sessions are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Archived {
    /// They are not.
    #[default]
    LeaveOut,
    /// They are, beside the others.
    Include,
    /// Nothing else is.
    Only,
}

/// A condition with its values, in order of their question marks.
#[derive(Default)]
pub(super) struct Where {
    conditions: Vec<String>,
    pub(super) values: Vec<Box<dyn ToSql>>,
}

impl Where {
    pub(super) fn and(&mut self, condition: impl Into<String>) {
        self.conditions.push(condition.into());
    }

    pub(super) fn and_with(&mut self, condition: &str, value: impl ToSql + 'static) {
        self.conditions.push(condition.to_owned());
        self.values.push(Box::new(value));
    }

    /// In this folder or below it.
    pub(super) fn and_below(&mut self, folder: &str) {
        let folder = folder.trim_end_matches('/').to_owned();
        self.and("(s.cwd = ? OR substr(s.cwd, 1, length(?)) = ?)");
        let below = format!("{folder}/");
        self.values.push(Box::new(folder));
        self.values.push(Box::new(below.clone()));
        self.values.push(Box::new(below));
    }

    pub(super) fn text(&self) -> String {
        match self.conditions.is_empty() {
            true => "1".to_owned(),
            false => self.conditions.join(" AND "),
        }
    }
}

/// Sessions that meet a condition on `s` (and `last_active`), as listed.
pub(super) fn summaries(
    connection: &Connection,
    filter: &Where,
    limit: Option<usize>,
) -> rusqlite::Result<Vec<SessionSummary>> {
    let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let in_order = in_message_order(connection)?;
    // Previews are looked up only for what is shown.
    let select = format!(
        "WITH chosen AS (SELECT s.*, {LAST_ACTIVE} AS last_active FROM sessions AS s
             WHERE {} ORDER BY last_active DESC, s.id DESC LIMIT {limit})
         SELECT id, title, source, model, cwd, started_at, last_active, ended_at, message_count,
             archived, parent_session_id,
             (SELECT content FROM messages {in_order}
              WHERE session_id = chosen.id AND role = 'user' AND {ACTIVE} ORDER BY id LIMIT 1)
         FROM chosen ORDER BY last_active DESC, id DESC",
        filter.text()
    );
    let values: Vec<&dyn ToSql> = filter.values.iter().map(AsRef::as_ref).collect();
    connection
        .prepare(&select)?
        .query_map(values.as_slice(), |row| {
            let mut columns = Columns::of(row);
            Ok(SessionSummary {
                id: columns.take()?,
                title: columns.take()?,
                source: columns.take()?,
                model: columns.take()?,
                cwd: columns.take()?,
                started_at: columns.take()?,
                last_active: columns.take()?,
                ended_at: columns.take()?,
                message_count: columns.count()?,
                archived: columns.count()? != 0,
                parent_session_id: columns.take()?,
                preview: columns.take::<Option<String>>()?.map(preview).unwrap_or_default(),
            })
        })?
        .collect()
}

fn preview(stored: String) -> String {
    let content = Content::decode(stored);
    let text = content.text();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(PREVIEW) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// The newest session with this title or a numbered one of it.
pub(super) fn by_title(connection: &Connection, wanted: &str) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, title FROM sessions WHERE title = ?1 OR title >= ?2 AND title < ?3 \
         ORDER BY started_at DESC, id DESC",
    )?;
    let bounds = [wanted, &format!("{wanted} #"), &format!("{wanted} $")];
    let found = statement.query_map(bounds, |row| Ok((row.get(0)?, row.get(1)?)))?;
    for pair in found {
        let (id, title): (String, String) = pair?;
        if number(&title, wanted).is_some() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

pub(super) fn resolve(connection: &Connection, wanted: &str) -> Result<String> {
    let exact: Option<String> = connection
        .query_row("SELECT id FROM sessions WHERE id = ?1", [wanted], |row| row.get(0))
        .optional()?;
    if let Some(id) = exact {
        return Ok(id);
    }
    let beyond = format!("{wanted}{}", char::MAX);
    let mut ids = connection
        .prepare_cached(
            "SELECT id FROM sessions WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
        )?
        .query_map((wanted, beyond, NAMED_CANDIDATES as i64 + 1), |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    if !wanted.is_empty() && ids.len() == 1 {
        return Ok(ids.remove(0));
    }
    let title = clean_title(wanted).unwrap_or_default();
    if !title.is_empty()
        && let Some(id) = by_title(connection, &title)?
    {
        return Ok(id);
    }
    match ids.is_empty() || wanted.is_empty() {
        true => Err(session::missing(wanted)),
        false => {
            ids.truncate(NAMED_CANDIDATES);
            Err(SessionsError::Ambiguous { wanted: wanted.to_owned(), ids })
        }
    }
}

impl SessionDatabase {
    /// The session somebody means: by id, by a beginning only one id has, by title (of several
    /// numbered ones the newest).
    pub fn find(&self, wanted: &str) -> Result<SessionRow> {
        let found = self.read(|connection| {
            let id = resolve(connection, wanted)?;
            Ok(session::get(connection, &id)?)
        })?;
        found.ok_or_else(|| session::missing(wanted))
    }

    /// The session to go on with when somebody means this one: [`find`](Self::find), then
    /// [`tip`](Self::tip).
    pub fn find_tip(&self, wanted: &str) -> Result<SessionRow> {
        let found = self.read(|connection| {
            let id = lineage::tip(connection, &resolve(connection, wanted)?)?;
            Ok(session::get(connection, &id)?)
        })?;
        found.ok_or_else(|| session::missing(wanted))
    }

    /// The session of a source in which something was said last.
    pub fn latest(&self, source: &str) -> Result<Option<SessionRow>> {
        self.read(|connection| {
            let mut filter = Where::default();
            filter.and_with("s.source = ?", source.to_owned());
            filter.and("s.archived = 0 AND s.message_count > 0");
            filter.and("s.end_reason IS NOT 'compression'");
            let newest = summaries(connection, &filter, Some(1))?;
            match newest.first() {
                Some(summary) => Ok(session::get(connection, &summary.id)?),
                None => Ok(None),
            }
        })
    }

    /// Sessions, those with the newest activity first. A session that goes on in another one is
    /// represented by that one.
    pub fn list(&self, filter: &ListFilter) -> Result<Vec<SessionSummary>> {
        self.read(|connection| {
            let mut conditions = Where::default();
            match &filter.source {
                Some(source) => conditions.and_with("s.source = ?", source.clone()),
                None => conditions.and("s.source NOT IN ('subagent', 'tool')"),
            }
            match filter.archived {
                Archived::LeaveOut => conditions.and("s.archived = 0"),
                Archived::Include => {}
                Archived::Only => conditions.and("s.archived = 1"),
            }
            if let Some(workspace) = &filter.workspace {
                conditions.and_below(workspace);
            }
            conditions.and(
                "NOT (s.end_reason IS 'compression' AND EXISTS (SELECT 1 FROM sessions AS child \
                 WHERE child.parent_session_id = s.id AND child.source = s.source))",
            );
            Ok(summaries(connection, &conditions, filter.limit)?)
        })
    }
}
