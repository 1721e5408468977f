//! Messages: appended, read back in order, set aside by rewinding.

use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content::Content;
use super::database::SessionDatabase;
use super::error::Result;
use super::row::Columns;
use super::session::{missing, update};
use hermes_store::clock::now;

/// A row that is part of the conversation. Old files may hold none-values.
pub(super) const ACTIVE: &str = "coalesce(active, 1) = 1";
/// A row that was not taken back: part of the conversation, or summarised since.
pub(super) const VISIBLE: &str = "(coalesce(active, 1) = 1 OR compacted = 1)";

/// A message to be stored. Fields that are not known stay `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewMessage {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// What it says.
    pub content: Option<Content>,
    /// For a tool's answer: the call it answers.
    pub tool_call_id: Option<String>,
    /// For a model's answer: the list of calls it asks for.
    pub tool_calls: Option<Value>,
    /// For a tool's answer: the tool.
    pub tool_name: Option<String>,
    /// What became of a call that was interrupted.
    pub effect_disposition: Option<String>,
    /// When; now, if not said.
    pub timestamp: Option<f64>,
    /// Its size for the model.
    pub token_count: Option<i64>,
    /// Why the model stopped.
    pub finish_reason: Option<String>,
    /// The model's thinking, as text.
    pub reasoning: Option<String>,
    /// The model's thinking, as a provider wants it back.
    pub reasoning_content: Option<String>,
    /// The model's thinking in parts, as a provider wants it back.
    pub reasoning_details: Option<Value>,
    /// Items of the Responses wire.
    pub codex_reasoning_items: Option<Value>,
    /// Items of the Responses wire.
    pub codex_message_items: Option<Value>,
    /// The id on a chat platform.
    pub platform_message_id: Option<String>,
    /// The text as it was sent to the model, where it differs.
    pub api_content: Option<String>,
}

impl NewMessage {
    /// A message of a role that only says something.
    #[must_use]
    pub fn new(role: &str, content: impl Into<Content>) -> Self {
        Self { role: role.to_owned(), content: Some(content.into()), ..Self::default() }
    }

    fn calls(&self) -> i64 {
        let calls = self.tool_calls.as_ref().and_then(Value::as_array);
        calls.map_or(0, |calls| i64::try_from(calls.len()).unwrap_or(i64::MAX))
    }
}

/// A message as stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "as in NewMessage")]
pub struct MessageRow {
    /// Its number, which grows in the order of the conversation.
    pub id: i64,
    pub session_id: String,
    pub role: String,
    pub content: Option<Content>,
    pub tool_call_id: Option<String>,
    pub tool_calls: Option<Value>,
    pub tool_name: Option<String>,
    pub effect_disposition: Option<String>,
    pub timestamp: f64,
    pub token_count: Option<i64>,
    pub finish_reason: Option<String>,
    pub reasoning: Option<String>,
    pub reasoning_content: Option<String>,
    pub reasoning_details: Option<Value>,
    pub codex_reasoning_items: Option<Value>,
    pub codex_message_items: Option<Value>,
    pub platform_message_id: Option<String>,
    pub api_content: Option<String>,
    /// Whether it is part of the conversation.
    pub active: bool,
    /// Whether it was replaced by a summary.
    pub compacted: bool,
}

const COLUMNS: &str = "id, session_id, role, content, tool_call_id, tool_calls, tool_name, \
    effect_disposition, timestamp, token_count, finish_reason, reasoning, reasoning_content, \
    reasoning_details, codex_reasoning_items, codex_message_items, platform_message_id, \
    api_content, coalesce(active, 1), compacted";

impl MessageRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let mut columns = Columns::of(row);
        Ok(Self {
            id: columns.take()?,
            session_id: columns.take()?,
            role: columns.take()?,
            content: columns.take::<Option<String>>()?.map(Content::decode),
            tool_call_id: columns.take()?,
            tool_calls: columns.json()?,
            tool_name: columns.take()?,
            effect_disposition: columns.take()?,
            timestamp: columns.take()?,
            token_count: columns.take()?,
            finish_reason: columns.take()?,
            reasoning: columns.take()?,
            reasoning_content: columns.take()?,
            reasoning_details: columns.json()?,
            codex_reasoning_items: columns.json()?,
            codex_message_items: columns.json()?,
            platform_message_id: columns.take()?,
            api_content: columns.take()?,
            active: columns.count()? != 0,
            compacted: columns.count()? != 0,
        })
    }
}

