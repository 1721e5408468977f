//! The same request twice is one turn.
//!
//! A client that lost its connection does not know whether it was heard. With the header `Idempotency-Key` it may ask
//! again: while the first request is at work both get its answer, and for some minutes after. A turn whose clients
//! are all gone ends, as any other.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, WeakShared};

use crate::problem::Refusal;

/// How long an answer is kept.
const KEPT_FOR: Duration = Duration::from_secs(300);
/// Answers that are kept at once; the oldest go first.
const MOST: usize = 1_000;

/// An answer that can be given again.
pub(crate) type Answered<T> = Result<T, Refusal>;

enum Progress<T: Clone> {
    Running(WeakShared<BoxFuture<'static, Answered<T>>>),
    Done(Answered<T>),
}

struct Entry<T: Clone> {
    body: u64,
    since: Instant,
    progress: Progress<T>,
}

/// Requests that were made under a key.
pub(crate) struct Idempotency<T: Clone>(Mutex<HashMap<String, Entry<T>>>);

impl<T: Clone> Default for Idempotency<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send + Sync + 'static> Idempotency<T> {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work, unless the same was asked for under this key before.
    pub(crate) async fn once(
        &self,
        key: Option<String>,
        body: &[u8],
        work: BoxFuture<'static, Answered<T>>,
    ) -> Answered<T> {
        let Some(key) = key else { return work.await };
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let shared = self.enter(&key, hasher.finish(), work)?;
        let shared = match shared {
            Ok(kept) => return kept,
            Err(shared) => shared,
        };
        let answer = shared.await;
        let mut entries = self.lock();
        // A failure is tried again the next time.
        match &answer {
            Ok(_) => {
                if let Some(entry) = entries.get_mut(&key) {
                    entry.progress = Progress::Done(answer.clone());
                }
            }
            Err(_) => drop(entries.remove(&key)),
        }
        answer
    }

    /// The kept answer, or the work to wait for.
    #[expect(clippy::type_complexity, reason = "an answer, or the way to it")]
    fn enter(
        &self,
        key: &str,
        body: u64,
        work: BoxFuture<'static, Answered<T>>,
    ) -> Result<Result<Answered<T>, Shared<BoxFuture<'static, Answered<T>>>>, Refusal> {
        let mut entries = self.lock();
        entries.retain(|_, entry| entry.since.elapsed() < KEPT_FOR);
        if let Some(entry) = entries.get(key) {
            if entry.body != body {
                let text = "Another request was made under this Idempotency-Key";
                return Err(Refusal::new(StatusCode::CONFLICT, "idempotency_key_reused", text));
            }
            match &entry.progress {
                Progress::Done(answer) => return Ok(Ok(answer.clone())),
                Progress::Running(work) => {
                    if let Some(work) = work.upgrade() {
                        return Ok(Err(work));
                    }
                }
            }
        }
        while entries.len() >= MOST {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.since);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { break };
            entries.remove(&oldest);
        }
        let shared = work.shared();
        let Some(weak) = shared.downgrade() else { return Ok(Err(shared)) };
        let progress = Progress::Running(weak);
        entries.insert(key.to_owned(), Entry { body, since: Instant::now(), progress });
        Ok(Err(shared))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn the_same_request_is_worked_on_once() {
        let kept: Idempotency<usize> = Idempotency::default();
        let done = Arc::new(AtomicUsize::new(0));
        let work = || {
            let done = Arc::clone(&done);
            async move { Ok(done.fetch_add(1, Ordering::SeqCst)) }.boxed()
        };
        let key = || Some("k".to_owned());
        let both = futures_util::future::join(
            kept.once(key(), b"a", work()),
            kept.once(key(), b"a", work()),
        );
        assert_eq!(both.await, (Ok(0), Ok(0)));
        assert_eq!(kept.once(key(), b"a", work()).await, Ok(0));
        assert!(kept.once(key(), b"b", work()).await.is_err());
        assert_eq!(kept.once(None, b"a", work()).await, Ok(1));
    }

    #[tokio::test]
    async fn a_failure_is_tried_again_and_work_nobody_waits_for_ends() {
        let kept: Idempotency<usize> = Idempotency::default();
        let fails = async { Err(Refusal::broken("no")) }.boxed();
        assert!(kept.once(Some("k".into()), b"a", fails).await.is_err());
        assert_eq!(kept.once(Some("k".into()), b"a", async { Ok(2) }.boxed()).await, Ok(2));
        let forever = kept.once(Some("f".into()), b"a", std::future::pending().boxed());
        assert!(tokio::time::timeout(Duration::from_millis(20), forever).await.is_err());
        assert_eq!(kept.once(Some("f".into()), b"a", async { Ok(3) }.boxed()).await, Ok(3));
    }
}
