//! One lock per path.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// Locks by path; a path nobody holds is forgotten.
#[derive(Default)]
pub(super) struct PathLocks(Mutex<HashMap<PathBuf, Weak<AsyncMutex<()>>>>);

/// Paths held until dropped.
#[derive(Debug)]
pub struct PathGuards(
    #[expect(dead_code, reason = "held, not looked at")] Vec<OwnedMutexGuard<()>>,
);

impl PathLocks {
    /// Locks all paths, in sorted order: whoever else wants some of them waits in the same order.
    pub(super) async fn lock(&self, paths: impl IntoIterator<Item = PathBuf>) -> PathGuards {
        let sorted: BTreeSet<PathBuf> = paths.into_iter().collect();
        let mut guards = Vec::with_capacity(sorted.len());
        for path in sorted {
            let lock = self.lock_of(path);
            guards.push(lock.lock_owned().await);
        }
        PathGuards(guards)
    }

    fn lock_of(&self, path: PathBuf) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(&path).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(AsyncMutex::new(()));
        locks.insert(path, Arc::downgrade(&lock));
        lock
    }
}
