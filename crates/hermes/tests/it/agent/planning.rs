//! Plan mode, worktrees, reviews and exports, as a person meets them.

use std::path::{Path, PathBuf};

use hermes_testkit::{Match, Script, Step};
use serde_json::json;

use super::terminal::Terminal;
use super::{Scene, Wire};
use crate::support::{std_command, write};

const UNTITLED: &str = "auxiliary: { title_generation: { enabled: false } }\n";

fn scene(script: impl Into<Script>) -> Scene {
    Scene::with_config(Wire::Chat, script, UNTITLED)
}

/// The folder the program runs in.
fn work(scene: &Scene) -> PathBuf {
    scene.sandbox.scratch("")
}

/// A repository with a commit in the folder the program runs in.
fn repository(scene: &Scene) {
    let at = work(scene);
    git(&at, &["init", "-q", "-b", "main"]);
    git(&at, &["config", "user.name", "Ada"]);
    git(&at, &["config", "user.email", "ada@example.org"]);
    write(&at.join("a.txt"), b"one\n");
    write(&at.join(".gitignore"), b"*\n!*.txt\n!.gitignore\n");
    git(&at, &["add", "-A"]);
    git(&at, &["commit", "-q", "-m", "begin"]);
}

fn git(at: &Path, args: &[&str]) -> String {
    let done = std_command("git").current_dir(at).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn writes(path: &str) -> Step {
    Step::call("write_file", json!({"path": path, "content": "by the agent\n"}))
}

#[test]
fn a_question_with_plan_changes_nothing_whatever_the_model_tries() {
    let scene = scene([
        writes("made.txt"),
        Step::call("terminal", json!({"command": "touch made-by-command"})),
        Step::call("execute_code", json!({"code": "open('made-by-code','w')"})),
        Step::call("search_files", json!({"pattern": "x", "path": "."})),
        Step::text("1. Write the file."),
    ]);
    scene.asks_with(&["--plan"], "make it").exits(0).says("1. Write the file.");
    let results = scene.results();
    for refused in &results[..3] {
        assert!(refused.contains("only tools that change nothing run now"), "{refused}");
    }
    assert!(!results[3].contains("only tools that change nothing"), "{}", results[3]);
    for name in ["made.txt", "made-by-command", "made-by-code"] {
        assert!(!work(&scene).join(name).exists(), "{name}");
    }
    let sent = scene.sent();
    assert!(sent[0].view().last_text("user").contains("Plan mode is on"));
}

#[test]
fn a_plan_that_is_accepted_is_carried_out_with_all_tools() {
    let scene = scene([
        writes("made.txt"),
        Step::text("The plan: write made.txt."),
        writes("made.txt"),
        Step::text("Written."),
    ]);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/plan make the file");
    chat.sees("The plan: write made.txt.");
    chat.sees("Carry it out");
    assert!(!work(&scene).join("made.txt").exists());
    chat.send("");
    chat.sees("Written.");
    chat.send("/plan accept");
    chat.sees("There is no plan to accept");
    assert_eq!(chat.leaves(), Some(0));
    assert!(work(&scene).join("made.txt").exists());
    let sent = scene.sent();
    let last = sent.last().unwrap().view();
    assert!(last.turns.iter().any(|turn| turn.text.contains("I accept the plan")));
    assert!(!last.last_text("user").contains("Plan mode is on"));
}

#[test]
fn a_worktree_leaves_the_checkout_alone_and_keeps_what_nobody_dropped() {
    let scene = scene([writes("new.txt"), Step::text("Done."), Step::text("Again.")]);
    repository(&scene);
    let done = scene.asks_with(&["--worktree=try"], "write it").exits(0).says("Done.");
    assert!(done.err.contains("Kept in") && done.err.contains("hermes/try"), "{}", done.err);
    let work = work(&scene);
    assert!(!work.join("new.txt").exists());
    assert!(work.join(".worktrees/try/new.txt").exists());
    assert_eq!(git(&work, &["status", "--porcelain"]), "");
    // A question that changes nothing leaves nothing behind.
    scene.asks_with(&["-w"], "look").exits(0).says("Again.");
    assert_eq!(std::fs::read_dir(work.join(".worktrees")).unwrap().count(), 1);
}

#[test]
fn a_worktree_that_cannot_be_is_a_mistake_of_the_command_line() {
    let scene = scene([Step::text("never")]);
    scene.asks_with(&["-w"], "x").exits(2).notes("needs a git repository");
    repository(&scene);
    scene.asks_with(&["--worktree=../out"], "x").exits(2).notes("cannot name a worktree");
    assert!(scene.server.requests().is_empty());
}

#[test]
fn a_review_reads_the_change_and_cannot_touch_it() {
    let script = Script::new([Step::text("Hello."), Step::text("Welcome.")]).route(
        "review",
        Match::user("Review the change below"),
        [writes("a.txt"), Step::text("Line 1 is wrong.")],
    );
    let scene = scene(script);
    repository(&scene);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/review");
    chat.sees("There is nothing to review");
    chat.send("/review nosuch");
    chat.sees("git knows no branch or commit `nosuch`");
    write(&work(&scene).join("a.txt"), b"two\n");
    chat.send("/review");
    chat.sees("review1 works on it");
    chat.sees("Line 1 is wrong.");
    // The agent of the conversation knows of it when it is spoken to again, once.
    chat.send("mend it");
    chat.sees("Hello.");
    chat.send("thank you");
    chat.sees("Welcome.");
    assert_eq!(chat.leaves(), Some(0));
    let times_told = |said: &str| {
        let requests = scene.server.requests();
        let asked = requests.iter().find(|seen| seen.view().last_text("user").contains(said));
        asked.unwrap().body.to_string().matches("<review>").count()
    };
    assert_eq!((times_told("mend it"), times_told("thank you")), (1, 1));
    assert_eq!(std::fs::read_to_string(work(&scene).join("a.txt")).unwrap(), "two\n");
    let requests = scene.server.requests();
    let asked = requests.iter().find(|seen| seen.view().last_text("user").contains("Review the"));
    assert!(asked.unwrap().view().last_text("user").contains("+two"));
}

#[test]
fn a_conversation_is_exported_with_its_calls() {
    let scene = scene([
        Step::call("search_files", json!({"pattern": "nothing-here", "path": "."})),
        Step::text("**No** <b>match</b>."),
    ]);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/export talk.html");
    chat.sees("Nothing was said yet");
    chat.send("search");
    chat.sees("match");
    chat.send("/export talk.txt");
    chat.sees("ends in .md, .html or .jsonl");
    chat.send("/export talk.html");
    chat.sees("exported to talk.html");
    chat.send("/export talk.md");
    chat.sees("exported to talk.md");
    assert_eq!(chat.leaves(), Some(0));
    let read = |name: &str| std::fs::read_to_string(work(&scene).join(name)).unwrap();
    let page = read("talk.html");
    assert!(page.contains("<strong>No</strong> &lt;b&gt;match&lt;/b&gt;."), "{page}");
    assert!(page.contains("<summary>search_files"), "{page}");
    assert!(page.contains("prefers-color-scheme:dark"), "{page}");
    assert!(read("talk.md").contains("→ search_files"));
}
