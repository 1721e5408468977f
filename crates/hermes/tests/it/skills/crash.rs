//! Killing the program in the middle of changing skills, over and over.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::{document, put};
use crate::support::{Sandbox, std_command, write};

/// Kills: a third each during a patch, a create and a sync of what comes with the program.
const KILLS: u64 = 210;

/// A different moment each time, the same in every run of the test.
fn moment(turn: u64) -> Duration {
    let mixed = turn.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    Duration::from_micros(mixed % 150_000)
}

fn killed(sandbox: &Sandbox, args: &[&str], stock: &std::path::Path, after: Duration) {
    let mut child = std_command(env!("CARGO_BIN_EXE_hermes"))
        .args(args)
        .env_clear()
        .env("HOME", sandbox.scratch("user"))
        .env("HERMES_HOME", sandbox.home())
        .env("HERMES_BUNDLED_SKILLS", stock)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let _ = child.kill();
    child.wait().unwrap();
}

/// A stock with one skill of several files that all say the same word.
fn stock(sandbox: &Sandbox, word: &str) -> std::path::PathBuf {
    let folder = sandbox.scratch(&format!("stock-{word}"));
    let skill = folder.join("cat/shipped");
    std::fs::create_dir_all(skill.join("references")).unwrap();
    write(&skill.join("SKILL.md"), document("shipped", "d", word).as_bytes());
    for n in 0..8 {
        write(&skill.join(format!("references/{n}.md")), word.repeat(2000).as_bytes());
    }
    folder
}

#[test]
fn a_kill_leaves_old_or_new_skills_and_the_next_start_tidies_up() {
    let sandbox = Sandbox::new();
    let (old, new) = (stock(&sandbox, "old"), stock(&sandbox, "new"));
    let body = |word: &str| document("a", "d", &format!("{word} line\n").repeat(3000));
    let create = json!({"action": "create", "name": "made", "category": "ops", "content": document("made", "d", "x")});
    let patch = json!({"action": "patch", "name": "a", "old_string": "old", "new_string": "new", "replace_all": true});
    sandbox.run(["skills", "opt-in"]).exits(0);
    for turn in 0..KILLS {
        match turn % 3 {
            0 => {
                put(&sandbox, "skills/a/SKILL.md", &body("old"));
                killed(
                    &sandbox,
                    &["tools", "call", "skill_manage", &patch.to_string()],
                    &old,
                    moment(turn),
                );
                let text = sandbox.read("skills/a/SKILL.md");
                assert!(text == body("old") || text == body("new"), "turn {turn}");
            }
            1 => {
                let _ = std::fs::remove_dir_all(sandbox.path("skills/ops/made"));
                killed(
                    &sandbox,
                    &["tools", "call", "skill_manage", &create.to_string()],
                    &old,
                    moment(turn),
                );
                let folder = sandbox.path("skills/ops/made");
                assert!(!folder.exists() || folder.join("SKILL.md").is_file(), "turn {turn}");
            }
            _ => {
                let to = if turn % 2 == 0 { &old } else { &new };
                killed(&sandbox, &["skills", "list"], to, moment(turn));
                let skill = sandbox.path("skills/cat/shipped");
                if skill.exists() {
                    let mut words: Vec<String> = (0..8)
                        .map(|n| {
                            std::fs::read_to_string(skill.join(format!("references/{n}.md")))
                                .unwrap()
                        })
                        .map(|text| text[..3].to_owned())
                        .collect();
                    words.dedup();
                    assert_eq!(words.len(), 1, "turn {turn}: a mixture of two states");
                    assert!(sandbox.read("skills/cat/shipped/SKILL.md").contains(&words[0]));
                }
            }
        }
    }
    sandbox.run(["tools", "call", "skill_manage", &patch.to_string()]);
    let left = |folder: &str| {
        let entries = std::fs::read_dir(sandbox.path(folder)).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|name| name.contains("hermes-"))
            .collect::<Vec<_>>()
    };
    for folder in ["skills", "skills/ops", "skills/cat"] {
        assert_eq!(left(folder), [""; 0], "{folder}");
    }
}
