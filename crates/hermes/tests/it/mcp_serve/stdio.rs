//! One client on stdin and stdout.

use serde_json::{Value, json};

use super::client::{Client, Forms};
use crate::support::{Sandbox, write};
use crate::wire::{pid_in, wait_until, wait_until_gone};

#[test]
fn offers_the_enabled_tools_with_schema_and_annotations() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &["-t", "file,terminal"], Forms::None);
    let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["patch", "process", "read_file", "search_files", "terminal", "write_file"]);
    let read = &tools[2];
    assert_eq!(read["title"], "Read file");
    assert_eq!(read["annotations"]["readOnlyHint"], true);
    assert_eq!(read["inputSchema"]["properties"]["path"]["type"], "string");
    assert_eq!(tools[4]["annotations"]["destructiveHint"], true);
}

#[test]
fn tells_its_real_version_and_the_newest_revision_with_sessions() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    let about = client.request(
        "initialize",
        json!({"protocolVersion": "2099-01-01", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}),
    );
    let about = &about["result"];
    assert_eq!(about["serverInfo"]["name"], "hermes");
    assert_eq!(about["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(about["protocolVersion"], "2025-11-25");
}

#[test]
fn reads_files_and_keeps_the_terminal_between_calls() {
    let sandbox = Sandbox::new();
    write(&sandbox.scratch("notes.txt"), b"first line\nsecond line\n");
    let mut client = Client::start(&sandbox, &[], Forms::None);
    let (text, failed) = client.call("read_file", json!({"path": "notes.txt", "limit": null}));
    assert!(!failed && text.contains("second line"), "{text}");
    client.call("terminal", json!({"command": "cd user && export WORD=kept"}));
    let (text, _) = client.call("terminal", json!({"command": "echo $WORD in $(basename $PWD)"}));
    let result: Value = serde_json::from_str(&text).unwrap();
    assert!(result["output"].as_str().unwrap().contains("kept in user"), "{result}");
    let (text, failed) = client.call("read_file", json!({"path": "no/such/file"}));
    assert!(failed && text.contains("error"), "{text}");
}

/// See the test of the same row in a conversation.
#[test]
fn a_command_between_two_reads_ends_the_repetition() {
    let sandbox = Sandbox::new();
    write(&sandbox.scratch("a.txt"), b"quiet\n");
    let mut client = Client::start(&sandbox, &[], Forms::None);
    let args = json!({"path": "a.txt"});
    for expected in ["1|quiet", "unchanged"] {
        let (text, _) = client.call("read_file", args.clone());
        assert!(text.contains(expected), "{text}");
    }
    client.call("terminal", json!({"command": "true"}));
    for expected in ["unchanged", "BLOCKED"] {
        let (text, _) = client.call("read_file", args.clone());
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_dangerous_command_is_refused_where_nobody_can_be_asked() {
    let sandbox = Sandbox::new();
    let precious = sandbox.scratch("precious");
    std::fs::create_dir(&precious).unwrap();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    let (text, failed) = client.call("terminal", json!({"command": "rm -rf precious"}));
    assert!(failed && text.contains("BLOCKED"), "{text}");
    assert!(!text.contains("hermes approvals"), "no way around it is named: {text}");
    assert!(precious.exists());
}

#[test]
fn the_person_behind_the_client_decides() {
    let sandbox = Sandbox::new();
    for (decision, runs) in [("once", true), ("deny", false), ("nonsense", false)] {
        let folder = sandbox.scratch(decision);
        std::fs::create_dir(&folder).unwrap();
        let mut client = Client::start(&sandbox, &[], Forms::Decides(decision));
        let (text, failed) =
            client.call("terminal", json!({"command": format!("rm -rf {decision}")}));
        assert_eq!((failed, folder.exists()), (!runs, !runs), "{decision}: {text}");
        let question = &client.questions[0]["params"];
        let message = question["message"].as_str().unwrap();
        assert!(message.contains(&format!("rm -rf {decision}")), "{message}");
        assert!(!message.contains('\u{1b}'), "{message:?}");
        assert_eq!(question["requestedSchema"]["properties"]["decision"]["default"], "deny");
    }
}

#[test]
fn a_yes_for_the_session_is_asked_for_once() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::Decides("session"));
    for name in ["one", "two"] {
        std::fs::create_dir(sandbox.scratch(name)).unwrap();
        let (text, failed) = client.call("terminal", json!({"command": format!("rm -rf {name}")}));
        assert!(!failed, "{text}");
    }
    assert_eq!(client.questions.len(), 1);
}

#[test]
fn silence_is_no() {
    let sandbox = Sandbox::with_config("approvals:\n  timeout: 1\n");
    std::fs::create_dir(sandbox.scratch("precious")).unwrap();
    let mut client = Client::start(&sandbox, &[], Forms::Silent);
    let (text, failed) = client.call("terminal", json!({"command": "rm -rf precious"}));
    assert!(failed && text.contains("did not answer within"), "{text}");
    assert!(sandbox.scratch("precious").exists());
    let withdrawn = |notice: &Value| notice["method"] == "notifications/cancelled";
    assert!(client.notices.iter().any(withdrawn), "{:?}", client.notices);
}

#[test]
fn calls_run_side_by_side() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    // Each of the two waits for what the other does.
    let wait = |mine: &str, other: &str| {
        json!({"name": "terminal", "arguments": {
            "command": format!("touch {mine}; until [ -e {other} ]; do sleep 0.05; done; echo met")}})
    };
    let first = client.send("tools/call", wait("a.flag", "b.flag"));
    let second = client.send("tools/call", wait("b.flag", "a.flag"));
    // Answers come in the order of their ends, so both are taken as they come.
    let mut open = vec![first, second];
    while !open.is_empty() {
        let answer = client.any_answer();
        let id = answer["id"].as_i64().unwrap();
        assert!(
            answer["result"]["content"][0]["text"].as_str().unwrap().contains("met"),
            "{answer}"
        );
        open.retain(|waiting| *waiting != id);
    }
}

