//! Revision 2026-07-28 on stdin and stdout: no handshake, but one client, whose calls belong together.

use serde_json::{Value, json};

use super::client::{Client, Forms};
use super::stateless::{decided, meta};
use crate::support::Sandbox;
use crate::wire::{pid_in, wait_until_gone};

fn call(arguments: &Value, answers: Value, can: Value) -> Value {
    let mut params = json!({"name": "terminal", "arguments": arguments, "_meta": meta(can)});
    if let (Some(params), Value::Object(answers)) = (params.as_object_mut(), answers) {
        params.extend(answers);
    }
    params
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

#[test]
fn without_a_handshake_the_terminal_is_kept_between_calls() {
    let sandbox = Sandbox::new();
    let mut client = Client::spawn(&sandbox, &[], Forms::None);
    let about = client.request("server/discover", json!({"_meta": meta(json!({}))}));
    assert!(about["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{about}");
    let run = |command: &str| call(&json!({"command": command}), json!({}), json!({}));
    client.request("tools/call", run("cd user && export WORD=kept"));
    let answer = client.request("tools/call", run("echo $WORD in $(basename $PWD)"));
    assert!(text(&answer).contains("kept in user"), "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
    let listed = client.request("tools/list", json!({"_meta": meta(json!({}))}));
    let terminal = listed["result"]["tools"].as_array().unwrap();
    let terminal = terminal.iter().find(|tool| tool["name"] == "terminal").unwrap();
    assert_eq!(terminal["inputSchema"]["properties"]["session"], Value::Null);
    let bare = client.request("tools/list", json!({}));
    assert_eq!(bare["error"]["code"], -32602, "a request says who asks: {bare}");
}

#[test]
fn questions_are_results_and_never_requests() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.scratch("precious")).unwrap();
    let mut client = Client::spawn(&sandbox, &[], Forms::Decides("once"));
    let remove = json!({"command": "rm -rf precious"});
    let forms = || json!({"elicitation": {}});
    let asked = client.request("tools/call", call(&remove, json!({}), forms()));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert!(sandbox.scratch("precious").exists());
    let answers = decided(&asked, "once");
    let done = client.request("tools/call", call(&remove, answers, forms()));
    assert!(done["result"]["isError"] != true && !sandbox.scratch("precious").exists(), "{done}");
    assert!(client.questions.is_empty(), "{:?}", client.questions);
}

#[test]
fn a_cancelled_call_ends_its_command() {
    let sandbox = Sandbox::new();
    let mut client = Client::spawn(&sandbox, &[], Forms::None);
    let wait = json!({"command": "echo $$ > pid; exec sleep 600"});
    let id = client.send("tools/call", call(&wait, json!({}), json!({})));
    let pid = pid_in(&sandbox.scratch("pid"));
    client.notify("notifications/cancelled", json!({"requestId": id}));
    wait_until_gone(pid);
    let echo = json!({"command": "echo still here"});
    let answer = client.request("tools/call", call(&echo, json!({}), json!({})));
    assert!(text(&answer).contains("still here"), "{answer}");
}

#[test]
fn an_unknown_revision_is_told_those_we_speak_and_may_go_on() {
    let sandbox = Sandbox::new();
    let mut client = Client::spawn(&sandbox, &[], Forms::None);
    let mut strange = meta(json!({}));
    strange["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let answer = client.request("tools/list", json!({"_meta": strange}));
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert!(answer["error"]["data"]["supported"].to_string().contains("2026-07-28"), "{answer}");
    let listed = client.request("tools/list", json!({"_meta": meta(json!({}))}));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
}
