//! The places of the suite.

use futures_util::future::BoxFuture;

mod rig;

pub(crate) use rig::{MAX_SCRIPT_CALLS, Rig, SCRIPT_SECONDS, TestBackend};

/// Runs a test in a place, and closes the place however the test ends.
pub(crate) fn run(place: TestBackend, test: impl for<'a> FnOnce(&'a Rig) -> BoxFuture<'a, ()>) {
    let workers = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    workers.block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let rig = Rig::new(place, folder.path()).await;
        let ended = std::panic::AssertUnwindSafe(test(&rig));
        let ended = futures_util::FutureExt::catch_unwind(ended).await;
        rig.environments.close_all().await;
        if let Err(panic) = ended {
            std::panic::resume_unwind(panic);
        }
        rig.assert_nothing_is_left();
    });
}
