//! Every scenario the suite has for servers, in one run.

use std::path::PathBuf;
use std::time::Duration;

use hermes_process::{Command, End};

use super::fixture;

/// How many scenarios the suite had when this was written; fewer would mean that some did not run.
const SCENARIOS: usize = 32;
/// The suite takes a few seconds; a busy machine takes longer.
const DEADLINE: Duration = Duration::from_secs(100);

/// The folder with the programs of the protocol's own, installed by a script.
fn programs() -> PathBuf {
    hermes_testkit::part("HERMES_TEST_MCP_BIN").into()
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_for_servers() {
    let address = fixture::start().await;
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new(programs().join("conformance"))
        .args(["server", "--suite", "all", "--url", &address])
        .cwd(folder.path())
        .env("HOME", folder.path())
        .env_inherit(["PATH"])
        .deadline(DEADLINE)
        .run()
        .await
        .unwrap();
    let shown = done.stdout.text();
    let summary = shown.rsplit_once("=== SUMMARY ===").map(|(_, summary)| summary);
    let summary = summary.unwrap_or_else(|| panic!("no summary: {shown}\n{}", done.stderr.text()));
    let passed = summary.lines().filter(|line| line.starts_with('✓')).count();
    assert!(!summary.contains('✗') && passed >= SCENARIOS, "{passed} passed:\n{shown}");
    assert_eq!(done.end, End::Exited(0), "{shown}");
}