/// Inserts rows and answers their numbers; counts nothing.
pub(super) fn insert(
    connection: &Connection,
    session: &str,
    new: &[NewMessage],
) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO messages(session_id, role, content, tool_call_id, tool_calls, tool_name, \
         effect_disposition, timestamp, token_count, finish_reason, reasoning, reasoning_content, \
         reasoning_details, codex_reasoning_items, codex_message_items, platform_message_id, \
         api_content) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )?;
    let json = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    let mut ids = Vec::with_capacity(new.len());
    for message in new {
        ids.push(statement.insert(params![
            session,
            message.role,
            message.content.as_ref().map(Content::encode),
            message.tool_call_id,
            json(&message.tool_calls),
            message.tool_name,
            message.effect_disposition,
            message.timestamp.unwrap_or_else(now),
            message.token_count,
            message.finish_reason,
            message.reasoning,
            message.reasoning_content,
            json(&message.reasoning_details),
            json(&message.codex_reasoning_items),
            json(&message.codex_message_items),
            message.platform_message_id,
            message.api_content,
        ])?);
    }
    Ok(ids)
}

/// Inserts rows, counts them, and answers their numbers.
pub(super) fn append(
    connection: &Connection,
    session: &str,
    new: &[NewMessage],
) -> Result<Vec<i64>> {
    let calls: i64 = new.iter().map(NewMessage::calls).sum();
    let count = i64::try_from(new.len()).unwrap_or(i64::MAX);
    let set = "message_count = coalesce(message_count, 0) + ?2, \
               tool_call_count = coalesce(tool_call_count, 0) + ?3";
    update(connection, session, set, &[&count, &calls])?;
    Ok(insert(connection, session, new)?)
}

/// Notes how a message was really sent to the model.
pub(super) fn set_api_content(connection: &Connection, message: i64, text: &str) -> Result<()> {
    let set = "UPDATE messages SET api_content = ?2 WHERE id = ?1";
    connection.execute(set, params![message, text])?;
    Ok(())
}

/// Sets the last turns aside, counted by what the person said.
pub(super) fn rewind(connection: &Connection, session: &str, turns: usize) -> Result<Rewound> {
    let select = format!(
        "SELECT id, content FROM messages WHERE session_id = ?1 AND role = 'user' \
         AND {ACTIVE} ORDER BY id DESC LIMIT ?2"
    );
    let limit = i64::try_from(turns).unwrap_or(i64::MAX);
    let prompts = connection
        .prepare_cached(&select)?
        .query_map(params![session, limit], |row| {
            Ok((row.get(0)?, row.get::<_, Option<String>>(1)?))
        })?
        .collect::<rusqlite::Result<Vec<(i64, Option<String>)>>>()?;
    let Some((first, prompt)) = prompts.last().cloned() else {
        return match super::session::get(connection, session)? {
            Some(_) => Ok(Rewound::default()),
            None => Err(missing(session)),
        };
    };
    let messages = connection.execute(
        &format!(
            "UPDATE messages SET active = 0, compacted = 0 \
             WHERE session_id = ?1 AND id >= ?2 AND {ACTIVE}"
        ),
        params![session, first],
    )?;
    update(connection, session, "rewind_count = rewind_count + 1", &[])?;
    recount(connection, session)?;
    let prompt = prompt.map(Content::decode);
    Ok(Rewound { turns: prompts.len(), messages, prompt })
}

/// Counts the conversation of a session anew, after rows were set aside.
pub(super) fn recount(connection: &Connection, session: &str) -> Result<()> {
    let set = format!(
        "message_count = (SELECT count(*) FROM messages WHERE session_id = ?1 AND {ACTIVE})"
    );
    update(connection, session, &set, &[])
}

/// The conversation of a session, in order.
pub(super) fn active(connection: &Connection, session: &str) -> rusqlite::Result<Vec<MessageRow>> {
    let select =
        format!("SELECT {COLUMNS} FROM messages WHERE session_id = ?1 AND {ACTIVE} ORDER BY id");
    connection.prepare_cached(&select)?.query_map([session], MessageRow::from_row)?.collect()
}

/// What [`SessionDatabase::rewind`] took back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rewound {
    /// How many turns of the person.
    pub turns: usize,
    /// How many messages in all.
    pub messages: usize,
    /// What the person said first in them, to say it again in other words.
    pub prompt: Option<Content>,
}

impl SessionDatabase {
    /// Appends messages in one step and counts them; answers their numbers.
    ///
    /// When this returns, a killed process loses none of them.
    pub fn append(&self, session: &str, new: &[NewMessage]) -> Result<Vec<i64>> {
        self.write(|connection| append(connection, session, new))
    }

    /// The conversation of a session, in order: what was neither taken back nor summarised.
    pub fn messages(&self, session: &str) -> Result<Vec<MessageRow>> {
        self.read(|connection| Ok(active(connection, session)?))
    }

    /// Takes back the last turns of a session, counted by what the person said. The rows stay in
    /// the file but are never found again.
    pub fn rewind(&self, session: &str, turns: usize) -> Result<Rewound> {
        self.write(|connection| rewind(connection, session, turns))
    }

    /// Notes how the newest message of the person was really sent to the model.
    pub fn set_api_content(&self, message: i64, text: &str) -> Result<()> {
        self.write(|connection| set_api_content(connection, message, text))
    }
}
