//! Replacing a long history by a summary, one process at a time.

use std::time::Duration;

use hermes_store::clock::{now, random};
use rusqlite::{Connection, OptionalExtension, params};

use super::database::SessionDatabase;
use super::error::Result;
use super::message::{self, NewMessage};
use super::session::missing;

/// How long a lock holds when its holder dies on another machine.
pub const LOCK_LIFE: Duration = Duration::from_secs(300);

/// A name for whoever takes the lock: machine, process, and something of its own.
pub(super) fn new_holder() -> String {
    format!("{}:{}:{:016x}", boot(), std::process::id(), random())
}

/// Names this start of this machine; empty where the kernel does not tell.
fn boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// Whether the holder of a lock was a process of this machine that has ended. A process that was killed
/// should not hold up the next one until its lock runs out.
fn is_gone(holder: &str) -> bool {
    let mut parts = holder.split(':');
    let (Some(machine), Some(process)) = (parts.next(), parts.next()) else { return false };
    let Ok(process) = process.parse::<u32>() else { return false };
    !machine.is_empty()
        && machine == boot()
        && !std::path::Path::new(&format!("/proc/{process}")).exists()
}

/// Sets messages aside as summarised and appends new ones; their numbers.
pub(super) fn compact(
    connection: &Connection,
    session: &str,
    replaced: &[i64],
    new: &[NewMessage],
) -> Result<Vec<i64>> {
    if super::session::get(connection, session)?.is_none() {
        return Err(missing(session));
    }
    let mut statement = connection.prepare_cached(&format!(
        "UPDATE messages SET active = 0, compacted = 1 \
         WHERE id = ?1 AND session_id = ?2 AND {}",
        message::ACTIVE
    ))?;
    for id in replaced {
        statement.execute(params![id, session])?;
    }
    let ids = message::insert(connection, session, new)?;
    message::recount(connection, session)?;
    Ok(ids)
}

impl SessionDatabase {
    /// Takes the right to compact a session; `false` while another holder has it.
    pub(super) fn take_compaction_lock(&self, session: &str, holder: &str) -> Result<bool> {
        self.write(|connection| {
            let time = now();
            connection.execute("DELETE FROM compression_locks WHERE expires_at <= ?1", [time])?;
            let other: Option<String> = connection
                .query_row(
                    "SELECT holder FROM compression_locks WHERE session_id = ?1",
                    [session],
                    |row| row.get(0),
                )
                .optional()?;
            if other.is_some_and(|other| !is_gone(&other)) {
                return Ok(false);
            }
            connection.execute(
                "INSERT OR REPLACE INTO compression_locks(session_id, holder, acquired_at, expires_at) \
                 VALUES (?1, ?2, ?3, ?4)",
                params![session, holder, time, time + LOCK_LIFE.as_secs_f64()],
            )?;
            Ok(true)
        })
    }

    /// Gives up the right to compact a session, if this holder has it.
    pub(super) fn release_compaction_lock(&self, session: &str, holder: &str) -> Result<()> {
        self.write(|connection| {
            connection.execute(
                "DELETE FROM compression_locks WHERE session_id = ?1 AND holder = ?2",
                [session, holder],
            )?;
            Ok(())
        })
    }

    /// Sets messages aside as summarised and appends new ones, in one step; answers the numbers of
    /// the new ones.
    ///
    /// The set-aside rows leave the conversation but are still found by searches. A conversation is
    /// in the order of its rows: what should come after the new rows has to be among the replaced
    /// and the new ones both.
    pub fn compact(&self, session: &str, replaced: &[i64], new: &[NewMessage]) -> Result<Vec<i64>> {
        self.write(|connection| compact(connection, session, replaced, new))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{session, store};
    use super::*;

    #[test]
    fn only_a_process_of_this_machine_that_has_ended_is_gone() {
        // No process has a number this high.
        assert!(is_gone(&format!("{}:4294967295:ab", boot())));
        assert!(!is_gone(&format!("{}:{}:ab", boot(), std::process::id())));
        assert!(!is_gone("another-machine:4294967295:ab"));
        assert!(!is_gone("4294967295:ab"));
    }

    #[test]
    fn one_holder_compacts_at_a_time() {
        let (_folder, store) = store();
        session(&store, "a");
        let (one, other) = (new_holder(), new_holder());
        assert!(store.take_compaction_lock("a", &one).unwrap());
        assert!(!store.take_compaction_lock("a", &other).unwrap());
        assert!(store.take_compaction_lock("b", &other).unwrap());
        store.release_compaction_lock("a", &other).unwrap();
        assert!(!store.take_compaction_lock("a", &other).unwrap(), "only the holder gives it up");
        store.release_compaction_lock("a", &one).unwrap();
        assert!(store.take_compaction_lock("a", &other).unwrap());
        store
            .maintain(|connection| {
                Ok(connection.execute_batch("UPDATE compression_locks SET expires_at = 1")?)
            })
            .unwrap();
        assert!(store.take_compaction_lock("a", &one).unwrap(), "a dead holder's lock runs out");
    }
}
