//! `hermes hooks`, and what shell hooks do to calls: consent, matching, blocking, hanging.
//!
//! The tools of this build need an agent and so never get as far as a hook when they are called by
//! hand; a dry run does. `adding_a_tool` blocks a real call.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox};

const BLOCK: &str = r#"cat > "$0.input"; echo '{"action": "block", "message": "not today"}'"#;

/// A sandbox with one `pre_tool_call` hook: a script with this body, and further lines of its
/// entry in the configuration.
fn hooked(body: &str, entry: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let command = sandbox.script("hook.sh", body);
    let entry = entry.lines().map(|line| format!("      {line}\n")).collect::<String>();
    let text = format!("hooks:\n  pre_tool_call:\n    - command: {command}\n{entry}");
    sandbox.write("config.yaml", &text);
    (sandbox, command)
}

fn rehearse(sandbox: &Sandbox, tool: &str) -> Run {
    sandbox.run(["tools", "call", tool, "--dry-run"])
}

fn blocked() -> Value {
    json!({"would": "block", "message": "not today"})
}

#[test]
fn a_hook_runs_only_after_it_was_approved() {
    let (sandbox, command) = hooked(BLOCK, "");
    let run = rehearse(&sandbox, "todo").exits(0);
    assert_eq!(run.json()["gate"], json!({"would": "run"}));
    run.notes("warning: hook").notes(&command).notes("nobody has approved it");

    let run = sandbox.run(["hooks", "approve"]).exits(0);
    assert_eq!(run.out, format!("approved on pre_tool_call: {command}\n"));
    let run = rehearse(&sandbox, "todo").exits(4).quietly();
    assert_eq!(run.json()["gate"], blocked());

    sandbox.run(["hooks", "revoke", &command]).exits(0).says("1 approval of");
    let run = rehearse(&sandbox, "todo").exits(0).notes("nobody has approved it");
    assert_eq!(run.json()["gate"], json!({"would": "run"}));
}

#[test]
fn consent_can_be_given_by_flag_variable_or_setting() {
    let (sandbox, _) = hooked(BLOCK, "");
    sandbox.run(["--accept-hooks", "tools", "call", "todo", "-n"]).exits(4).quietly();
    let (sandbox, _) = hooked(BLOCK, "");
    sandbox.run(["tools", "call", "todo", "-n", "--accept-hooks"]).exits(4).quietly();
    let (sandbox, _) = hooked(BLOCK, "");
    rehearse(&sandbox.var("HERMES_ACCEPT_HOOKS", "1"), "todo").exits(4).quietly();
    let (sandbox, _) = hooked(BLOCK, "");
    let text = sandbox.read("config.yaml") + "hooks_auto_accept: true\n";
    sandbox.write("config.yaml", &text);
    rehearse(&sandbox, "todo").exits(4).quietly();
}

#[test]
fn consent_is_kept_in_a_private_file() {
    let (sandbox, command) = hooked(BLOCK, "");
    sandbox.run(["hooks", "approve"]).exits(0);
    let kept: Value = serde_json::from_str(&sandbox.read("shell-hooks-allowlist.json")).unwrap();
    assert_eq!(kept["approvals"][0]["event"], "pre_tool_call");
    assert_eq!(kept["approvals"][0]["command"], json!(command));
    assert_eq!(sandbox.mode("shell-hooks-allowlist.json"), 0o600);
}

#[test]
fn safe_mode_runs_no_hook() {
    let (sandbox, _) = hooked(BLOCK, "");
    sandbox.run(["hooks", "approve"]).exits(0);
    sandbox.run(["--safe-mode", "tools", "call", "todo", "-n"]).exits(0).notes("warning:");
    rehearse(&sandbox.var("HERMES_SAFE_MODE", "1"), "todo").exits(0);
}

#[test]
fn a_matcher_bounds_a_hook_to_tools() {
    let (sandbox, _) = hooked(BLOCK, "matcher: to.*|memory");
    sandbox.run(["hooks", "approve"]).exits(0);
    rehearse(&sandbox, "todo").exits(4);
    rehearse(&sandbox, "memory").exits(4);
    rehearse(&sandbox, "clarify").exits(0);
}

