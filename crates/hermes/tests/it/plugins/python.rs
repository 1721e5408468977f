//! Python plugins written after the documented `register(ctx)`.

use hermes_testkit::Step;
use serde_json::{Value, json};

use super::{nothing_is_left, with_model, with_plugins};
use crate::support::write;

#[test]
fn tools_of_a_plugin_are_called_like_any_other() {
    let sandbox = with_plugins(&["field-notes"], "");
    let added = sandbox.run(["tools", "call", "note_add", r#"{"text": "a heron"}"#]).exits(0);
    assert_eq!(added.json(), json!({"success": true, "count": 1}));
    // An object instead of text, and a number for the task, are taken as they are meant.
    let listed = sandbox.run(["tools", "call", "note_list", "--task-id", "t7"]).exits(0);
    assert_eq!(listed.json(), json!({"notes": ["a heron"], "task": "t7"}));
    let failed = sandbox.run(["tools", "call", "note_add", r#"{"text": " "}"#]).exits(1);
    assert!(failed.out.contains("ValueError: an empty note"), "{failed:?}");
    let log = sandbox.read("logs/plugins/field-notes.log");
    assert!(log.contains("field-notes is being imported") && log.contains("kept a heron"), "{log}");
    assert_eq!(sandbox.read("calls.txt"), "note_add ok\nnote_list ok\nnote_add error\n");
    nothing_is_left(&sandbox);
}

#[test]
fn hooks_block_ask_and_change_results() {
    let sandbox = with_plugins(&["field-notes"], "");
    let blocked = sandbox
        .run(["tools", "call", "write_file", r#"{"path": "a.lock", "content": "x"}"#])
        .exits(4);
    assert!(blocked.out.contains("lock files are left alone"), "{blocked:?}");
    assert!(!sandbox.scratch("a.lock").exists());
    // Nobody is there to be asked, so the answer is no.
    let asked = sandbox.run(["tools", "call", "note_add", r#"{"text": "ask first"}"#]).exits(4);
    assert!(asked.out.contains("a note that wants a person's word"), "{asked:?}");
    write(&sandbox.scratch("zoo.txt"), b"one platypus\n");
    let read = sandbox.run(["tools", "call", "read_file", r#"{"path": "zoo.txt"}"#]).exits(0);
    assert!(read.out.contains("one [animal]") && !read.out.contains("platypus"), "{read:?}");
    let said = sandbox.run(["tools", "call", "terminal", r#"{"command": "echo whisper"}"#]);
    assert!(said.exits(0).out.contains("WHISPER"));
}

#[test]
fn middleware_changes_arguments_and_stands_around_async_tools() {
    let sandbox = with_plugins(&["trip-desk"], "");
    let quoted = sandbox.run(["tools", "call", "trip_quote", r#"{"to": "Rome"}"#]).exits(0);
    // The text "7" that the middleware put in was made a number, as the schema wants.
    let expected = json!({"wrapped":
        {"to": "Rome", "price": 107, "task": "default", "key": null, "other": null}});
    let mut quoted = quoted.json();
    quoted["wrapped"]["task"] = "default".into();
    assert_eq!(quoted, expected);
    let trace = sandbox.run(["tools", "call", "trip_quote", "{}", "--dry-run"]).exits(0).json();
    assert_eq!(trace["middleware"], json!([{"source": "trip-desk", "reason": "fees"}]));
    assert_eq!(trace["arguments"]["extra"], json!(7));
}

#[test]
fn a_plugin_calls_other_tools_by_the_same_way_and_rules() {
    let sandbox = with_plugins(&["trip-desk", "field-notes"], "");
    write(&sandbox.scratch("plan.txt"), b"a platypus in Perth\n");
    let seen = sandbox.run(["tools", "call", "trip_inspect", r#"{"path": "plan.txt"}"#]).exits(0);
    // The other plugin's hook saw the inner call.
    assert!(seen.out.contains("a [animal] in Perth"), "{seen:?}");
    assert!(sandbox.read("calls.txt").contains("read_file ok\ntrip_inspect ok\n"));
    // There is no conversation to say something in.
    let remark = sandbox.run(["tools", "call", "trip_remark"]).exits(0);
    assert_eq!(remark.out, "False\n");
}

#[test]
fn a_variable_is_handed_over_by_name_and_nothing_else_is() {
    let env = "  entries:\n    trip-desk:\n      env: [TRIP_KEY]\n";
    let sandbox = with_plugins(&["trip-desk"], env).var("TRIP_KEY", "k1").var("TRIP_OTHER", "k2");
    let quoted = sandbox.run(["tools", "call", "trip_quote"]).exits(0).json();
    assert_eq!(quoted["wrapped"]["key"], "k1");
    assert_eq!(quoted["wrapped"]["other"], Value::Null);
}

#[test]
fn a_model_uses_a_plugins_tools_and_hears_its_context_for_the_turn() {
    let (sandbox, server) = with_model(
        &["trip-desk"],
        [Step::call("trip_quote", json!({"to": "Rome"})), Step::text("Rome costs 107.")],
    );
    let run = sandbox.run(["-z", "how much?"]).exits(0);
    assert_eq!(run.out, "Roma costs 107.\n");
    server.conversation().assert_sound();
    let sent = server.questions();
    assert_eq!(sent.len(), 2);
    for request in &sent {
        let view = request.view();
        let said = view.last_text("user");
        let context = "The desk opens at nine. First turn: True. Asked: how much?";
        // Before it stands where and when the agent works.
        assert!(said.starts_with("Working directory: "), "{said}");
        assert!(said.ends_with(&format!("\n\nhow much?\n\n{context}")), "{said}");
    }
    assert!(sent[1].view().last_text("tool").contains(r#""price": 107"#));
    // What the person said is kept without it.
    let export = sandbox.run(["sessions", "export", "-"]);
    assert!(!export.out.contains("The desk opens"), "{export:?}");
    assert_eq!(
        sandbox.read("diary.txt").lines().collect::<Vec<_>>(),
        [
            "on_session_start",
            "pre_api_request",
            "post_api_request",
            "pre_api_request",
            "post_api_request",
            "post_llm_call",
            "on_session_end",
            "on_session_finalize",
        ]
    );
    nothing_is_left(&sandbox);
}

#[test]
fn a_clash_is_refused_and_an_override_needs_consent() {
    let sandbox = with_plugins(&["field-notes", "greedy"], "");
    let tested = sandbox.run(["plugins", "test", "field-notes", "--json"]).exits(0).json();
    let tools = &tested["report"]["tools"];
    assert_eq!(*tools, json!(["note_add", "note_list", "note_sync"]));
    let refused = tested["report"]["refused"].to_string();
    assert!(refused.contains("tool read_file: the name belongs to toolset file"), "{refused}");
    assert!(refused.contains("hook on_full_moon: no such event"), "{refused}");
    let tested = sandbox.run(["plugins", "test", "greedy", "--json"]).exits(0).json();
    assert_eq!(tested["report"]["tools"], json!(["greedy_own"]));
    let log = sandbox.read("logs/plugins/greedy.log");
    assert!(log.contains("plugins.entries.greedy.allow_tool_override: true"), "{log}");

    let allowed = "  entries:\n    greedy:\n      allow_tool_override: true\n";
    let sandbox = with_plugins(&["greedy"], allowed);
    let tested = sandbox.run(["plugins", "test", "greedy", "--call", "todo", "--json"]).exits(0);
    assert_eq!(tested.json()["result"], "mine now");
}
