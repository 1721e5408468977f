//! Killing the program while it installs, updates and removes, over and over.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{HubFixture, skill};

/// Kills: a third each during a first installation, an update, and a forced installation over another.
const KILLS: u64 = 120;
/// Enough files that writing them takes a while.
const FILES: usize = 25;

/// The version the folder holds, if it is there; half a version fails the test.
fn version(folder: &Path) -> Option<u64> {
    let mut found = None;
    let mut count = 0;
    for number in 0..FILES {
        let Ok(text) = std::fs::read_to_string(folder.join(format!("references/{number}.md")))
        else {
            continue;
        };
        let this: u64 = text.trim().parse().unwrap();
        assert!(found.is_none_or(|found| found == this), "two versions in one folder");
        found = Some(this);
        count += 1;
    }
    assert!(count == 0 || count == FILES, "{count} of {FILES} files");
    assert_eq!(folder.join("SKILL.md").exists(), count > 0);
    found
}

fn publish(place: &HubFixture, version: u64) {
    let mut files = place.files.lock().unwrap();
    files.insert("pdf/SKILL.md".to_owned(), skill("pdf", &format!("version {version}")));
    for number in 0..FILES {
        files.insert(format!("pdf/references/{number}.md"), version.to_string());
    }
}

/// A different moment each time, from right away to after the usual end; the same in every run of the test.
fn moment(turn: u64, usual: Duration) -> Duration {
    let mixed = turn.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    usual.mul_f64((mixed % 1000) as f64 / 1000.0 * 1.2)
}

#[test]
fn a_kill_leaves_the_old_skill_or_the_new_one_and_the_next_start_nothing_else() {
    let place = HubFixture::new();
    let sandbox = &place.sandbox;
    publish(&place, 0);
    let started = Instant::now();
    sandbox.run(["skills", "install", "acme/tools/pdf", "--yes"]).exits(0);
    let usual = started.elapsed();
    let folder = sandbox.path("skills/pdf");
    let (mut kept, mut changed) = (0, 0);
    for turn in 1..=KILLS {
        publish(&place, turn);
        if turn % 3 == 0 {
            let _ = sandbox.run(["skills", "uninstall", "pdf"]);
        }
        let before = version(&folder);
        let words: &[&str] = match turn % 3 {
            0 => &["skills", "install", "acme/tools/pdf", "--yes"],
            1 if before.is_some() => &["skills", "update"],
            _ => &["skills", "install", "acme/tools/pdf", "--force"],
        };
        let mut command = sandbox.command();
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(moment(turn, usual));
        let _ = child.kill();
        child.wait().unwrap();
        let after = version(&folder);
        assert!(after == before || after == Some(turn), "turn {turn}: {before:?}, then {after:?}");
        // Any start settles what was left.
        let audit = sandbox.run(["skills", "audit", "--json"]).exits(0).quietly();
        let settled = version(&folder);
        assert_eq!(settled, after, "turn {turn}");
        let audited = audit.json();
        assert_eq!(
            audited.as_array().unwrap().len(),
            usize::from(settled.is_some()),
            "turn {turn}: {audited}"
        );
        if settled.is_some() {
            assert_eq!(
                audited[0]["locally_modified"], false,
                "turn {turn}: lock file and folder agree"
            );
        }
        let quarantine = std::fs::read_dir(sandbox.path("skills/.hub/quarantine"));
        assert_eq!(quarantine.into_iter().flatten().count(), 0, "turn {turn}");
        assert!(!sandbox.path("skills/.hub/pending.json").exists(), "turn {turn}");
        if settled == before { kept += 1 } else { changed += 1 }
    }
    // If every kill came too early or too late, the test would show nothing.
    assert!(kept >= 10 && changed >= 10, "kept {kept}, changed {changed}");
}
