//! Every scenario the suite has for clients, once for each revision of the protocol, and those of the
//! extensions we speak.

use std::path::PathBuf;
use std::time::Duration;

use hermes_process::{Command, End};

use super::rig::program;

/// The suite takes ten seconds alone; a busy machine takes longer.
const DEADLINE: Duration = Duration::from_secs(100);

/// The example that is the client; `cargo test` and `cargo nextest` build it with the tests.
fn client() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let built = own.ancestors().nth(2).unwrap().join("examples/conformance_client");
    assert!(built.exists(), "{} is not built: cargo build --examples", built.display());
    built
}

/// The suite runs all scenarios at the same moment, and this one measures whether we wait half a second
/// before we come back. Among many clients on a busy machine nobody is that punctual; alone we have to be.
const PUNCTUAL: &str = "sse-retry";
const TRIES: usize = 3;

/// Runs what the suite has for a revision. Fewer scenarios than it had when this was written would mean
/// that some did not run.
async fn passes(revision: &str, scenarios: usize) {
    let shown = suite(&["--suite", "all", "--spec-version", revision]).await;
    let lines = |mark: char| shown.lines().filter(move |line| line.starts_with(mark));
    let failed: Vec<&str> = lines('✗').collect();
    assert!(lines('✓').count() + failed.len() >= scenarios, "{shown}");
    let others: Vec<_> = failed.iter().filter(|line| !line.contains(PUNCTUAL)).collect();
    assert!(others.is_empty(), "{others:?} failed:\n{shown}");
    if failed.is_empty() {
        return;
    }
    let mut alone = String::new();
    for _ in 0..TRIES {
        alone = suite(&["--scenario", PUNCTUAL, "--spec-version", revision]).await;
        if has_passed(&alone) {
            return;
        }
    }
    panic!("{alone}");
}

fn has_passed(shown: &str) -> bool {
    shown.contains("OVERALL: PASSED") && shown.contains(" 0 failed, 0 warnings")
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2025_03_26() {
    passes("2025-03-26", 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2025_06_18() {
    passes("2025-06-18", 5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2025_11_25() {
    passes("2025-11-25", 19).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_every_scenario_of_2026_07_28() {
    passes("2026-07-28", 33).await;
}

/// Programs that log in for themselves, and people who are logged in at their company. The other
/// extensions (proof of possession, workload identity, skills as a protocol) are not offered.
#[tokio::test(flavor = "multi_thread")]
async fn passes_the_extensions_it_speaks() {
    for scenario in [
        "auth/client-credentials-jwt",
        "auth/client-credentials-basic",
        "auth/enterprise-managed-authorization",
    ] {
        let shown = suite(&["--scenario", scenario]).await;
        assert!(has_passed(&shown), "{scenario}:\n{shown}");
    }
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
