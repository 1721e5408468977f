//! Looking through everything that was ever said, without a model.
//!
//! One [`Request`] has four faces, chosen by what it says: around a message of a session (*scroll*),
//! a session (*read*), words (*discover*), nothing (*browse*). The [`Answer`] is data that turns
//! into the JSON a model gets.
//!
//! Hits are ranked by how much they are about the words (BM25), or by time if asked. Each
//! conversation answers with its best hit only, however many sessions it runs through; the
//! conversation that asks is left out, it knows what it said. Work of helpers is hidden, scheduled
//! jobs come last, and what was taken back is never found.

mod answer;
mod candidates;
mod discover;
mod excerpt;
mod query;
#[cfg(test)]
mod reference_tests;
mod stop_words;
#[cfg(test)]
mod tests;
mod windows;

use serde::Deserialize;

use super::database::SessionDatabase;
use super::error::Result;

pub use answer::{
    Answer, Browse, Discover, Found, MAX_MESSAGE_TEXT, Read, Recent, Scroll, SessionMeta, Shown,
    TITLE_ROLE,
};
pub use query::{MAX_QUERY, explain_query};

/// Neighbours on each side of a message.
pub const WINDOW: std::ops::RangeInclusive<usize> = 1..=20;
/// Neighbours, unless said otherwise.
pub const DEFAULT_WINDOW: usize = 5;
/// Results of one search.
pub const LIMIT: std::ops::RangeInclusive<usize> = 1..=10;
/// Results, unless said otherwise.
pub const DEFAULT_LIMIT: usize = 3;
/// Whose words are searched, unless said otherwise.
pub const DEFAULT_ROLES: [&str; 2] = ["user", "assistant"];

/// What to look for. What is out of range is moved into it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Words.
    pub query: Option<String>,
    /// A session, by id, beginning of an id, or title.
    pub session_id: Option<String>,
    /// A message of that session.
    pub around_message_id: Option<i64>,
    /// How many neighbours of it on each side.
    pub window: Option<usize>,
    /// How many results.
    pub limit: Option<usize>,
    /// By time rather than by words.
    pub sort: Option<Sort>,
    /// Whose words; [`DEFAULT_ROLES`] if empty.
    pub roles: Vec<String>,
    /// The session that asks, whose conversation is left out.
    pub current_session: Option<String>,
}

/// By time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

impl Request {
    /// Looks for words, everything else as usual.
    #[must_use]
    pub fn discover(query: impl Into<String>) -> Self {
        Self { query: Some(query.into()), ..Self::default() }
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT).clamp(*LIMIT.start(), *LIMIT.end())
    }

    fn window(&self) -> usize {
        self.window.unwrap_or(DEFAULT_WINDOW).clamp(*WINDOW.start(), *WINDOW.end())
    }

    fn roles(&self) -> Vec<String> {
        let named: Vec<String> = self
            .roles
            .iter()
            .map(|role| role.trim().to_lowercase())
            .filter(|role| !role.is_empty())
            .collect();
        match named.is_empty() {
            true => DEFAULT_ROLES.map(str::to_owned).to_vec(),
            false => named,
        }
    }
}

impl SessionDatabase {
    /// Answers a search.
    pub fn search(&self, request: &Request) -> Result<Answer> {
        let query = request.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
        match (&request.session_id, request.around_message_id, query) {
            (Some(session), Some(message), _) => {
                windows::scroll(self, request, session, message).map(Answer::Scroll)
            }
            (Some(session), None, _) => windows::read(self, session).map(Answer::Read),
            (None, _, Some(query)) => {
                discover::discover(self, request, query).map(Answer::Discover)
            }
            (None, _, None) => windows::browse(self, request).map(Answer::Browse),
        }
    }
}
