//! Skills, as people and models meet them.

mod agent;
mod crash;
mod doctor;
mod inline;
mod of_plugins;
mod platforms;
mod scan;
mod variables;

use serde_json::json;

use crate::support::{Sandbox, column, write};

pub(super) fn document(name: &str, about: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {about}\n---\n{body}\n")
}

/// Writes a file of the home, with the folders above it.
pub(super) fn put(sandbox: &Sandbox, path: &str, text: &str) {
    let file = sandbox.path(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    write(&file, text.as_bytes());
}

#[test]
fn a_new_skill_passes_its_own_check_and_is_listed() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["skills", "new", "bake-bread", "--description", "Bake: bread"])
        .exits(0)
        .says("bake-bread/SKILL.md");
    let folder = sandbox.path("skills/bake-bread");
    sandbox.run(["skills", "lint", folder.to_str().unwrap()]).exits(0).notes("0 errors");
    sandbox.run(["skills", "new", "bake-bread"]).exits(1).notes("is there already");
    sandbox.run(["skills", "new", "Bake Bread"]).exits(1).notes("lower-case letters");
    let long = "d".repeat(1025);
    sandbox.run(["skills", "new", "b", "--description", &long]).exits(1).notes("1,025 characters");
    assert!(!sandbox.path("skills/b").exists(), "what would not pass is not begun");
    sandbox.run(["skills", "new", "plan"]).exits(1).notes("coding/plan already");
    assert!(!sandbox.path("skills/plan").exists(), "neither would be found by its name");
    sandbox.run(["skills", "list"]).exits(0).says("bake-bread").says("local");
    sandbox.run(["skills", "view", "bake-bread"]).exits(0).says("## When to use");
    sandbox.run(["skills", "view", "bake-bred"]).exits(2).notes("Did you mean bake-bread?");
}

#[test]
fn lint_names_lines_and_fails_for_what_would_be_refused() {
    let sandbox = Sandbox::new();
    put(&sandbox, "skills/a/SKILL.md", "---\nname: a\ndescription: Use when: x\n---\nbody\n");
    put(&sandbox, "skills/b/SKILL.md", &document("b", "fine", "body"));
    let folder = sandbox.path("skills/a");
    let run = sandbox.run(["skills", "lint", folder.to_str().unwrap()]).exits(1);
    assert_eq!(run.out.lines().count(), 1, "what is wrong is said once: {}", run.out);
    let folder = sandbox.path("skills");
    let run = sandbox.run(["skills", "lint", folder.to_str().unwrap()]).exits(1);
    assert!(run.out.contains("a/SKILL.md:3: error:") && run.out.contains("quotes"), "{}", run.out);
    let report =
        sandbox.run(["skills", "lint", folder.to_str().unwrap(), "--json"]).exits(1).json();
    assert_eq!((&report["files"], &report["errors"]), (&json!(2), &json!(1)));
}

