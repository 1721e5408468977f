//! Small notes of the program itself, by name: what belongs to a session and is no message.

use rusqlite::{Connection, OptionalExtension};

use super::database::SessionDatabase;
use super::error::Result;

/// Before the name of a session: what it works towards.
const GOAL: &str = "goal:";

/// What is kept under a name, if anything.
pub(super) fn get(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    Ok(connection
        .prepare_cached("SELECT value FROM state_meta WHERE key = ?1")?
        .query_row([key], |row| row.get::<_, Option<String>>(0))
        .optional()?
        .flatten())
}

/// Keeps something under a name, or forgets it.
pub(super) fn set(connection: &Connection, key: &str, value: Option<&str>) -> rusqlite::Result<()> {
    match value {
        Some(value) => connection
            .prepare_cached(
                "INSERT INTO state_meta(key, value) VALUES (?1, ?2) \
                 ON CONFLICT(key) DO UPDATE SET value = excluded.value",
            )?
            .execute([key, value])?,
        None => {
            connection.prepare_cached("DELETE FROM state_meta WHERE key = ?1")?.execute([key])?
        }
    };
    Ok(())
}

pub(super) fn keep_goal(connection: &Connection, session: &str, goal: Option<&str>) -> Result<()> {
    Ok(set(connection, &format!("{GOAL}{session}"), goal)?)
}

impl SessionDatabase {
    /// What a session works towards, as it was kept.
    pub fn goal(&self, session: &str) -> Result<Option<String>> {
        self.read(|connection| Ok(get(connection, &format!("{GOAL}{session}"))?))
    }

    /// Keeps what a session works towards, or forgets it.
    pub fn keep_goal(&self, session: &str, goal: Option<&str>) -> Result<()> {
        self.write(|connection| keep_goal(connection, session, goal))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{session, store};

    #[test]
    fn a_goal_is_kept_replaced_and_goes_with_its_session() {
        let (_folder, store) = store();
        assert_eq!(store.goal("a").unwrap(), None);
        session(&store, "a");
        store.keep_goal("a", Some("one")).unwrap();
        store.keep_goal("a", Some("two")).unwrap();
        assert_eq!(store.goal("a").unwrap().as_deref(), Some("two"));
        assert_eq!(store.goal("b").unwrap(), None);
        store.keep_goal("a", None).unwrap();
        assert_eq!(store.goal("a").unwrap(), None);
        store.keep_goal("a", Some("three")).unwrap();
        store.delete("a").unwrap();
        assert_eq!(store.goal("a").unwrap(), None);
    }
}
