//! Sessions as text for people and other programs.

use std::io::{self, Write};

use rusqlite::Connection;
use serde_json::{Map, Value};

use super::content::Content;
use super::database::SessionDatabase;
use super::error::Result;
use super::message::ACTIVE;
use super::page;
use super::row::object;
use super::session::missing;
use hermes_store::clock::local_time;

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line: the session's row with its `messages`.
    Jsonl,
    /// Markdown.
    Markdown,
    /// A page on its own.
    Html,
}

/// What of a session is exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Only {
    /// The whole conversation.
    #[default]
    Everything,
    /// What the person said.
    UserPrompts,
}

/// Changes every text on its way out, to hide secrets.
pub type Redact<'a> = &'a dyn Fn(&str) -> String;

/// Which form a session is written in, how much of it, and what is masked.
pub struct Export<'a> {
    /// JSON for programs, Markdown or HTML for people.
    pub format: Format,
    /// How much.
    pub only: Only,
    /// What is done to every text.
    pub redact: Option<Redact<'a>>,
}

impl SessionDatabase {
    /// A session's row and its conversation as one JSON object, with all columns the file has.
    pub fn export_value(&self, id: &str) -> Result<Map<String, Value>> {
        let found = self.read(|connection| read(connection, id))?;
        found.ok_or_else(|| missing(id))
    }

    /// Writes sessions in the order given. Each is read when its turn comes.
    pub fn export(
        &self,
        ids: &[String],
        how: &Export<'_>,
        out: &mut dyn Write,
    ) -> Result<io::Result<()>> {
        if how.format == Format::Html
            && let Err(problem) = out.write_all(page::START.as_bytes())
        {
            return Ok(Err(problem));
        }
        for id in ids {
            let mut session = self.export_value(id)?;
            if how.only == Only::UserPrompts
                && let Some(Value::Array(messages)) = session.get_mut("messages")
            {
                messages.retain(|message| message["role"] == "user");
            }
            let mut value = Value::Object(session);
            if let Some(redact) = how.redact {
                change_texts(&mut value, redact);
            }
            let text = match how.format {
                Format::Jsonl => value.to_string() + "\n",
                Format::Markdown => markdown(&value),
                Format::Html => page::section(&value, (title(&value), &facts(&value))),
            };
            if let Err(problem) = out.write_all(text.as_bytes()) {
                return Ok(Err(problem));
            }
        }
        if how.format == Format::Html {
            return Ok(out.write_all(page::END.as_bytes()));
        }
        Ok(Ok(()))
    }
}

fn read(connection: &Connection, id: &str) -> Result<Option<Map<String, Value>>> {
    let mut statement = connection.prepare("SELECT * FROM sessions WHERE id = ?1")?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut session = object(row)?;
    let select = format!("SELECT * FROM messages WHERE session_id = ?1 AND {ACTIVE} ORDER BY id");
    let messages = connection
        .prepare(&select)?
        .query_map([id], |row| object(row).map(Value::Object))?
        .collect::<rusqlite::Result<Vec<Value>>>()?;
    session.insert("messages".to_owned(), Value::Array(messages));
    Ok(Some(session))
}

/// Ids and roles are no secrets and must stay what they are.
const KEPT: [&str; 6] = ["id", "session_id", "role", "source", "parent_session_id", "tool_call_id"];

fn change_texts(value: &mut Value, change: Redact<'_>) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| change_texts(item, change)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                if !KEPT.contains(&name.as_str()) {
                    change_texts(value, change);
                }
            }
        }
        _ => {}
    }
}

/// A line of an export: who, and the text.
fn lines(session: &Value) -> Vec<(String, String)> {
    let messages = session["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |message: &Value| {
        let role = message["role"].as_str().unwrap_or_default();
        let who = match message["tool_name"].as_str() {
            Some(tool) => format!("{role} ({tool})"),
            None => role.to_owned(),
        };
        let mut text = match &message["content"] {
            Value::Null => String::new(),
            content => Content::from(content.clone()).text().into_owned(),
        };
        for call in message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let function = &call["function"];
            let name = function["name"].as_str().unwrap_or_default();
            let arguments = function["arguments"].as_str().unwrap_or_default();
            if !text.is_empty() {
                text.push('\n');
            }
            text += &format!("→ {name} {arguments}");
        }
        (who, text)
    };
    messages.iter().map(line).collect()
}

fn title(session: &Value) -> &str {
    session["title"].as_str().or(session["id"].as_str()).unwrap_or_default()
}

fn facts(session: &Value) -> String {
    let text = |name: &str| session[name].as_str().unwrap_or("unknown");
    let started = session["started_at"].as_f64().map(local_time).unwrap_or_default();
    format!("session {} · {started} · {} · {}", text("id"), text("source"), text("model"))
}

fn markdown(session: &Value) -> String {
    let mut page = format!("# {}\n\n{}\n", title(session), facts(session));
    for (who, text) in lines(session) {
        // A fence longer than any in the text keeps output of tools from being taken for ours.
        let body = match who.starts_with("tool") {
            true => {
                let fence = fence(&text);
                format!("{fence}\n{text}\n{fence}")
            }
            false => text,
        };
        page += &format!("\n## {who}\n\n{body}\n");
    }
    page + "\n"
}

fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}
