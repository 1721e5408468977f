//! How commands wait for async work, and the signals that end it.

use std::time::Duration;

use anyhow::Context as _;
use hermes_runtime::bridge::shared_runtime;
use tokio_util::sync::CancellationToken;

/// Runs async work to its end on the async runtime of the process. What it leaves behind, such as a tool
/// of a client that went away, does not hold up the end of the process.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    shared_runtime().block_on(work)
}

/// How long people wait before they want to know what for.
const TELL_AFTER: Duration = Duration::from_secs(2);

/// Waits for work that usually is quick, and tells what is waited for once it is not.
pub(crate) async fn telling<T>(work: impl Future<Output = T>, tell: impl FnOnce()) -> T {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return done,
        () = tokio::time::sleep(TELL_AFTER) => tell(),
    }
    work.await
}

/// A token that is cancelled when somebody wants the process to end.
pub(crate) fn stop_on_signals() -> anyhow::Result<CancellationToken> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("listen for signals")?;
    let mut hang_up = signal(SignalKind::hangup()).context("listen for signals")?;
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        told.cancel();
    });
    Ok(stop)
}
