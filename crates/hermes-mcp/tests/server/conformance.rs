//! Every scenario the suite has for servers, once for each revision of the protocol.
//!
//! Scenarios of extensions (tasks, skills as a protocol) belong to no revision and are not among them: a
//! server of tools need not offer those, and this one does not.

use std::path::PathBuf;
use std::time::Duration;

use hermes_process::{Command, End};

use super::fixture;

/// The suite takes a few seconds; a busy machine takes longer.
const DEADLINE: Duration = Duration::from_secs(100);

/// The folder with the programs of the protocol's own, installed by a script.
fn programs() -> PathBuf {
    hermes_testkit::part("HERMES_TEST_MCP_BIN").into()
}

/// Runs what the suite has for a revision. Fewer scenarios than it had when this was written would mean
/// that some did not run.
async fn passes(revision: &str, scenarios: usize) {
    let address = fixture::start().await;
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new(programs().join("conformance"))
        .args(["server", "--suite", "all", "--spec-version", revision, "--url", &address])
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
    assert!(!summary.contains('✗') && passed >= scenarios, "{passed} passed:\n{shown}");
    assert!(!shown.contains("WARNING"), "{shown}");
    assert_eq!(done.end, End::Exited(0), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2025_03_26() {
    passes("2025-03-26", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2025_06_18() {
    passes("2025-06-18", 27).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2025_11_25() {
    passes("2025-11-25", 33).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2026_07_28() {
    passes("2026-07-28", 40).await;
}
