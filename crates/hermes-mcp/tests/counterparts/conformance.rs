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

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_for_clients() {
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new(program("conformance"))
        .args(["client", "--suite", "all", "--command"])
        .arg(client())
        .cwd(folder.path())
        .env("HOME", folder.path())
        .env_inherit(["PATH"])
        .deadline(DEADLINE)
        .run()
        .await
        .unwrap();
    let shown = format!("{}\n{}", done.stdout.text(), done.stderr.text());
    let passed = shown.lines().filter(|line| line.starts_with('✓')).count();
    assert!(!shown.contains('✗') && passed >= SCENARIOS, "{passed} passed:\n{shown}");
    assert_eq!(done.end, End::Exited(0), "{shown}");
}