#[test]
fn why_a_skill_is_not_offered_is_said() {
    let sandbox = Sandbox::with_config("skills:\n  disabled: [muted]\n");
    put(&sandbox, "skills/muted/SKILL.md", &document("muted", "d", "x"));
    put(&sandbox, "skills/broken/SKILL.md", "---\nname: broken\n");
    put(
        &sandbox,
        "skills/moon/SKILL.md",
        "---\nname: moon\ndescription: d\nplatforms: [moon]\n---\nx",
    );
    let web = "---\nname: web\ndescription: d\nmetadata: {hermes: {requires_toolsets: [spaceship]}}\n---\nx";
    put(&sandbox, "skills/web/SKILL.md", web);
    let list = sandbox.run(["skills", "list", "--why", "--json"]).exits(0).json();
    let why = |name: &str| {
        let all = list.as_array().unwrap();
        all.iter().find(|skill| skill["name"] == name).unwrap()["why"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(why("muted").contains("disabled"));
    assert!(why("broken").contains("never closed"));
    assert!(why("moon").contains("made for moon"));
    assert!(why("web").contains("needs spaceship"));
    assert_eq!(why("review-change"), "");
    sandbox.run(["skills", "config", "muted", "--enable"]).exits(0).says("offered again");
    let enabled = sandbox.run(["skills", "list", "--json", "--enabled-only"]).exits(0).json();
    assert!(column(&enabled, "name").contains(&"muted"));
}

#[test]
fn skills_that_come_with_the_program_are_seeded_and_declined_for_good() {
    let sandbox = Sandbox::new();
    let list = sandbox.run(["skills", "list", "--source", "builtin", "--json"]).exits(0).json();
    for name in [
        "write-a-skill",
        "review-change",
        "debug-failing-test",
        "plan",
        "hermes-guide",
        "git-workflow",
        "make-mcp-server",
        "make-plugin",
        "make-tool",
    ] {
        assert!(column(&list, "name").contains(&name), "{name}");
    }
    put(&sandbox, "skills/coding/plan/SKILL.md", &document("plan", "mine", "x"));
    std::fs::remove_dir_all(sandbox.path("skills/hermes/make-tool")).unwrap();
    sandbox.run(["skills", "list-modified"]).exits(0).says("plan");
    sandbox.run(["skills", "diff", "plan"]).exits(0).says("+description: mine");
    let list = sandbox.run(["skills", "list", "--json"]).exits(0).json();
    assert!(!column(&list, "name").contains(&"make-tool"), "what was deleted stays deleted");
    sandbox.run(["skills", "reset", "plan", "--restore"]).exits(0);
    sandbox.run(["skills", "list-modified", "--json"]).exits(0).says("[]");
    write(&sandbox.path("skills/coding/plan/SKILL.md"), b"");
    put(&sandbox, "skills/coding/review-change/SKILL.md", &document("review-change", "mine", "x"));
    let repaired = sandbox.run(["skills", "repair-official", "--json"]).exits(0).json();
    assert_eq!(
        (&repaired["repaired"], &repaired["kept"]),
        (&json!(["plan"]), &json!(["review-change"]))
    );
    assert!(sandbox.read("skills/coding/plan/SKILL.md").contains("name: plan"));
    assert!(sandbox.read("skills/coding/review-change/SKILL.md").contains("mine"));
    sandbox.run(["skills", "repair-official"]).exits(0).says("0 skills put back");
    sandbox.run(["skills", "reset", "review-change", "--restore"]).exits(0);
    sandbox.run(["skills", "opt-out", "--remove"]).exits(0);
    let list = sandbox.run(["skills", "list", "--json"]).exits(0).json();
    assert_eq!(list, json!([]));
}

#[test]
fn the_tools_work_by_hand() {
    let sandbox = Sandbox::new();
    let call = |tool: &str, args: serde_json::Value| {
        sandbox.run(["tools", "call", tool, &args.to_string()]).json()
    };
    let content = document("bake", "Bake bread", "Knead.");
    let made = call(
        "skill_manage",
        json!({"action": "create", "name": "bake", "category": "food", "content": content}),
    );
    assert_eq!(made["success"], true, "{made}");
    assert_eq!(call("skills_categories", json!({}))["counts"], json!({"food": 1}));
    assert_eq!(call("skills_list", json!({"query": "bread"}))["skills"][0]["name"], "bake");
    let viewed = call("skill_view", json!({"name": "bake"}));
    assert_eq!(viewed["content"], content);
    let patched = call(
        "skill_manage",
        json!({"action": "patch", "name": "bake", "old_string": "Knead.", "new_string": "Knead well."}),
    );
    assert!(patched["message"].as_str().unwrap().contains("1 replacement"), "{patched}");
    let file = json!({"action": "write_file", "name": "bake", "file_path": "references/flour.md", "file_content": "Rye"});
    assert_eq!(call("skill_manage", file)["success"], true);
    assert_eq!(
        call("skill_view", json!({"name": "bake", "path": "references/flour.md"}))["content"],
        "Rye"
    );
    let refused = call(
        "skill_manage",
        json!({"action": "patch", "name": "bake", "old_string": "name: bake", "new_string": ""}),
    );
    assert_eq!(refused["kind"], "breaks_structure", "{refused}");
    sandbox.run(["curator", "pin", "bake"]).exits(0);
    assert_eq!(call("skill_manage", json!({"action": "delete", "name": "bake"}))["kind"], "pinned");
    sandbox.run(["curator", "unpin", "bake"]).exits(0);
    assert_eq!(call("skill_manage", json!({"action": "delete", "name": "bake"}))["success"], true);
    assert!(!sandbox.path("skills/food").exists());
}

#[test]
fn changes_wait_for_a_person_where_they_want_that() {
    let sandbox = Sandbox::new();
    sandbox.run(["skills", "approval", "on"]).exits(0);
    put(&sandbox, "skills/a/SKILL.md", &document("a", "d", "one"));
    let change = json!({"action": "patch", "name": "a", "old_string": "one", "new_string": "two"});
    let staged =
        sandbox.run(["tools", "call", "skill_manage", &change.to_string()]).exits(0).json();
    assert_eq!(staged["staged"], true, "{staged}");
    let id = staged["pending_id"].as_str().unwrap().to_owned();
    sandbox.run(["skills", "pending"]).exits(0).says(&id);
    sandbox.run(["skills", "diff", &id]).exits(0).says("+two");
    assert!(sandbox.read("skills/a/SKILL.md").contains("one"));
    sandbox.run(["skills", "approve", &id[..6]]).exits(0);
    assert!(sandbox.read("skills/a/SKILL.md").contains("two"));
    let again = sandbox.run(["tools", "call", "skill_manage", &change.to_string()]).json();
    assert_eq!(again["kind"], "no_match", "checked before it waits: {again}");
}

#[test]
fn the_curator_says_what_it_does() {
    let sandbox = Sandbox::new();
    put(&sandbox, "skills/old/SKILL.md", &document("old", "d", "x"));
    put(
        &sandbox,
        "skills/.usage.json",
        r#"{"old":{"created_by":"agent","last_used_at":"2020-01-01T00:00:00+00:00"}}"#,
    );
    sandbox.run(["curator", "status"]).exits(0).says("old");
    sandbox.run(["curator", "run", "--dry-run"]).exits(0).says("put away: old");
    sandbox.run(["curator", "run"]).exits(0).says("put away: old").notes("A copy of everything");
    assert!(!sandbox.path("skills/old").exists());
    sandbox.run(["curator", "list-archived"]).exits(0).says("old");
    sandbox.run(["curator", "restore", "old"]).exits(0);
    assert!(sandbox.path("skills/old/SKILL.md").exists());
    sandbox.run(["curator", "restore", "old"]).exits(2).notes("no archived skill");
}

#[test]
fn bundles_are_made_shown_and_removed() {
    let sandbox = Sandbox::new();
    put(&sandbox, "skills/bake/SKILL.md", &document("bake", "d", "x"));
    let run = sandbox.run(["bundles", "create", "lunch", "bake,sail", "--instruction", "Be quick"]);
    run.exits(0).notes("/lunch calls it").notes("no skill `sail`");
    sandbox.run(["bundles", "create", "lunch", "bake"]).exits(1).notes("is there already");
    let list = sandbox.run(["bundles", "list", "--json"]).exits(0).json();
    assert_eq!(
        (&list[0]["command"], &list[0]["skills"]),
        (&json!("/lunch"), &json!(["bake", "sail"]))
    );
    sandbox.run(["bundles", "show", "lunch"]).exits(0).says("sail (left out").says("Be quick");
    sandbox.run(["bundles", "delete", "lunch"]).exits(0);
    sandbox.run(["bundles", "show", "lunch"]).exits(2).notes("bundles are: none");
    assert!(sandbox.path("skills/bake/SKILL.md").exists());
}

#[test]
fn the_doctor_looks_at_skills() {
    let sandbox = Sandbox::new().var("GITHUB_TOKEN", "ghp_secret");
    put(&sandbox, "skills/a/SKILL.md", &document("twin", "d", "x"));
    put(&sandbox, "skills/b/SKILL.md", &document("twin", "d", "x"));
    put(&sandbox, "skills/open/SKILL.md", "---\nname: open\n");
    put(&sandbox, "skills/.hub/quarantine/half/SKILL.md", "x");
    let run = sandbox.run(["doctor", "--json"]);
    let found = run.json();
    let texts: Vec<&str> = column(&found, "text");
    let says =
        |words: &str| assert!(texts.iter().any(|text| text.contains(words)), "{words}: {texts:?}");
    says("never closed");
    says("twin is there 2 times");
    says("asks GitHub as pat");
    says("an installation was cut off");
    assert!(!run.out.contains("ghp_secret"));
}

#[test]
fn words_that_cannot_be_meant_are_answered_with_what_to_do() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("nowhere");
    let nowhere = folder.to_str().unwrap();
    for (words, code, told) in [
        (&["skills", "install", "../x"][..], 2, "`.` and `..` are not allowed"),
        (&["skills", "install", "a/b/../c", "--yes"], 2, "`.` and `..` are not allowed"),
        (&["skills", "install", "a b/c"], 2, "characters that no part of a path has"),
        (&["skills", "view", "../../etc/passwd"], 1, "does not lead out of the skills"),
        (&["skills", "lint", nowhere], 1, "no SKILL.md"),
        (&["skills", "scan", nowhere], 2, "no such file"),
        (&["skills", "uninstall", "plan"], 2, "not installed from the hub"),
        (&["skills", "reset", "nope"], 2, "these do:"),
        (&["skills", "approve", "xyz"], 2, "hermes skills pending"),
        (&["skills", "config", "plan"], 2, "--enable|--disable"),
        (&["skills", "tap", "add", "not a repo"], 2, "no identifier"),
        (&["skills", "tap", "add", "acme/tools", "--path", "../x"], 2, "`.` and `..`"),
        (&["skills", "list", "--source", "nowhere"], 2, "possible values"),
        (&["skills", "browse", "--size", "0"], 2, "1..=100"),
        (&["curator", "pin", "nope"], 2, "no skill `nope`"),
        (&["curator", "restore", "../../x"], 2, "names no archived skill"),
        (&["curator", "rollback"], 1, "hermes curator backup"),
        (&["curator", "rollback", "nope"], 2, "copies are: none"),
        (&["curator", "archive", "nope"], 2, "no skill `nope`"),
        (&["curator", "run", "--bogus"], 2, "--bogus"),
        (&["bundles", "create", "x", ""], 1, "at least one skill"),
        (&["bundles", "show", "nope"], 2, "bundles are: none"),
    ] {
        sandbox.run(words).exits(code).notes(told);
    }
    assert!(!sandbox.path("skill-bundles/x.yaml").exists());
    sandbox
        .run(["skills", "config", "nope", "--disable"])
        .exits(0)
        .notes("There is no skill `nope`");
}
