//! Replacing a long history by a summary, one process at a time.

use std::time::Duration;

use rusqlite::{OptionalExtension, params};

use super::ids::{now, random};
use super::message::{self, NewMessage};
use super::session::{missing, update};
use super::store::{Result, SessionStore};

/// How long a lock holds when its holder dies.
pub const LOCK_LIFE: Duration = Duration::from_secs(300);

/// What is remembered of compressions that did not work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompressionTrouble {
    /// Not before this time is another one tried.
    pub cooldown_until: Option<f64>,
    /// What went wrong.
    pub error: Option<String>,
    /// How many in a row had to do without a model's summary.
    pub fallback_streak: i64,
}

/// The right to compress one session. Given up when dropped, or after [`LOCK_LIFE`].
#[derive(Debug)]
#[must_use = "the right is given up as soon as this is dropped"]
pub struct CompressionLock {
    store: SessionStore,
    session: String,
    holder: String,
}

impl CompressionLock {
    /// Makes it hold for another [`LOCK_LIFE`]; tells whether it was still held.
    pub fn refresh(&self) -> Result<bool> {
        let until = now() + LOCK_LIFE.as_secs_f64();
        self.store.write(|connection| {
            let changed = connection.execute(
                "UPDATE compression_locks SET expires_at = ?3 WHERE session_id = ?1 AND holder = ?2",
                params![self.session, self.holder, until],
            )?;
            Ok(changed == 1)
        })
    }
}

impl Drop for CompressionLock {
    fn drop(&mut self) {
        let freed = self.store.write(|connection| {
            connection.execute(
                "DELETE FROM compression_locks WHERE session_id = ?1 AND holder = ?2",
                [&self.session, &self.holder],
            )?;
            Ok(())
        });
        if let Err(problem) = freed {
            tracing::debug!(%problem, "a compression lock stays until it runs out");
        }
    }
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

impl SessionStore {
    /// Takes the right to compress a session; none while another process has it.
    pub fn compression_lock(&self, session: &str) -> Result<Option<CompressionLock>> {
        let holder = format!("{}:{}:{:016x}", boot(), std::process::id(), random());
        let is_taken = self.write(|connection| {
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
                return Ok(true);
            }
            connection.execute(
                "INSERT OR REPLACE INTO compression_locks(session_id, holder, acquired_at, expires_at) \
                 VALUES (?1, ?2, ?3, ?4)",
                params![session, holder, time, time + LOCK_LIFE.as_secs_f64()],
            )?;
            Ok(false)
        })?;
        let session = session.to_owned();
        Ok((!is_taken).then(|| CompressionLock { store: self.clone(), session, holder }))
    }

    /// Sets messages aside as summarised and appends new ones, in one step; answers the numbers of
    /// the new ones.
    ///
    /// The set-aside rows leave the conversation but are still found by searches. A conversation is
    /// in the order of its rows: what should come after the new rows has to be among the replaced
    /// and the new ones both.
    pub fn compact(&self, session: &str, replaced: &[i64], new: &[NewMessage]) -> Result<Vec<i64>> {
        self.write(|connection| {
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
        })
    }

    /// Remembers what became of the last attempts to compress a session.
    pub fn set_compression_trouble(
        &self,
        session: &str,
        trouble: &CompressionTrouble,
    ) -> Result<()> {
        let set = "compression_failure_cooldown_until = ?2, compression_failure_error = ?3, \
                   compression_fallback_streak = ?4";
        self.write(|connection| {
            update(
                connection,
                session,
                set,
                &[&trouble.cooldown_until, &trouble.error, &trouble.fallback_streak],
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_of_this_machine_that_has_ended_is_gone() {
        // No process has a number this high.
        assert!(is_gone(&format!("{}:4294967295:ab", boot())));
        assert!(!is_gone(&format!("{}:{}:ab", boot(), std::process::id())));
        assert!(!is_gone("another-machine:4294967295:ab"));
        assert!(!is_gone("4294967295:ab"));
    }
}
