//! Small notes of the program itself, by name: what belongs to a session and is no message.

use rusqlite::OptionalExtension;

use super::store::{Result, SessionStore};

/// Before the name of a session: what it works towards.
const GOAL: &str = "goal:";

impl SessionStore {
    /// What a session works towards, as it was kept.
    pub fn goal(&self, session: &str) -> Result<Option<String>> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT value FROM state_meta WHERE key = ?1")?
                .query_row([format!("{GOAL}{session}")], |row| row.get::<_, Option<String>>(0))
                .optional()?
                .flatten())
        })
    }

    /// Keeps what a session works towards, or forgets it.
    pub fn keep_goal(&self, session: &str, goal: Option<&str>) -> Result<()> {
        let key = format!("{GOAL}{session}");
        self.write(|connection| {
            match goal {
                Some(goal) => connection
                    .prepare_cached(
                        "INSERT INTO state_meta(key, value) VALUES (?1, ?2) \
                         ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                    )?
                    .execute([&*key, goal])?,
                None => connection
                    .prepare_cached("DELETE FROM state_meta WHERE key = ?1")?
                    .execute([&key])?,
            };
            Ok(())
        })
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
