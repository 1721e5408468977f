//! Work that waits for the disk, and where it is done.
//!
//! A disk can be slow, and a network mount can be gone for good, so such work has threads of its own:
//! whoever waits for it can go on doing other things. Going there and back costs more than a brief look
//! at a file, though. So brief looks that follow each other are done [`in_one_go`], and somebody who has a
//! thread to spare can have them done on it ([`wait_here`]). Longer work always goes to a thread of its
//! own ([`at_the_disk`]): others may have something brief to do here.

use std::cell::Cell;

use tokio::runtime::Handle;
use tokio::task::JoinError;

thread_local! {
    static MAY_WAIT: Cell<bool> = const { Cell::new(false) };
}

/// Does work that waits for the disk on a thread of its own.
///
/// # Errors
/// When the work was broken off: it panicked, or the program ends.
pub async fn at_the_disk<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    tokio::task::spawn_blocking(work).await
}

/// Does brief work that waits for the disk: at once on a thread that may wait, else like longer work.
///
/// # Errors
/// When the work was broken off: it panicked, or the program ends.
pub async fn briefly<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    if MAY_WAIT.get() {
        return Ok(work());
    }
    at_the_disk(work).await
}

/// Follows a future to its end on one thread, so that all it does [`briefly`] is done there at once. For
/// futures that wait for little else: the thread waits with them.
///
/// # Errors
/// When it was broken off: it panicked, or the program ends.
pub async fn in_one_go<F>(work: impl FnOnce() -> F + Send + 'static) -> Result<F::Output, JoinError>
where
    F: Future + Send,
    F::Output: Send + 'static,
{
    if MAY_WAIT.get() {
        return Ok(work().await);
    }
    let runtime = Handle::current();
    at_the_disk(move || wait_here(|| runtime.block_on(work()))).await
}

/// Makes this thread one that may wait while it works: what is done [`briefly`] on it is done at once.
pub fn wait_here<T>(work: impl FnOnce() -> T) -> T {
    let _stay = Stay::begin();
    work()
}

/// The time during which a thread may wait; threads are used again for other things.
struct Stay {
    before: bool,
}

impl Stay {
    fn begin() -> Self {
        Self { before: MAY_WAIT.replace(true) }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        MAY_WAIT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{ThreadId, current};

    use super::*;

    async fn place_of_work() -> ThreadId {
        briefly(|| current().id()).await.unwrap()
    }

    #[tokio::test]
    async fn work_in_one_go_stays_on_one_thread_that_is_not_ours() {
        let (first, second) =
            in_one_go(|| async { (place_of_work().await, place_of_work().await) }).await.unwrap();
        assert_eq!(first, second);
        assert_ne!(first, current().id());
        let inside = in_one_go(|| async {
            (current().id(), in_one_go(|| async { current().id() }).await.unwrap())
        });
        let (outer, inner) = inside.await.unwrap();
        assert_eq!(outer, inner, "it can be used inside itself");
        let longer =
            in_one_go(|| async { (current().id(), at_the_disk(|| current().id()).await.unwrap()) });
        let (brief, longer) = longer.await.unwrap();
        assert_ne!(brief, longer, "longer work keeps nobody waiting");
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_leaves_the_thread_as_it_was() {
        assert!(in_one_go(|| async { panic!("on purpose") }).await.unwrap_err().is_panic());
        assert_ne!(place_of_work().await, current().id());
        assert!(!at_the_disk(|| MAY_WAIT.get()).await.unwrap());
        assert!(wait_here(|| MAY_WAIT.get()) && !MAY_WAIT.get());
    }
}
