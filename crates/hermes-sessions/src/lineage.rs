//! Which sessions belong together.
//!
//! A session may go on in another one: because its history was summarised into a new session (the
//! older way of compression), because somebody branched off, or because work was delegated. Only
//! the first makes the newer one *the same conversation*; [`SessionDatabase::tip`] follows that.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::database::SessionDatabase;
use super::error::Result;
use super::message;
use super::session::{self, NewSession, SessionRow};
use super::title::clean_title;

/// Names the session a branch came off, in the settings of the model.
pub const BRANCHED_FROM: &str = "_branched_from";
/// Names the session that delegated work, in the settings of the model.
pub const DELEGATE_FROM: &str = "_delegate_from";
/// Why a session ended that goes on in another one.
pub const COMPRESSION: &str = "compression";

/// Longest chain that is followed; a damaged file may hold a circle.
const LONGEST_CHAIN: usize = 1_000;

/// The newest session that goes on with this conversation; itself, if none does.
pub(super) fn tip(connection: &Connection, id: &str) -> rusqlite::Result<String> {
    let mut statement = connection.prepare_cached(
        "SELECT child.id, child.model_config FROM sessions AS parent \
         JOIN sessions AS child ON child.parent_session_id = parent.id \
         WHERE parent.id = ?1 AND parent.end_reason = 'compression' \
         AND child.source NOT IN ('subagent', 'tool') ORDER BY child.started_at DESC, child.id DESC",
    )?;
    let mut tip = id.to_owned();
    for _ in 0..LONGEST_CHAIN {
        let children = statement
            .query_map([&tip], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<(String, Option<String>)>>>()?;
        match children.into_iter().find(|(_, config)| goes_on(config.as_deref())) {
            Some((child, _)) => tip = child,
            None => break,
        }
    }
    Ok(tip)
}

fn goes_on(config: Option<&str>) -> bool {
    let config: Value = config.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    config.get(BRANCHED_FROM).is_none() && config.get(DELEGATE_FROM).is_none()
}

/// The oldest session this one comes from, by whatever way.
pub(super) fn root(connection: &Connection, id: &str) -> rusqlite::Result<String> {
    // `UNION` drops what was seen, so that a circle ends.
    connection
        .prepare_cached(
            "WITH RECURSIVE up(id, depth) AS (
                 SELECT ?1, 0 UNION
                 SELECT s.parent_session_id, up.depth + 1 FROM up JOIN sessions AS s ON s.id = up.id
                 WHERE s.parent_session_id IS NOT NULL AND up.depth < 1000)
             SELECT id FROM up ORDER BY depth DESC LIMIT 1",
        )?
        .query_row([id], |row| row.get(0))
}

/// Whether two sessions come from the same one.
pub(super) fn share_lineage(
    connection: &Connection,
    one: &str,
    other: &str,
) -> rusqlite::Result<bool> {
    Ok(one == other || root(connection, one)? == root(connection, other)?)
}

impl SessionDatabase {
    /// The session that goes on with a conversation: follows compression to its newest child.
    pub fn tip(&self, id: &str) -> Result<String> {
        let tip = self.read(|connection| Ok(Some(tip(connection, id)?)))?;
        Ok(tip.unwrap_or_else(|| id.to_owned()))
    }

    /// Makes a session that goes on from the present state of another: same instructions and model,
    /// a copy of the conversation, and the next title of the name unless one is given.
    pub fn branch(&self, from: &str, id: &str, title: Option<&str>) -> Result<SessionRow> {
        let title = title.map(clean_title).transpose()?;
        self.write(|connection| {
            let parent = session::require(connection, from)?;
            let mut config = parent.model_config.clone().unwrap_or_else(|| json!({}));
            if let Some(config) = config.as_object_mut() {
                config.insert(BRANCHED_FROM.to_owned(), from.into());
            }
            session::insert(
                connection,
                &NewSession {
                    id: id.to_owned(),
                    source: parent.source.clone(),
                    user_id: parent.user_id.clone(),
                    model: parent.model.clone(),
                    model_config: Some(config),
                    system_prompt: parent.system_prompt.clone(),
                    parent_session_id: Some(from.to_owned()),
                    cwd: parent.cwd.clone(),
                    git_branch: parent.git_branch.clone(),
                    git_repo_root: parent.git_repo_root.clone(),
                    profile_name: parent.profile_name.clone(),
                    started_at: None,
                },
            )?;
            // The texts never leave the database on their way.
            let copied = "role, content, tool_call_id, tool_calls, tool_name, effect_disposition, \
                timestamp, token_count, finish_reason, reasoning, reasoning_content, \
                reasoning_details, codex_reasoning_items, codex_message_items, api_content";
            connection.execute(
                &format!(
                    "INSERT INTO messages(session_id, {copied}) SELECT ?1, {copied} FROM messages \
                     WHERE session_id = ?2 AND {} ORDER BY id",
                    message::ACTIVE
                ),
                [id, from],
            )?;
            message::recount(connection, id)?;
            let title = match (&title, &parent.title) {
                (Some(title), _) => Some(title.clone()),
                (None, Some(title)) => Some(session::next_title(connection, title)?),
                (None, None) => None,
            };
            if let Some(title) = title {
                session::set_clean_title(connection, id, &title)?;
            }
            session::require(connection, id)
        })
    }
}
