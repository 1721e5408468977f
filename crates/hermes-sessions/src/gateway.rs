//! What the gateway keeps beside the conversations: messages that came in, answers that are owed, which chat talks in
//! which session.
//!
//! An event is stored once, whatever a platform repeats. A turn's messages are done in the same transaction in which its
//! answer becomes owed, so a process that dies in between leaves one or the other, never neither.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::database::SessionDatabase;
use super::error::Result;
use super::session::update;
use hermes_store::clock::now;

/// An event to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxEntry {
    /// Where it happened.
    pub chat_id: String,
    /// By which it is known again.
    pub identity: String,
    /// What happened.
    pub event_json: String,
}

/// How far an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxState {
    /// Nothing was done about it.
    New,
    /// A turn works on it, or did when its process died.
    Taken,
    /// It is dealt with; kept to know it again.
    Done,
}

impl InboxState {
    fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Taken => "taken",
            Self::Done => "done",
        }
    }
}

/// An event that is not done.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxRow {
    /// Grows with each event.
    pub id: i64,
    /// Whose event it is.
    pub platform: String,
    /// What happened.
    pub event_json: String,
    /// How far it has come.
    pub state: InboxState,
    /// The session of the turn that took it.
    pub session_id: Option<String>,
    /// The last message of that session before the turn.
    pub base_message: Option<i64>,
    /// How often a turn took it.
    pub attempts: i64,
    /// When it was stored.
    pub received_at: f64,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObligationState {
    /// The turn still writes it; some of it may be in the chat.
    Streaming,
    /// It is whole and has to be sent.
    Pending,
    /// All of it is in the chat.
    Delivered,
    /// The platform will not take it.
    Failed,
    /// It is too old to be of use.
    Abandoned,
}

impl ObligationState {
    fn word(self) -> &'static str {
        match self {
            Self::Streaming => "attempting",
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "attempting" => Self::Streaming,
            "delivered" => Self::Delivered,
            "failed" => Self::Failed,
            "abandoned" => Self::Abandoned,
            _ => Self::Pending,
        }
    }
}

/// An answer that is owed to a chat.
#[derive(Clone, Debug, PartialEq)]
pub struct Obligation {
    /// Made by the turn.
    pub id: String,
    /// The chat's session.
    pub session_key: String,
    /// Where it goes.
    pub platform: String,
    /// The chat there.
    pub chat_id: String,
    /// Where in the chat, if it has threads.
    pub thread_id: Option<String>,
    /// The message it answers.
    pub reply_to: Option<String>,
    /// The answer as Markdown, without secrets.
    pub body: String,
    /// What is known of each part, as JSON.
    pub parts: String,
    /// How far it has come.
    pub state: ObligationState,
    /// How often sending it was given up.
    pub attempts: i64,
    /// The process that sends it.
    pub owner: String,
    /// When it became owed.
    pub created_at: f64,
}

/// Which session a chat talks in.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingRow {
    /// The chat's key.
    pub session_key: String,
    /// The entry, as JSON.
    pub entry_json: String,
    /// When it was used last.
    pub updated_at: f64,
}

impl SessionDatabase {
    /// Keeps events and marks of a platform, all or none; gives the numbers of those that are new.
    pub fn gateway_accept(
        &self,
        platform: &str,
        entries: &[InboxEntry],
        marks: &[(String, String)],
    ) -> Result<Vec<i64>> {
        self.write(|connection| {
            let mut new = Vec::new();
            let mut insert = connection.prepare_cached(
                "INSERT OR IGNORE INTO gateway_inbox(platform, chat_id, identity, event_json, \
                 state, received_at) VALUES (?1, ?2, ?3, ?4, 'new', ?5)",
            )?;
            for entry in entries {
                let InboxEntry { chat_id, identity, event_json } = entry;
                if insert.execute(params![platform, chat_id, identity, event_json, now()])? > 0 {
                    new.push(connection.last_insert_rowid());
                }
            }
            let mut mark = connection.prepare_cached(
                "INSERT INTO gateway_marks(platform, name, value) VALUES (?1, ?2, ?3) \
                 ON CONFLICT(platform, name) DO UPDATE SET value = excluded.value",
            )?;
            for (name, value) in marks {
                mark.execute(params![platform, name, value])?;
            }
            Ok(new)
        })
    }

