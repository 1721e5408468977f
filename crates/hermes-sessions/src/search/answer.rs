//! What a search answers, in the shape a model gets to see.

use serde::Serialize;
use serde_json::Value;

use super::super::content::Content;
use super::super::session::SessionRow;
use hermes_store::clock::local_time;

/// Longest text of a message in an answer, in characters.
pub const MAX_MESSAGE_TEXT: usize = 2_000;

/// The answer to a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Messages around one.
    Scroll(Scroll),
    /// A whole session, or its beginning and end.
    Read(Read),
    /// Where something was said.
    Discover(Discover),
    /// The newest sessions.
    Browse(Browse),
}

impl Answer {
    /// How many sessions, or messages of one session, it holds.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Scroll(scroll) => scroll.messages.len(),
            Self::Read(read) => read.messages.len(),
            Self::Discover(discover) => discover.results.len(),
            Self::Browse(browse) => browse.results.len(),
        }
    }
}

/// A message in an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// Its number, to scroll around.
    pub id: i64,
    /// Who speaks.
    pub role: String,
    /// What is said, up to [`MAX_MESSAGE_TEXT`].
    pub content: String,
    /// When, in seconds since 1970.
    pub timestamp: f64,
    /// The tool that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The tools that are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<String>,
    /// Set on the message that was looked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anchor: bool,
    /// Set if the text is longer than shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Shown {
    pub(super) fn from_row(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let content: Option<String> = row.get(first + 2)?;
        let calls: Option<String> = row.get(first + 5)?;
        let content = content.map(Content::decode);
        let text = content.as_ref().map(Content::text).unwrap_or_default();
        let (content, truncated) = match text.char_indices().nth(MAX_MESSAGE_TEXT) {
            Some((end, _)) => (format!("{}…", text.get(..end).unwrap_or_default()), true),
            None => (text.into_owned(), false),
        };
        Ok(Self {
            id: row.get(first)?,
            role: row.get(first + 1)?,
            content,
            timestamp: row.get(first + 3)?,
            tool_name: row.get(first + 4)?,
            tool_calls: calls.map(|calls| call_names(&calls)).unwrap_or_default(),
            anchor: false,
            truncated,
        })
    }
}

/// The columns [`Shown::from_row`] reads.
pub(super) const SHOWN: &str = "id, role, content, timestamp, tool_name, tool_calls";

/// What a window shows beside the message it is about: what was said, not what tools answered.
pub(super) const SPOKEN: &str = "role <> 'tool'";

fn call_names(stored: &str) -> Vec<String> {
    let calls: Value = serde_json::from_str(stored).unwrap_or_default();
    let name = |call: &Value| {
        let function = call.get("function").unwrap_or(call);
        function.get("name").and_then(Value::as_str).map(str::to_owned)
    };
    calls.as_array().map(|calls| calls.iter().filter_map(name).collect()).unwrap_or_default()
}

/// What is told of a session beside its messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct SessionMeta {
    pub when: String,
    pub source: String,
    pub model: Option<String>,
    pub title: Option<String>,
}

impl From<&SessionRow> for SessionMeta {
    fn from(row: &SessionRow) -> Self {
        Self {
            when: local_time(row.started_at),
            source: row.source.clone(),
            model: row.model.clone(),
            title: row.title.clone(),
        }
    }
}

/// Messages around one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Scroll {
    pub success: bool,
    pub mode: &'static str,
    pub session_id: String,
    pub around_message_id: i64,
    pub session_meta: SessionMeta,
    pub window: usize,
    pub messages: Vec<Shown>,
    /// How many of them are before the one looked for.
    pub messages_before: usize,
    /// How many are after it.
    pub messages_after: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// A session, whole or its two ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Read {
    pub success: bool,
    pub mode: &'static str,
    pub session_id: String,
    pub session_meta: SessionMeta,
    pub message_count: usize,
    /// Whether the middle is left out.
    pub truncated: bool,
    pub messages: Vec<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Discover {
    pub success: bool,
    pub mode: &'static str,
    pub query: String,
    pub results: Vec<Found>,
    pub count: usize,
    pub sessions_searched: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The best place in one conversation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Where it was said; `hermes sessions show` takes it.
    pub session_id: String,
    /// When it began.
    pub when: String,
    /// Where it comes from.
    pub source: String,
    /// The model it began with.
    pub model: Option<String>,
    /// None while the session has not been named.
    pub title: Option<String>,
    /// Who said it, or [`TITLE_ROLE`].
    pub matched_role: String,
    /// The message; none if the title of an empty session matched.
    pub match_message_id: Option<i64>,
    /// The words around it, what was looked for between `>>>` and `<<<`.
    pub snippet: String,
    /// How the session begins.
    pub bookend_start: Vec<Shown>,
    /// The message and its neighbours.
    pub messages: Vec<Shown>,
    /// How the session ends.
    pub bookend_end: Vec<Shown>,
    /// How many neighbours are before it.
    pub messages_before: usize,
    /// How many neighbours are after it.
    pub messages_after: usize,
    /// The session it goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
}

/// The role of a hit in a title.
pub const TITLE_ROLE: &str = "session_title";

/// The newest sessions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Browse {
    pub success: bool,
    pub mode: &'static str,
    pub results: Vec<Recent>,
    pub count: usize,
    pub message: String,
}

/// A session as browsed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Recent {
    pub session_id: String,
    pub title: Option<String>,
    pub source: String,
    pub started_at: f64,
    pub last_active: f64,
    pub message_count: i64,
    pub preview: String,
}
