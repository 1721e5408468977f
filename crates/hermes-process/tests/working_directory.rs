//! Programs start in our working directory as it is, not as it was when the first one was started.
//! In a binary of its own, since there is but one working directory per process.

mod common;

use common::sh;

#[tokio::test]
async fn follows_ours() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let before = std::env::current_dir().unwrap();
    let pwd = || async { sh("pwd").run().await.unwrap().stdout.text() };

    assert_eq!(pwd().await.trim_end(), before.to_str().unwrap());
    std::env::set_current_dir(&dir).unwrap();
    assert_eq!(pwd().await.trim_end(), dir.to_str().unwrap());
}