#[test]
fn the_hook_is_told_about_the_call() {
    let (sandbox, command) = hooked(BLOCK, "");
    sandbox.run(["hooks", "approve"]).exits(0);
    sandbox.run(["tools", "call", "todo", "-n", r#"{"merge": "true"}"#]).exits(4);
    let input = std::fs::read_to_string(format!("{command}.input")).unwrap();
    let input: Value = serde_json::from_str(&input).unwrap();
    assert_eq!(input["hook_event_name"], "pre_tool_call");
    assert_eq!(input["tool_name"], "todo");
    assert_eq!(input["tool_input"], json!({"merge": true}), "coerced, as the tool gets them");
}

#[test]
fn a_hook_that_hangs_is_stopped_and_does_not_block() {
    let (sandbox, _) = hooked("sleep 30 & sleep 30", "timeout: 1");
    sandbox.run(["hooks", "approve"]).exits(0);
    let run = rehearse(&sandbox, "todo").exits(0);
    assert!(run.took < Duration::from_secs(8), "{:?}", run.took);
    assert_eq!(run.json()["gate"], json!({"would": "run"}));
    let run = sandbox.run(["hooks", "test", "pre_tool_call"]).exits(0);
    assert!(run.took < Duration::from_secs(8), "{:?}", run.took);
    run.says("timed out after 1").says("not done within 1s");
}

#[test]
fn a_hook_that_answers_nonsense_or_fails_does_not_block() {
    for body in ["echo nonsense", "exit 3", "echo '{\"action\": \"BLOCK\", \"message\": \"x\"}'"] {
        let (sandbox, _) = hooked(body, "");
        sandbox.run(["hooks", "approve"]).exits(0);
        let run = rehearse(&sandbox, "todo").exits(0);
        assert_eq!(run.json()["gate"], json!({"would": "run"}), "{body}");
    }
}

#[test]
fn listing_shows_state_and_command() {
    let (sandbox, command) = hooked(BLOCK, "matcher: todo\ntimeout: 7");
    let run = sandbox.run(["hooks", "list"]).exits(0).says("✗ not approved").says(&command);
    run.says("pre_tool_call").says("todo").says("7s");
    sandbox.run(["hooks", "approve", &command]).exits(0);
    sandbox.run(["hooks", "list"]).exits(0).says("✓ approved");
    let listed = sandbox.run(["hooks", "list", "--json"]).exits(0).json();
    assert_eq!(
        listed,
        json!([{"event": "pre_tool_call", "command": command, "matcher": "todo",
                "timeout_seconds": 7, "approved": true, "state": "approved"}])
    );
}

#[test]
fn a_script_changed_after_its_approval_is_noticed() {
    let (sandbox, command) = hooked(BLOCK, "");
    sandbox.run(["hooks", "approve"]).exits(0);
    let later = std::time::SystemTime::now() + Duration::from_secs(3600);
    std::fs::File::options().write(true).open(&command).unwrap().set_modified(later).unwrap();
    sandbox.run(["hooks", "list"]).exits(0).says("its script was changed");
    sandbox.run(["doctor"]).exits(0).says("its script was changed").says("hermes hooks approve");
}

#[test]
fn testing_shows_what_a_hook_answers_without_consent() {
    let (sandbox, command) = hooked(BLOCK, "matcher: todo");
    let run = sandbox.run(["hooks", "test", "pre_tool_call", "--tool", "todo"]).exits(0);
    run.says(&command)
        .says("exit code 0")
        .says(r#"wants: {"action":"block","message":"not today"}"#);
    let args =
        ["hooks", "test", "pre_tool_call", "--tool", "todo", "--args", "{\"a\": 1}", "--json"];
    let tested = sandbox.run(args).exits(0).json();
    assert_eq!(tested[0]["answer"], json!({"action": "block", "message": "not today"}));
    let input = std::fs::read_to_string(format!("{command}.input")).unwrap();
    assert!(input.contains(r#""tool_input":{"a":1}"#), "{input}");
    let run = sandbox.run(["hooks", "test", "pre_tool_call", "--tool", "memory"]).exits(0);
    run.notes("no hook is configured for pre_tool_call with this call");
}

#[test]
fn testing_a_hook_that_cannot_start_fails() {
    let sandbox =
        Sandbox::with_config("hooks:\n  pre_tool_call:\n    - command: /no/such/script\n");
    let run = sandbox.run(["hooks", "test", "pre_tool_call"]).exits(1);
    run.says("could not run").says("/no/such/script");
}

#[test]
fn unknown_names_are_usage_errors() {
    let (sandbox, _) = hooked(BLOCK, "");
    let run = sandbox.run(["hooks", "test", "pre_tool"]).exits(2);
    run.notes("unknown event `pre_tool`").notes("did you mean `pre_tool_call`?");
    let run = sandbox.run(["hooks", "test", "pre_tool_call", "--args", "{\"a"]).exits(2);
    run.notes("cannot read --args").notes("character 2");
    let run = sandbox.run(["hooks", "approve", "/other.sh"]).exits(2);
    run.notes("no hook with the command `/other.sh`").notes("hermes hooks list");
    sandbox.run(["hooks", "revoke", "/other.sh"]).exits(2).notes("nothing was changed");
    let run = Sandbox::new().run(["hooks", "approve"]).exits(2);
    run.notes("no shell hook is configured");
}

#[test]
fn mistakes_in_the_configuration_are_told_and_the_rest_counts() {
    let (sandbox, command) = hooked(BLOCK, "");
    let text =
        sandbox.read("config.yaml") + "  post_tool_cal:\n    - command: x\n  on_session_end: 5\n";
    sandbox.write("config.yaml", &text);
    let run = sandbox.run(["hooks", "list"]).exits(0).says(&command);
    run.notes("hooks.post_tool_cal").notes("did you mean post_tool_call?").notes("must be a list");
    sandbox.run(["hooks", "approve"]).exits(0);
    rehearse(&sandbox, "todo").exits(4).notes("hooks.post_tool_cal");
}

#[test]
fn a_quoted_hooks_auto_accept_is_understood() {
    for (word, code) in
        [("'true'", 4), ("\"yes\"", 4), ("'on'", 4), ("'1'", 4), ("'false'", 0), ("'no'", 0)]
    {
        let (sandbox, _) = hooked(BLOCK, "");
        let text = sandbox.read("config.yaml") + &format!("hooks_auto_accept: {word}\n");
        sandbox.write("config.yaml", &text);
        rehearse(&sandbox, "todo").exits(code);
    }
}

#[test]
fn a_pre_verify_hook_that_contradicts_itself_does_not_keep_the_turn_going() {
    use crate::agent::{Scene, Wire};
    use hermes_testkit::Step;
    let ask = |answer: &str, steps: Vec<Step>| {
        let scene = Scene::with_config(Wire::Chat, steps, "hooks_auto_accept: true\n");
        let body = format!("cat >> \"$0.input\"; echo '{answer}'");
        let command = scene.sandbox.script("verify.sh", &body);
        let config = scene.sandbox.read("config.yaml");
        let hooks = format!("hooks:\n  pre_verify:\n    - command: {command}\n");
        scene.sandbox.write("config.yaml", &(config + &hooks));
        let run = scene.asks("go").exits(0);
        let asked = scene.server.questions().len();
        let input = std::fs::read_to_string(format!("{command}.input")).unwrap();
        (run, asked, input)
    };
    let both = r#"{"action": "stop", "decision": "block", "reason": "run the tests"}"#;
    let (run, asked, _) = ask(both, vec![Step::text("Done.")]);
    assert_eq!((run.out.as_str(), asked), ("Done.\n", 1));

    // What it is told about the turn is true.
    let write = Step::call("write_file", json!({"path": "notes.txt", "content": "x\n"}));
    let stop = r#"{"action": "stop"}"#;
    let (_, asked, input) = ask(stop, vec![write, Step::text("Done.")]);
    assert_eq!(asked, 2);
    assert!(input.contains("notes.txt") && input.contains("\"coding\":true"), "{input}");
}
