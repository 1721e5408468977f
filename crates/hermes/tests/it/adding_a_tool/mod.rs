//! Adding a tool is adding a file.
//!
//! These tests build the program with two more files and nothing else changed ([`build`]), and use
//! the tools in them from the command line. Those are also the only tools of the whole-program
//! tests that do something without an agent, so what a real call meets is here as well: wrong
//! arguments, hooks, deadlines, an interrupt.

mod build;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, column};

fn sandbox() -> Sandbox {
    Sandbox::of(build::program())
}

fn call_slug(title: &str) -> Run {
    sandbox().run(["tools", "call", "slug", "--arg", &format!("title={title}")])
}

#[test]
fn new_files_are_new_tools_without_any_other_edit() {
    let before = Sandbox::new().run(["tools", "list", "--json"]).exits(0).json();
    let after = sandbox().run(["tools", "list", "--json"]).exits(0).json();
    let (before, names) = (column(&before, "name"), column(&after, "name"));
    let added: Vec<&&str> = names.iter().filter(|name| !before.contains(name)).collect();
    assert_eq!(added, [&"slug", &"wait"]);
    assert_eq!(names.len(), before.len() + 2, "and none is gone");
    let of = |name: &str| after.as_array().unwrap().iter().find(|tool| tool["name"] == name);
    assert_eq!(of("slug").unwrap()["toolset"], "text", "a folder that is new");
    assert_eq!(of("wait").unwrap()["toolset"], "todo", "a folder that was there");
    assert_eq!(of("slug").unwrap()["status"], "available");
}

#[test]
fn a_new_tool_is_offered_described_and_called() {
    let sandbox = sandbox();
    let run = sandbox.run(["tools", "show", "slug"]).exits(0).quietly();
    run.says("🐌 slug").says("required").says("The title to shorten.");
    let offered = sandbox.run(["tools", "schema", "--toolsets", "text"]).exits(0).json();
    assert_eq!(offered[0]["function"]["name"], "slug");
    assert_eq!(offered[0]["function"]["parameters"]["required"], json!(["title"]));
    let run = call_slug("Hello, World!").exits(0).quietly();
    assert_eq!(run.out, "{\"slug\":\"hello-world\"}\n");
}

#[test]
fn a_new_folder_is_a_toolset_like_any_other() {
    let sandbox = sandbox();
    let listed = sandbox.run(["tools", "list", "--toolset", "text", "--json"]).exits(0).json();
    assert_eq!(column(&listed, "name"), ["slug"]);
    sandbox.run(["tools", "list", "--toolset", "txt"]).exits(2).notes("did you mean `text`?");
    let shown = sandbox.run(["toolsets", "show", "text", "--json"]).exits(0).json();
    assert_eq!(shown["tools"], json!(["slug"]));
    sandbox.run(["tools", "disable", "text"]).exits(0).says("disabled text on cli");
    let listed = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    assert!(!column(&listed, "name").contains(&"slug"));
    sandbox.run(["tools", "enable", "text"]).exits(0);
    let listed = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    assert!(column(&listed, "name").contains(&"slug"));
}

#[test]
fn a_tool_may_say_no() {
    let run = call_slug("!?").exits(1).quietly();
    assert_eq!(run.json(), json!({"error": "the title holds no letters or digits"}));
}

#[test]
fn wrong_and_missing_arguments_are_reported_by_name() {
    for (args, words) in [
        ("{}", ["title", "missing"]),
        (r#"{"title": {"a": 1}}"#, ["title", "text"]),
        (r#"{"title": null}"#, ["title", "text"]),
    ] {
        let run = sandbox().run(["tools", "call", "slug", args]).exits(1).quietly();
        let error = run.json()["error"].as_str().unwrap().to_owned();
        for word in words {
            assert!(error.contains(word), "{args}: {error}");
        }
    }
}

#[test]
fn a_hook_blocks_a_call_once_it_is_approved() {
    let sandbox = sandbox();
    let seen = sandbox.scratch("seen.json");
    let block =
        sandbox.script("block.sh", r#"echo '{"decision": "block", "reason": "not today"}'"#);
    let watch = sandbox.script("watch.sh", &format!("cat > {}", seen.display()));
    sandbox.write(
        "config.yaml",
        &format!(
            "hooks:\n  pre_tool_call:\n    - command: {block}\n      matcher: slug\n  \
             post_tool_call:\n    - command: {watch}\n"
        ),
    );
    let call = ["tools", "call", "slug", "--arg", "title=A b"];
    let run = sandbox.run(call).exits(0).notes("nobody has approved it");
    assert_eq!(run.json(), json!({"slug": "a-b"}));
    assert!(!seen.exists(), "a hook nobody approved ran");

    sandbox.run(["hooks", "approve"]).exits(0);
    let run = sandbox.run(call).exits(4).quietly();
    assert_eq!(run.json(), json!({"error": "not today"}));
    let seen: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    assert_eq!(seen["extra"]["status"], "blocked");

    // The matcher leaves other tools alone.
    sandbox.run(["tools", "call", "wait", "--arg", "seconds:=0"]).exits(0);
}

#[test]
fn a_hook_that_hangs_holds_a_call_up_only_until_its_timeout() {
    let sandbox = sandbox();
    let hang = sandbox.script("hang.sh", "sleep 30");
    let text = format!("hooks:\n  pre_tool_call:\n    - command: {hang}\n      timeout: 1\n");
    sandbox.write("config.yaml", &text);
    let args = ["--accept-hooks", "tools", "call", "slug", "--arg", "title=A b"];
    let run = sandbox.run(args).exits(0);
    assert_eq!(run.json(), json!({"slug": "a-b"}));
    assert!(run.took < Duration::from_secs(8), "{:?}", run.took);
}

#[test]
fn a_call_that_takes_too_long_ends_with_5() {
    let args = ["tools", "call", "wait", "--arg", "seconds:=30", "--timeout", "0.3"];
    let run = sandbox().run(args).exits(5);
    assert!(run.took < Duration::from_secs(8), "{:?}", run.took);
    assert!(run.json()["error"].as_str().unwrap().contains("0.3"), "{run:#?}");
}

#[test]
fn an_interrupt_ends_a_call_with_130() {
    let line =
        r#"timeout --preserve-status --signal=INT 1 "$HERMES" tools call wait --arg seconds=30"#;
    let run = sandbox().shell(line).exits(130);
    assert!(run.took < Duration::from_secs(8), "{:?}", run.took);
    assert!(run.json()["error"].is_string(), "{run:#?}");
}

#[test]
fn contributing_shows_the_very_tool_these_tests_add() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../CONTRIBUTING.md");
    let contributing = std::fs::read_to_string(file).unwrap();
    let shown: Vec<&str> = contributing
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
        .collect();
    assert!(
        shown.contains(&include_str!("../fixtures/slug.rs")),
        "CONTRIBUTING.md and crates/hermes/tests/it/fixtures/slug.rs differ; it shows {shown:#?}"
    );
}
