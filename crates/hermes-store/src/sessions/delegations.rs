//! Delegated work that goes on in the background, and its results, each delivered exactly once.

use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::ids::now;
use super::row::{Columns, parse};
use super::store::{Result, SessionStore};

/// Delegated work that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Delegation {
    /// Its id.
    pub id: String,
    /// The session that asked for it.
    pub origin_session: String,
    /// `completed`, `failed` and so on.
    pub state: String,
    /// What was to be done.
    pub task: Value,
    /// What came of it.
    pub result: Value,
    /// When it began.
    pub dispatched_at: f64,
    /// When it ended.
    pub completed_at: f64,
}

impl SessionStore {
    /// Notes that work has begun for a session.
    pub fn put_delegation(&self, id: &str, origin_session: &str, task: &Value) -> Result<()> {
        self.write(|connection| {
            connection.execute(
                "INSERT INTO async_delegations(delegation_id, origin_session, parent_session_id, \
                 state, dispatched_at, updated_at, task_json, owner_pid) \
                 VALUES (?1, ?2, ?2, 'running', ?3, ?3, ?4, ?5)",
                params![id, origin_session, now(), task.to_string(), std::process::id()],
            )?;
            Ok(())
        })
    }

    /// Notes what came of work. The first end counts; tells whether this was it.
    pub fn complete_delegation(&self, id: &str, state: &str, result: &Value) -> Result<bool> {
        self.write(|connection| {
            let changed = connection.execute(
                "UPDATE async_delegations SET state = ?2, result_json = ?3, completed_at = ?4, \
                 updated_at = ?4 WHERE delegation_id = ?1 AND completed_at IS NULL",
                params![id, state, result.to_string(), now()],
            )?;
            Ok(changed == 1)
        })
    }

    /// Takes the oldest result a session has not had yet. Of all who ask, one gets it.
    pub fn take_delegation(&self, origin_session: &str) -> Result<Option<Delegation>> {
        self.write(|connection| {
            let found = connection
                .query_row(
                    "SELECT delegation_id, origin_session, state, task_json, result_json, \
                     dispatched_at, completed_at FROM async_delegations \
                     WHERE delivery_state = 'pending' AND completed_at IS NOT NULL \
                     AND origin_session = ?1 ORDER BY completed_at, delegation_id LIMIT 1",
                    [origin_session],
                    |row| {
                        let mut columns = Columns::of(row);
                        Ok(Delegation {
                            id: columns.take()?,
                            origin_session: columns.take()?,
                            state: columns.take()?,
                            task: columns.take::<Option<String>>()?.map(parse).unwrap_or_default(),
                            result: columns
                                .take::<Option<String>>()?
                                .map(parse)
                                .unwrap_or_default(),
                            dispatched_at: columns.take()?,
                            completed_at: columns.take()?,
                        })
                    },
                )
                .optional()?;
            if let Some(delegation) = &found {
                connection.execute(
                    "UPDATE async_delegations SET delivery_state = 'delivered', \
                     delivery_attempts = delivery_attempts + 1, delivered_at = ?2, updated_at = ?2 \
                     WHERE delegation_id = ?1",
                    params![delegation.id, now()],
                )?;
            }
            Ok(found)
        })
    }
}
