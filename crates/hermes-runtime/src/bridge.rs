//! Between synchronous and asynchronous code.
//!
//! One shared async runtime serves every caller that brings none and every handler that must run
//! apart from its caller. It is started on first use and never dropped, so a handler that hangs on
//! one of its threads cannot hold up the end of the process.

use std::future::Future;
use std::pin::pin;
use std::sync::{LazyLock, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

/// How long sync code inside an async context waits for an async result before it gives up.
pub const BRIDGE_LIMIT: Duration = Duration::from_secs(300);

const WORKERS: usize = 2;

#[expect(clippy::expect_used, reason = "a process that cannot start a thread cannot go on")]
static SHARED: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("hermes-runtime")
        .enable_all()
        .build()
        .expect("start the shared async runtime")
});

/// The shared runtime's handle.
#[must_use]
pub fn shared_runtime() -> &'static Handle {
    SHARED.handle()
}

/// Runs a future to its end from sync code.
///
/// On a plain thread it is polled right here. Inside an async context the work goes to the shared
/// runtime, so that waiting cannot deadlock it, and `None` is returned after [`BRIDGE_LIMIT`] even
/// if the work goes on ignoring its cancellation.
pub fn block_on<F>(future: F) -> Option<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    block_on_within(future, BRIDGE_LIMIT)
}

/// Most tools answer without ever waiting; for those the async machinery is not even woken. A future
/// that does wait has only been asked once more than usual.
fn block_on_plain_thread<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    {
        let _timers_work = shared_runtime().enter();
        let mut cx = Context::from_waker(Waker::noop());
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
    }
    shared_runtime().block_on(future)
}

fn block_on_within<F>(future: F, limit: Duration) -> Option<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    if Handle::try_current().is_err() {
        return Some(block_on_plain_thread(future));
    }
    let (done, waiting) = mpsc::sync_channel(1);
    let task = shared_runtime().spawn(async move {
        // The caller may have given up.
        let _ = done.send(future.await);
    });
    // The caller may hold one of the shared runtime's own threads, which its tasks must not wait for.
    let wait = || waiting.recv_timeout(limit).inspect_err(|_| task.abort()).ok();
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(wait),
        _ => wait(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_threads_wait_without_a_bound() {
        assert_eq!(block_on(async { 7 }), Some(7));
    }

    #[test]
    fn a_future_that_waits_is_woken() {
        let answer = block_on(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            tokio::task::yield_now().await;
            7
        });
        assert_eq!(answer, Some(7));
    }

    #[tokio::test]
    async fn an_async_context_is_not_deadlocked() {
        let answer = block_on(async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            7
        });
        assert_eq!(answer, Some(7));
    }

    #[test]
    fn callers_on_all_threads_of_the_shared_runtime_do_not_starve_it() {
        let nested = |_| shared_runtime().spawn(async { block_on(async { 7 }) });
        let callers: Vec<_> = (0..2 * WORKERS).map(nested).collect();
        for caller in callers {
            assert_eq!(shared_runtime().block_on(caller).unwrap(), Some(7));
        }
    }

    #[tokio::test]
    async fn control_comes_back_even_if_the_work_ignores_cancellation() {
        let stubborn = async {
            std::thread::sleep(Duration::from_millis(300));
        };
        assert_eq!(block_on_within(stubborn, Duration::from_millis(20)), None);
    }
}
