//! The right to compact a conversation, for async callers.

use super::compaction::new_holder;
use super::error::Result;
use super::store::SessionStore;

/// The right to compact one session. Given up when dropped, and when its process ends.
#[derive(Debug)]
#[must_use = "the right is given up as soon as this is dropped"]
pub struct CompactionLock {
    store: SessionStore,
    session: String,
    holder: String,
}

impl SessionStore {
    /// Takes the right to compact a session; none while another process has it.
    pub async fn compaction_lock(&self, session: &str) -> Result<Option<CompactionLock>> {
        // Made first: if the caller stops waiting after it was taken, it is given up again.
        let lock = CompactionLock {
            store: self.clone(),
            session: session.to_owned(),
            holder: new_holder(),
        };
        let (session, holder) = (lock.session.clone(), lock.holder.clone());
        let is_ours =
            self.write(move |database| database.take_compaction_lock(&session, &holder)).await?;
        Ok(is_ours.then_some(lock))
    }
}

impl Drop for CompactionLock {
    fn drop(&mut self) {
        let (session, holder) =
            (std::mem::take(&mut self.session), std::mem::take(&mut self.holder));
        self.store.queue(move |database| database.release_compaction_lock(&session, &holder));
    }
}
