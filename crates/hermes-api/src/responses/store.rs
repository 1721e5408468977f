//! Answers that later requests go on from: `response_store.db`, the file the Python program keeps them in too.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_llm::Message;
use hermes_store::home::ensure_private_dir;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::problem::Refusal;

/// Answers that are kept; those not used for the longest time go.
const MOST: i64 = 100;
/// How long another program may hold the file.
const BUSY_WAIT: Duration = Duration::from_secs(5);
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS responses (
        response_id TEXT PRIMARY KEY, data TEXT NOT NULL, accessed_at REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS conversations (name TEXT PRIMARY KEY, response_id TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS session_tips (session_id TEXT PRIMARY KEY, response_id TEXT NOT NULL);";

/// An answer and what it came of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptResponse {
    /// As it was sent.
    pub(crate) response: Value,
    /// Everything said until then, the answer included.
    #[serde(default)]
    pub(crate) conversation_history: Vec<Message>,
    /// What was added to the system prompt.
    #[serde(default)]
    pub(crate) instructions: Option<String>,
    /// The session it took place in.
    #[serde(default)]
    pub(crate) session_id: Option<String>,
    /// Whether nothing was said in that session since.
    #[serde(skip)]
    pub(crate) is_latest: bool,
}

/// The file, opened at first use.
#[derive(Clone)]
pub(crate) struct ResponseStore {
    file: PathBuf,
    connection: Arc<Mutex<Option<Connection>>>,
}

impl ResponseStore {
    /// In this home. Touches nothing.
    pub(crate) fn at(home: &Path) -> Self {
        Self { file: home.join("response_store.db"), connection: Arc::default() }
    }

    #[expect(clippy::disallowed_methods, reason = "not the session database: a store of its own")]
    fn open(file: &Path) -> anyhow::Result<Connection> {
        if let Some(folder) = file.parent() {
            ensure_private_dir(folder)?;
        }
        // Made by us before SQLite would, so that it is never anybody else's to read.
        let mut options = std::fs::OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::mode(options.create(true).append(true), 0o600)
            .open(file)?;
        let connection = Connection::open(file)?;
        connection.busy_timeout(BUSY_WAIT)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(SCHEMA)?;
        Ok(connection)
    }

    async fn with<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Connection) -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let this = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let mut opened = this.connection.lock().unwrap_or_else(PoisonError::into_inner);
            let connection = match opened.as_mut() {
                Some(connection) => connection,
                None => opened.insert(Self::open(&this.file)?),
            };
            act(connection)
        });
        let failed = |why: String| {
            tracing::warn!(%why, "the store of responses failed");
            Refusal::broken("The store of responses did not answer; the log says why")
        };
        match done.await {
            Ok(done) => done.map_err(|problem| failed(problem.to_string())),
            Err(problem) => Err(failed(problem.to_string())),
        }
    }

    /// An answer by its id.
    pub(crate) async fn get(&self, id: &str) -> Result<Option<KeptResponse>, Refusal> {
        let id = id.to_owned();
        self.with(move |connection| {
            let data: Option<String> = connection
                .query_row("SELECT data FROM responses WHERE response_id = ?1", [&id], |row| {
                    row.get(0)
                })
                .optional()?;
            let Some(data) = data else { return Ok(None) };
            connection.execute(
                "UPDATE responses SET accessed_at = ?2 WHERE response_id = ?1",
                params![id, hermes_store::clock::now()],
            )?;
            let mut kept: KeptResponse = serde_json::from_str(&data)?;
            let tip: Option<String> = connection
                .query_row(
                    "SELECT response_id FROM session_tips WHERE session_id = ?1",
                    [&kept.session_id],
                    |row| row.get(0),
                )
                .optional()?;
            kept.is_latest = tip.as_deref() == Some(&id);
            Ok(Some(kept))
        })
        .await
    }

    /// Keeps an answer, and perhaps as the last one of a named conversation.
    pub(crate) async fn put(
        &self,
        id: &str,
        kept: &KeptResponse,
        conversation: Option<&str>,
    ) -> Result<(), Refusal> {
        let data = serde_json::to_string(kept).map_err(|why| Refusal::broken(why.to_string()))?;
        let (id, name) = (id.to_owned(), conversation.map(str::to_owned));
        let session = kept.session_id.clone();
        self.with(move |connection| {
            let change = connection.transaction()?;
            let now = hermes_store::clock::now();
            change.execute("INSERT OR REPLACE INTO responses VALUES (?1, ?2, ?3)", params![id, data, now])?;
            if let Some(name) = name {
                change.execute("INSERT OR REPLACE INTO conversations VALUES (?1, ?2)", params![name, id])?;
            }
            if let Some(session) = session {
                change.execute("INSERT OR REPLACE INTO session_tips VALUES (?1, ?2)", params![session, id])?;
            }
            change.execute(
                "DELETE FROM responses WHERE response_id NOT IN
                     (SELECT response_id FROM responses ORDER BY accessed_at DESC LIMIT ?1)",
                [MOST],
            )?;
            for table in ["conversations", "session_tips"] {
                change.execute(
                    &format!("DELETE FROM {table} WHERE response_id NOT IN (SELECT response_id FROM responses)"),
                    [],
                )?;
            }
            Ok(change.commit()?)
        })
        .await
    }

    /// Forgets an answer; whether there was one.
    pub(crate) async fn delete(&self, id: &str) -> Result<bool, Refusal> {
        let id = id.to_owned();
        self.with(move |connection| {
            connection.execute("DELETE FROM conversations WHERE response_id = ?1", [&id])?;
            connection.execute("DELETE FROM session_tips WHERE response_id = ?1", [&id])?;
            Ok(connection.execute("DELETE FROM responses WHERE response_id = ?1", [&id])? > 0)
        })
        .await
    }

    /// The last answer of a named conversation.
    pub(crate) async fn last_of(&self, conversation: &str) -> Result<Option<String>, Refusal> {
        let name = conversation.to_owned();
        self.with(move |connection| {
            let find = "SELECT response_id FROM conversations WHERE name = ?1";
            Ok(connection.query_row(find, [name], |row| row.get(0)).optional()?)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept(session: &str) -> KeptResponse {
        KeptResponse {
            response: json!({"id": "x"}),
            conversation_history: vec![Message::user("hello")],
            instructions: None,
            session_id: Some(session.to_owned()),
            is_latest: false,
        }
    }

    #[tokio::test]
    async fn the_hundred_used_last_are_kept_privately() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let store = ResponseStore::at(home.path());
        for number in 0..105 {
            store.put(&format!("r{number}"), &kept("s"), Some("talk")).await.unwrap();
            // The clock of rows is finer than this loop is fast, except when it is not.
            if number == 0 {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        assert!(store.get("r0").await.unwrap().is_none());
        let last = store.get("r104").await.unwrap().unwrap();
        assert!(last.is_latest);
        assert_eq!(last.conversation_history, [Message::user("hello")]);
        assert_eq!(store.last_of("talk").await.unwrap().as_deref(), Some("r104"));
        let file = home.path().join("response_store.db");
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(store.delete("r104").await.unwrap());
        assert_eq!(store.last_of("talk").await.unwrap(), None);
    }

    #[tokio::test]
    async fn an_older_answer_of_a_session_is_not_its_latest() {
        let home = tempfile::tempdir().unwrap();
        let store = ResponseStore::at(home.path());
        store.put("one", &kept("s"), None).await.unwrap();
        store.put("two", &kept("s"), None).await.unwrap();
        assert!(!store.get("one").await.unwrap().unwrap().is_latest);
        assert!(store.get("two").await.unwrap().unwrap().is_latest);
    }
}
