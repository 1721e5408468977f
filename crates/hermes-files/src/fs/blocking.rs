//! Work that waits for the disk, and where it is done.
//!
//! A disk can be slow, and a network mount can be gone for good, so such work has threads of its own:
//! whoever waits for it can go on doing other things. Going there and back costs more than a brief look
//! at a file, though. So brief looks that follow each other are done [`batch_io`], and somebody who has a
//! thread to spare can have them done on it ([`with_inline_io`]). Longer work always goes to a thread of its
//! own ([`spawn_blocking_io`]): others may have something brief to do here.

use std::cell::Cell;

use tokio::runtime::Handle;
use tokio::task::JoinError;

thread_local! {
    static MAY_BLOCK: Cell<bool> = const { Cell::new(false) };
}

/// Does work that waits for the disk on a thread of its own.
///
/// # Errors
/// When the work was broken off: it panicked, or the program ends.
pub async fn spawn_blocking_io<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    tokio::task::spawn_blocking(work).await
}

/// Does brief work that waits for the disk: at once on a thread that may wait, else like longer work.
///
/// # Errors
/// When the work was broken off: it panicked, or the program ends.
pub async fn inline_or_spawn_io<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    if MAY_BLOCK.get() {
        return Ok(work());
    }
    spawn_blocking_io(work).await
}

/// Follows a future to its end on one thread, so that all it does [`inline_or_spawn_io`] is done there at once. For
/// futures that wait for little else: the thread waits with them.
///
/// # Errors
/// When it was broken off: it panicked, or the program ends.
pub async fn batch_io<F>(work: impl FnOnce() -> F + Send + 'static) -> Result<F::Output, JoinError>
where
    F: Future + Send,
    F::Output: Send + 'static,
{
    if MAY_BLOCK.get() {
        return Ok(work().await);
    }
    let runtime = Handle::current();
    spawn_blocking_io(move || with_inline_io(|| runtime.block_on(work()))).await
}

/// Makes this thread one that may wait while it works: what is done [`inline_or_spawn_io`] on it is done at once.
pub fn with_inline_io<T>(work: impl FnOnce() -> T) -> T {
    let _stay = InlineScope::begin();
    work()
}

/// The time during which a thread may wait; threads are used again for other things.
struct InlineScope {
    before: bool,
}

impl InlineScope {
    fn begin() -> Self {
        Self { before: MAY_BLOCK.replace(true) }
    }
}

impl Drop for InlineScope {
    fn drop(&mut self) {
        MAY_BLOCK.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{ThreadId, current};

    use super::*;

    async fn thread_of_io() -> ThreadId {
        inline_or_spawn_io(|| current().id()).await.unwrap()
    }

    #[tokio::test]
    async fn work_in_one_go_stays_on_one_thread_that_is_not_ours() {
        let (first, second) =
            batch_io(|| async { (thread_of_io().await, thread_of_io().await) }).await.unwrap();
        assert_eq!(first, second);
        assert_ne!(first, current().id());
        let inside = batch_io(|| async {
            (current().id(), batch_io(|| async { current().id() }).await.unwrap())
        });
        let (outer, inner) = inside.await.unwrap();
        assert_eq!(outer, inner, "it can be used inside itself");
        let longer = batch_io(|| async {
            (current().id(), spawn_blocking_io(|| current().id()).await.unwrap())
        });
        let (brief, longer) = longer.await.unwrap();
        assert_ne!(brief, longer, "longer work keeps nobody waiting");
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_leaves_the_thread_as_it_was() {
        assert!(batch_io(|| async { panic!("on purpose") }).await.unwrap_err().is_panic());
        assert_ne!(thread_of_io().await, current().id());
        assert!(!spawn_blocking_io(|| MAY_BLOCK.get()).await.unwrap());
        assert!(with_inline_io(|| MAY_BLOCK.get()) && !MAY_BLOCK.get());
    }
}
