//! What a process that died leaves behind is settled by the next one.

use serde_json::{Value, json};

use super::doubles::{GitHubDouble, repo, skill};
use super::{Bench, ended};
use crate::hub::bundle::BundleFiles;
use crate::hub::state::change;
use crate::hub::state::installed::InstalledSkill;
use crate::report::VerbStatus::Done;

fn files(text: &str) -> BundleFiles {
    let mut files = BundleFiles::default();
    files.add_plain("SKILL.md", skill("pdf", text)).unwrap();
    files
}

fn entry(files: &BundleFiles) -> InstalledSkill {
    let value = json!({
        "source": "github", "identifier": "acme/tools/pdf", "trust_level": "community", "scan_verdict": "safe",
        "content_hash": files.content_hash(), "install_path": "pdf", "files": ["SKILL.md"],
    });
    serde_json::from_value(value).unwrap()
}

/// A change that was announced, and died at one of its steps.
fn died(bench: &Bench, files: &BundleFiles, moved: bool) {
    let hub = bench.hub();
    let guard = hub.state.begin().unwrap();
    let staged = change::stage(&hub.state, &guard, "pdf", files).unwrap();
    let pending = json!({"name": "pdf", "action": "INSTALL", "install_path": "pdf", "staged": "pdf", "entry": entry(files)});
    bench.write(".hub/pending.json", &pending.to_string());
    if moved {
        std::fs::rename(staged.folder(), bench.path("pdf")).unwrap();
    }
    std::mem::forget(staged);
}

fn installed(bench: &Bench) -> Value {
    bench.hub().state.recover().unwrap();
    assert!(!bench.path(".hub/pending.json").exists());
    bench.nothing_in_quarantine();
    if !bench.path(".hub/lock.json").exists() {
        return json!({});
    }
    bench.lock()["installed"].clone()
}

#[tokio::test]
async fn a_folder_that_arrived_is_recorded_and_one_that_did_not_is_forgotten() {
    let bench = Bench::new(&[]);
    died(&bench, &files("new"), false);
    assert_eq!(installed(&bench), json!({}));
    assert!(!bench.path("pdf").exists());
    died(&bench, &files("new"), true);
    assert_eq!(installed(&bench)["pdf"]["content_hash"], files("new").content_hash());
    assert!(bench.read(".hub/audit.log").contains("INSTALL pdf"));
}

#[tokio::test]
async fn a_corrupt_lock_is_told_and_mended_by_the_next_change() {
    let bench = Bench::new(&[]);
    assert_eq!(bench.hub().state.health(), None);
    died(&bench, &files("new"), true);
    assert!(bench.hub().state.health().unwrap().left_over);
    installed(&bench);
    ended(&bench.run(&["tap", "add", "acme/tools"]).await, Done);
    bench.write(".hub/lock.json", "{");
    let health = bench.hub().state.health().unwrap();
    assert!(health.lock_problem.unwrap().contains("could not be read"));
    ended(&bench.run(&["tap", "add", "acme/more"]).await, Done);
    let health = bench.hub().state.health().unwrap();
    assert_eq!((health.installed, health.lock_problem, health.left_over), (1, None, false));
}

#[tokio::test]
async fn a_removal_that_was_begun_is_finished() {
    let github =
        GitHubDouble::with(&[("acme/tools", repo(&[("pdf/SKILL.md", &skill("pdf", "one"))]))]);
    let addresses = github.addresses();
    let addresses: Vec<(&str, &str)> =
        addresses.iter().map(|(name, address)| (*name, address.as_str())).collect();
    let bench = Bench::new(&addresses);
    ended(&bench.run(&["install", "acme/tools/pdf", "--yes"]).await, Done);
    let pending = json!({"name": "pdf", "action": "UNINSTALL", "install_path": "pdf", "staged": "pdf.removed", "entry": null});
    bench.write(".hub/pending.json", &pending.to_string());
    assert_eq!(installed(&bench), json!({}));
    assert!(!bench.path("pdf").exists());
}

#[tokio::test]
async fn the_quarantine_of_a_process_that_is_at_work_is_left_alone() {
    let bench = Bench::new(&[]);
    let hub = bench.hub();
    let guard = hub.state.begin().unwrap();
    let staged = change::stage(&hub.state, &guard, "pdf", &files("x")).unwrap();
    bench.hub().state.recover().unwrap();
    assert!(staged.folder().join("SKILL.md").exists());
    drop(staged);
    bench.nothing_in_quarantine();
}
