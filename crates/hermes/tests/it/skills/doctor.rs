//! What `hermes doctor` says of skills and their hub.

use std::fs::{create_dir_all, remove_file};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{document, put};
use crate::support::Sandbox;

/// What is said about skills: how bad it is, and the words.
fn said(sandbox: &Sandbox, code: i32) -> Vec<(String, String)> {
    let found = sandbox.run(["doctor", "--json", "--offline"]).exits(code).json();
    let Value::Array(found) = found else { panic!("{found}") };
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let about = found.iter().filter(|finding| finding["about"] == "skills");
    about.map(|finding| (text(finding, "health"), text(finding, "text"))).collect()
}

fn has(found: &[(String, String)], health: &str, words: &[&str]) -> bool {
    let fits = |text: &str| words.iter().all(|word| text.contains(word));
    found.iter().any(|(own, text)| own == health && fits(text))
}

#[test]
fn skills_that_cannot_be_read_or_share_a_name_are_named() {
    let sandbox = Sandbox::new();
    put(&sandbox, "skills/good/SKILL.md", &document("good", "d", "x"));
    put(&sandbox, "skills/twin/SKILL.md", &document("good", "d", "x"));
    put(&sandbox, "skills/open/SKILL.md", "---\nname: open\n");
    create_dir_all(sandbox.path("skills/folder/SKILL.md")).unwrap();
    std::os::unix::fs::symlink("/nowhere", {
        create_dir_all(sandbox.path("skills/dangling")).unwrap();
        sandbox.path("skills/dangling/SKILL.md")
    })
    .unwrap();
    let found = said(&sandbox, 0);
    assert!(has(&found, "good", &["can be used"]), "{found:?}");
    assert!(has(&found, "note", &["skills/open/SKILL.md"]), "{found:?}");
    assert!(has(&found, "note", &["skills/folder/SKILL.md", "no file"]), "{found:?}");
    assert!(has(&found, "note", &["skills/dangling/SKILL.md", "no file"]), "{found:?}");
    assert!(has(&found, "note", &["good is there 2 times"]), "{found:?}");
}

#[test]
fn a_broken_lock_is_bad_and_an_installation_cut_off_is_settled() {
    let sandbox = Sandbox::new();
    put(&sandbox, "skills/.hub/lock.json", r#"{"version":1,"installed":{}}"#);
    put(&sandbox, "skills/.hub/quarantine/half/SKILL.md", "half");
    let found = said(&sandbox, 0);
    assert!(has(&found, "good", &["0 from the hub", "GitHub"]), "{found:?}");
    assert!(has(&found, "note", &["cut off"]), "{found:?}");
    sandbox.run(["doctor", "--offline", "--fix"]).exits(0).notes("installation that was cut off");
    assert!(!sandbox.path("skills/.hub/quarantine/half").exists());
    assert!(!has(&said(&sandbox, 0), "note", &["cut off"]));
    put(&sandbox, "skills/.hub/lock.json", "{ not a lock");
    let found = said(&sandbox, 1);
    assert!(has(&found, "bad", &["lock.json"]), "{found:?}");
}

#[test]
fn lists_that_are_broken_or_old_are_told_and_mended() {
    let sandbox = Sandbox::new();
    put(&sandbox, "skills/good/SKILL.md", &document("good", "d", "x"));
    put(&sandbox, ".skills_prompt_snapshot.json", "{ half a list");
    put(&sandbox, "skills/.hub/index-cache/hermes-index.json", r#"{"skills":[]}"#);
    let index = sandbox.path("skills/.hub/index-cache/hermes-index.json");
    let old = SystemTime::now() - Duration::from_secs(45 * 24 * 3600);
    std::fs::File::options().write(true).open(&index).unwrap().set_modified(old).unwrap();
    let found = said(&sandbox, 0);
    assert!(has(&found, "note", &[".skills_prompt_snapshot.json"]), "{found:?}");
    assert!(has(&found, "note", &["45 days old"]), "{found:?}");
    sandbox.run(["doctor", "--offline", "--fix"]).exits(0).notes(".skills_prompt_snapshot.json");
    assert!(!sandbox.path(".skills_prompt_snapshot.json").exists());
    remove_file(index).unwrap();
    let found = said(&sandbox, 0);
    assert!(found.iter().all(|(health, _)| health == "good"), "{found:?}");
}
