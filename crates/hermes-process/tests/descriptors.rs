//! When there are no descriptors left. In a binary of its own, as the limit is the process's.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{open_descriptors, sh};
use hermes_process::{End, ProcessError};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

#[tokio::test]
async fn running_out_of_descriptors_is_told_and_leaves_none_behind() {
    sh("true").run().await.unwrap();
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let before = open_descriptors();
    let mut refused = 0;
    // Each time there is room for one more, so that each step of a start fails once for want of it.
    for room in 0.. {
        setrlimit(Resource::RLIMIT_NOFILE, before as u64 + room, hard).unwrap();
        let result = sh("exit 2").run().await;
        setrlimit(Resource::RLIMIT_NOFILE, soft, hard).unwrap();
        match result {
            Ok(done) => {
                assert_eq!(done.end, End::Exited(2));
                break;
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, ProcessError::NoResources { .. }), "{room}: {error:?}");
                assert!(error.to_string().contains("ulimit -n"), "{error}");
            }
        }
        assert_eq!(open_descriptors(), before, "with room for {room}");
    }
    assert!(refused >= 4, "{refused}");
}
