//! Every scenario the suite has for clients, in one run.

use std::path::PathBuf;
use std::time::Duration;

use hermes_process::{Command, End};

use super::rig::program;

/// How many scenarios the suite had when this was written; fewer would mean that some did not run.
const SCENARIOS: usize = 26;
/// The suite takes seven seconds alone; a busy machine takes longer.
const DEADLINE: Duration = Duration::from_secs(100);

/// The example that is the client; `cargo test` and `cargo nextest` build it with the tests.
fn client() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let built = own.ancestors().nth(2).unwrap().join("examples/conformance_client");
    assert!(built.exists(), "{} is not built: cargo build --examples", built.display());
    built
}

/// The suite runs all scenarios at the same moment, and this one measures whether we wait half a second
/// before we come back. Among 26 clients on a busy machine nobody is that punctual; alone we have to be.
const PUNCTUAL: &str = "sse-retry";
const TRIES: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_for_clients() {
    let shown = suite(&["--suite", "all"]).await;
    let lines = |mark: char| shown.lines().filter(move |line| line.starts_with(mark));
    let failed: Vec<&str> = lines('✗').collect();
    assert_eq!(lines('✓').count() + failed.len(), SCENARIOS, "{shown}");
    let others: Vec<_> = failed.iter().filter(|line| !line.contains(PUNCTUAL)).collect();
    assert!(others.is_empty(), "{others:?} failed:\n{shown}");
    if failed.is_empty() {
        return;
    }
    let mut alone = String::new();
    for _ in 0..TRIES {
        alone = suite(&["--scenario", PUNCTUAL]).await;
        if alone.contains("Passed: 3/3") {
            return;
        }
    }
    panic!("{alone}");
}

/// What the suite says about our client.
async fn suite(which: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new(program("conformance"))
        .arg("client")
        .args(which.iter().copied())
        .arg("--command")
        .arg(client())
        .cwd(folder.path())
        .env("HOME", folder.path())
        .env_inherit(["PATH"])
        .deadline(DEADLINE)
        .run()
        .await
        .unwrap();
    assert!(matches!(done.end, End::Exited(_)), "{:?}", done.end);
    format!("{}\n{}", done.stdout.text(), done.stderr.text())
}