#[test]
fn a_cancelled_call_ends_its_command() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    let id = client.send(
        "tools/call",
        json!({"name": "terminal", "arguments": {"command": "echo $$ > pid; exec sleep 600"}}),
    );
    let pid = pid_in(&sandbox.scratch("pid"));
    client.notify("notifications/cancelled", json!({"requestId": id, "reason": "enough"}));
    wait_until_gone(pid);
    let (text, failed) = client.call("terminal", json!({"command": "echo still here"}));
    assert!(!failed && text.contains("still here"), "{text}");
}

#[test]
fn garbage_and_strangers_do_not_disturb_it() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    client.write("this is not JSON");
    client.write("{\"jsonrpc\": \"2.0\"}");
    client.write("");
    let unknown = client.request("tools/call", json!({"name": "no_such_tool", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("read_file"), "{unknown}");
    let strange = client.request("no/such/method", json!({}));
    assert_eq!(strange["error"]["code"], -32601);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn resources_prompts_and_completions_are_there() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    let listed = client.request("resources/list", json!({}));
    assert_eq!(listed["result"]["resources"], json!([]));
    let prompts = client.request("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"].as_array().unwrap().len(), 3);
    let completed = client.request(
        "completion/complete",
        json!({"ref": {"type": "ref/prompt", "name": "review_changes"},
            "argument": {"name": "range", "value": "HEAD"}}),
    );
    assert_eq!(completed["result"]["completion"]["values"], json!(["HEAD", "HEAD~1"]));
    let missing = client.request("resources/read", json!({"uri": "hermes://session/none"}));
    assert_eq!(missing["error"]["code"], -32002);
    assert!(!sandbox.path("state.db").exists(), "looking makes no database");
}

#[test]
fn the_end_of_stdin_ends_it_and_what_it_started() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    client
        .call("terminal", json!({"command": "echo $$ > pid; exec sleep 600", "background": true}));
    let pid = pid_in(&sandbox.scratch("pid"));
    client.hang_up();
    wait_until("the end of the server", || client.child.try_wait().unwrap().is_some());
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
    wait_until_gone(pid);
}

#[test]
fn a_server_that_is_killed_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    client.send(
        "tools/call",
        json!({"name": "terminal", "arguments": {"command": "echo $$ > pid; exec sleep 600"}}),
    );
    let pid = pid_in(&sandbox.scratch("pid"));
    client.child.kill().unwrap();
    wait_until_gone(pid);
}

#[test]
fn what_cannot_be_read_is_answered_as_a_parse_error() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &[], Forms::None);
    for (text, code) in [("{nonsense", -32_700), ("[]", -32_600), ("hello", -32_700)] {
        client.write(text);
        let answer = client.any_answer();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &Value::Null));
    }
    let (text, failed) = client.call("terminal", json!({"command": "echo still here"}));
    assert!(!failed && text.contains("still here"), "{text}");
}