    /// What a platform noted under a name.
    pub fn gateway_mark(&self, platform: &str, name: &str) -> Result<Option<String>> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT value FROM gateway_marks WHERE platform = ?1 AND name = ?2",
                )?
                .query_row([platform, name], |row| row.get(0))
                .optional()?)
        })
    }

    /// Events that are not done, oldest first.
    pub fn gateway_open_events(&self) -> Result<Vec<InboxRow>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, platform, event_json, state, session_id, base_message, attempts, \
                 received_at FROM gateway_inbox WHERE state IN ('new', 'taken') ORDER BY id",
            )?;
            let rows = statement.query_map([], |row| {
                let state: String = row.get(3)?;
                Ok(InboxRow {
                    id: row.get(0)?,
                    platform: row.get(1)?,
                    event_json: row.get(2)?,
                    state: if state == "taken" { InboxState::Taken } else { InboxState::New },
                    session_id: row.get(4)?,
                    base_message: row.get(5)?,
                    attempts: row.get(6)?,
                    received_at: row.get(7)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        })
    }

    /// A turn of this session begins with these events; gives the last message before it.
    pub fn gateway_take(&self, ids: &[i64], session: &str) -> Result<i64> {
        self.write(|connection| {
            let base: Option<i64> = connection.query_row(
                "SELECT max(id) FROM messages WHERE session_id = ?1",
                [session],
                |row| row.get(0),
            )?;
            for id in ids {
                connection
                    .prepare_cached(
                        "UPDATE gateway_inbox SET state = 'taken', session_id = ?2, \
                         base_message = coalesce(base_message, ?3), attempts = attempts + 1 \
                         WHERE id = ?1",
                    )?
                    .execute(params![id, session, base.unwrap_or(0)])?;
            }
            Ok(base.unwrap_or(0))
        })
    }

    /// These events are dealt with, and this answer is owed from now on. What they said is forgotten.
    pub fn gateway_settle(&self, ids: &[i64], answer: Option<&Obligation>) -> Result<()> {
        self.write(|connection| {
            for id in ids {
                connection
                    .prepare_cached(
                        "UPDATE gateway_inbox SET state = ?2, event_json = '' WHERE id = ?1",
                    )?
                    .execute(params![id, InboxState::Done.word()])?;
            }
            answer.map_or(Ok(()), |answer| put(connection, answer))
        })
    }

    /// Stores an answer as far as it has come.
    pub fn put_obligation(&self, answer: &Obligation) -> Result<()> {
        self.write(|connection| put(connection, answer))
    }

    /// An answer by its id.
    pub fn obligation(&self, id: &str) -> Result<Option<Obligation>> {
        self.read(|connection| {
            let select =
                format!("SELECT {OBLIGATION} FROM delivery_obligations WHERE obligation_id = ?1");
            Ok(connection.prepare_cached(&select)?.query_row([id], obligation).optional()?)
        })
    }

    /// Answers that are whole and not sent, oldest first.
    pub fn open_obligations(&self) -> Result<Vec<Obligation>> {
        self.read(|connection| {
            let select = format!(
                "SELECT {OBLIGATION} FROM delivery_obligations WHERE state = 'pending' \
                 ORDER BY created_at"
            );
            let mut statement = connection.prepare_cached(&select)?;
            let rows = statement.query_map([], obligation)?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        })
    }

    /// Forgets events and answers that are done and older than this moment.
    pub fn gateway_forget(&self, before: f64) -> Result<usize> {
        self.write(|connection| {
            let events = connection.execute(
                "DELETE FROM gateway_inbox WHERE state = 'done' AND received_at < ?1",
                [before],
            )?;
            let answers = connection.execute(
                "DELETE FROM delivery_obligations WHERE state NOT IN ('pending', 'attempting') \
                 AND updated_at < ?1",
                [before],
            )?;
            Ok(events + answers)
        })
    }

    /// The entry of a chat.
    pub fn gateway_route(&self, key: &str) -> Result<Option<RoutingRow>> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT session_key, entry_json, updated_at FROM gateway_routing \
                     WHERE scope = '' AND session_key = ?1",
                )?
                .query_row([key], routing)
                .optional()?)
        })
    }

    /// The entries of all chats, the one used last first.
    pub fn gateway_routes(&self) -> Result<Vec<RoutingRow>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT session_key, entry_json, updated_at FROM gateway_routing \
                 WHERE scope = '' ORDER BY updated_at DESC",
            )?;
            let rows = statement.query_map([], routing)?;
            Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
        })
    }

    /// Stores the entry of a chat.
    pub fn set_gateway_route(&self, key: &str, entry_json: &str) -> Result<()> {
        self.write(|connection| {
            connection.execute(
                "INSERT INTO gateway_routing(scope, session_key, entry_json, updated_at) \
                 VALUES ('', ?1, ?2, ?3) ON CONFLICT(scope, session_key) DO UPDATE SET \
                 entry_json = excluded.entry_json, updated_at = excluded.updated_at",
                params![key, entry_json, now()],
            )?;
            Ok(())
        })
    }

    /// Says whose session this is, in the columns the Python program reads as well. `source` is the JSON of where the
    /// chat is.
    pub fn set_gateway_peer(
        &self,
        session: &str,
        key: &str,
        source: &serde_json::Value,
    ) -> Result<()> {
        let text =
            |name: &str| source.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
        self.write(|connection| {
            update(
                connection,
                session,
                "session_key = ?2, chat_id = ?3, chat_type = ?4, thread_id = ?5, user_id = ?6, \
                 display_name = ?7, origin_json = ?8",
                &[
                    &key,
                    &text("chat_id"),
                    &text("chat_type"),
                    &text("thread_id"),
                    &text("user_id"),
                    &text("chat_name"),
                    &source.to_string(),
                ],
            )
        })
    }

    /// The key of the chat a session belongs to, and its person.
    pub fn gateway_peer(&self, session: &str) -> Result<Option<(Option<String>, Option<String>)>> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT session_key, user_id FROM sessions WHERE id = ?1")?
                .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?)
        })
    }

    /// A question waits for a person: `place` is platform, chat, thread and message.
    pub fn put_gateway_approval(
        &self,
        id: &str,
        session: &str,
        place: (&str, &str, Option<&str>, &str),
    ) -> Result<()> {
        let (platform, chat, thread, message) = place;
        self.write(|connection| {
            connection.execute(
                "INSERT OR REPLACE INTO gateway_approvals(approval_id, session_id, platform, \
                 chat_id, thread_id, message_id, state, created_at) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'waiting', ?7)",
                params![id, session, platform, chat, thread, message, now()],
            )?;
            Ok(())
        })
    }

    /// A question is settled.
    pub fn settle_gateway_approval(&self, id: &str, state: &str) -> Result<()> {
        self.write(|connection| {
            connection.execute(
                "UPDATE gateway_approvals SET state = ?2 WHERE approval_id = ?1",
                [id, state],
            )?;
            Ok(())
        })
    }

    /// Questions that wait in chats, oldest first: session, platform, since when.
    pub fn waiting_gateway_approvals(&self) -> Result<Vec<(String, String, f64)>> {
        self.read(|connection| {
            Ok(connection
                .prepare(
                    "SELECT coalesce(session_id, ''), coalesce(platform, ''), coalesce(created_at, 0) \
                     FROM gateway_approvals WHERE state = 'waiting' ORDER BY created_at",
                )?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Questions nobody waits for any more, because their process is gone: they expire. Gives how many.
    pub fn expire_gateway_approvals(&self) -> Result<usize> {
        self.write(|connection| {
            Ok(connection.execute(
                "UPDATE gateway_approvals SET state = 'expired' WHERE state = 'waiting'",
                [],
            )?)
        })
    }
}

const OBLIGATION: &str = "obligation_id, session_key, platform, chat_id, thread_id, reply_to, body, \
    parts, state, attempts, owner, created_at";

fn put(connection: &Connection, answer: &Obligation) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO delivery_obligations(obligation_id, session_key, platform, chat_id, \
             thread_id, reply_to, body, parts, state, attempts, owner, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
             ON CONFLICT(obligation_id) DO UPDATE SET chat_id = excluded.chat_id, \
             thread_id = excluded.thread_id, body = excluded.body, parts = excluded.parts, \
             state = excluded.state, attempts = excluded.attempts, owner = excluded.owner, \
             updated_at = excluded.updated_at",
        )?
        .execute(params![
            answer.id,
            answer.session_key,
            answer.platform,
            answer.chat_id,
            answer.thread_id,
            answer.reply_to,
            answer.body,
            answer.parts,
            answer.state.word(),
            answer.attempts,
            answer.owner,
            answer.created_at,
            now(),
        ])?;
    Ok(())
}

fn obligation(row: &Row<'_>) -> rusqlite::Result<Obligation> {
    let state: String = row.get(8)?;
    Ok(Obligation {
        id: row.get(0)?,
        session_key: row.get(1)?,
        platform: row.get(2)?,
        chat_id: row.get(3)?,
        thread_id: row.get(4)?,
        reply_to: row.get(5)?,
        body: row.get(6)?,
        parts: row.get(7)?,
        state: ObligationState::of(&state),
        attempts: row.get(9)?,
        owner: row.get(10)?,
        created_at: row.get(11)?,
    })
}

fn routing(row: &Row<'_>) -> rusqlite::Result<RoutingRow> {
    Ok(RoutingRow { session_key: row.get(0)?, entry_json: row.get(1)?, updated_at: row.get(2)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_stored_once_and_settled_with_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        let database = SessionDatabase::at(folder.path().join("state.db"));
        let entry =
            InboxEntry { chat_id: "5".into(), identity: "m:1".into(), event_json: "{}".into() };
        let marks = [("offset".to_owned(), "8".to_owned())];
        let twice = [entry.clone(), entry];
        assert_eq!(database.gateway_accept("telegram", &twice, &marks).unwrap().len(), 1);
        assert!(database.gateway_accept("telegram", &twice, &[]).unwrap().is_empty());
        assert_eq!(database.gateway_mark("telegram", "offset").unwrap().as_deref(), Some("8"));
        let row = database.gateway_open_events().unwrap().remove(0);
        database.gateway_take(&[row.id], "s1").unwrap();
        let taken = database.gateway_open_events().unwrap().remove(0);
        assert_eq!((taken.state, taken.attempts), (InboxState::Taken, 1));
        let answer = Obligation {
            id: "o1".into(),
            session_key: "k".into(),
            platform: "telegram".into(),
            chat_id: "5".into(),
            thread_id: None,
            reply_to: None,
            body: "hello".into(),
            parts: "[]".into(),
            state: ObligationState::Pending,
            attempts: 0,
            owner: String::new(),
            created_at: 1.0,
        };
        database.gateway_settle(&[row.id], Some(&answer)).unwrap();
        assert!(database.gateway_open_events().unwrap().is_empty());
        assert_eq!(database.open_obligations().unwrap(), [answer]);
        // Known again although what it said is forgotten.
        assert!(database.gateway_accept("telegram", &twice, &[]).unwrap().is_empty());
    }
}
