//! What revision 2026-07-28 wants of a request over HTTP, and how it ends.

use std::io::{BufRead, BufReader};
use std::net::Shutdown;

use serde_json::{Value, json};

use super::http::{listening, post};
use super::stateless::{REVISION, Stateless};
use crate::support::Sandbox;
use crate::wire::{pid_in, wait_until_gone};

type Headers = Vec<(&'static str, String)>;

fn headers(version: &str, method: &str, name: Option<&str>) -> Headers {
    let all =
        [("Mcp-Protocol-Version", Some(version)), ("Mcp-Method", Some(method)), ("Mcp-Name", name)];
    let given = all.into_iter().filter(|(_, value)| value.is_some_and(|value| !value.is_empty()));
    given.map(|(header, value)| (header, value.unwrap_or_default().to_owned())).collect()
}

#[test]
fn headers_must_say_what_the_message_says() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    let call =
        client.message("tools/call", json!({"name": "read_file", "arguments": {"path": "x"}}));
    let read = Some("read_file");
    for (given, status, code) in [
        (headers(REVISION, "tools/call", read), 200, None),
        (headers(REVISION, "tools/list", read), 400, Some(-32_020)),
        (headers(REVISION, "", read), 400, Some(-32_020)),
        (headers(REVISION, "tools/call", None), 400, Some(-32_020)),
        (headers(REVISION, "tools/call", Some("terminal")), 400, Some(-32_020)),
        (headers("2025-06-18", "tools/call", read), 400, Some(-32_020)),
        (headers("", "tools/call", read), 400, Some(-32_020)),
    ] {
        let answer = client.send_with(&call, given.clone());
        assert_eq!(answer.status, status, "{given:?}: {answer:?}");
        if let Some(code) = code {
            assert_eq!(answer.json()["error"]["code"], code, "{given:?}: {answer:?}");
            assert_eq!(answer.json()["id"], 7, "{given:?}: {answer:?}");
        }
    }
}

#[test]
fn a_revision_nobody_speaks_is_answered_with_those_we_do() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    let mut said = client.message("tools/list", json!({}));
    said["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let unsaid = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
    for message in [said, unsaid] {
        let answer = client.send_with(&message, headers("2099-01-01", "tools/list", None));
        assert_eq!(answer.status, 400, "{answer:?}");
        let error = &answer.json()["error"];
        assert_eq!(error["code"], -32_022, "{answer:?}");
        assert_eq!(error["data"]["requested"], "2099-01-01");
        assert!(error["data"]["supported"].as_array().unwrap().contains(&json!(REVISION)));
    }
}

#[test]
fn what_is_missing_unknown_or_too_much_has_its_error() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    let list = headers(REVISION, "tools/list", None);
    let without = |key: &str| {
        let mut message = client.message("tools/list", json!({}));
        message["params"]["_meta"].as_object_mut().unwrap().remove(key);
        message
    };
    for key in ["protocolVersion", "clientCapabilities"] {
        let key = format!("io.modelcontextprotocol/{key}");
        let answer = client.send_with(&without(&key), list.clone());
        assert_eq!(
            (answer.status, &answer.json()["error"]["code"]),
            (400, &json!(-32_602)),
            "{key}"
        );
    }
    let unnamed = client.send_with(&without("io.modelcontextprotocol/clientInfo"), list.clone());
    assert_eq!(unnamed.status, 200, "who asks need not say so: {unnamed:?}");
    for method in ["no/such/method", "ping", "logging/setLevel", "resources/subscribe"] {
        let answer = client.send(method, json!({"level": "info", "uri": "test://x"}));
        assert_eq!(answer.status, 404, "{method}: {answer:?}");
        assert_eq!(answer.json()["error"]["code"], -32_601, "{method}: {answer:?}");
    }
    let nameless = client.request("tools/call", json!({"arguments": {}}));
    assert_eq!(nameless["error"]["code"], -32_602, "{nameless}");
    let batch = Value::Array(vec![client.message("tools/list", json!({})); 2]);
    let answer = client.send_with(&batch, list.clone());
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (400, &json!(-32_600)),
        "{answer:?}"
    );
    let answer = server.send(&post(b"{\"jsonrpc\": ").token(&token));
    assert_eq!(
        (answer.status, &answer.json()["error"]["code"]),
        (400, &json!(-32_700)),
        "{answer:?}"
    );
    for method in ["GET", "DELETE"] {
        let mut request = post(b"").token(&token).header("Mcp-Protocol-Version", REVISION);
        request.method = method;
        assert_eq!(server.send(&request).status, 405, "{method}");
    }
}

#[test]
fn calls_run_side_by_side() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    let all = 8;
    // Each waits until all are there.
    let command = format!(
        "mktemp here.XXXXXX >/dev/null; until [ $(ls here.* | wc -l) -ge {all} ]; do sleep 0.05; done; echo met"
    );
    std::thread::scope(|threads| {
        let calls: Vec<_> = (0..all)
            .map(|_| {
                threads.spawn(|| client.call("terminal", &json!({"command": command}), json!({})))
            })
            .collect();
        for call in calls {
            let answer = call.join().unwrap();
            assert!(answer.to_string().contains("met"), "{answer}");
        }
    });
}

#[test]
fn closing_the_stream_cancels_the_call() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    for progress in [false, true] {
        let file = sandbox.scratch(if progress { "pid.b" } else { "pid.a" });
        let command = format!("echo $$ > {}; exec sleep 600", file.display());
        let arguments = json!({"name": "terminal", "arguments": {"command": command}});
        let mut message = client.message("tools/call", arguments);
        if progress {
            // The stream begins with the first news.
            message["params"]["_meta"]["progressToken"] = json!("p");
        }
        let body = message.to_string();
        let mut request = post(body.as_bytes()).token(&token);
        for (name, value) in headers(REVISION, "tools/call", Some("terminal")) {
            request = request.header(name, value);
        }
        let stream = server.open(&request);
        let pid = pid_in(&file);
        if progress {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            assert!(lines.any(|line| line.contains("notifications/progress")));
        }
        stream.shutdown(Shutdown::Both).unwrap();
        drop(stream);
        wait_until_gone(pid);
    }
}

#[test]
fn who_listens_is_told_so_first() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    let wanted = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true,
        "resourceSubscriptions": ["hermes://session/1"]}});
    let body = client.message("subscriptions/listen", wanted).to_string();
    let mut request = post(body.as_bytes()).token(&token);
    for (name, value) in headers(REVISION, "subscriptions/listen", None) {
        request = request.header(name, value);
    }
    let stream = server.open(&request);
    let lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let first = lines.filter_map(|line| line.strip_prefix("data:").map(str::to_owned));
    let first = first.filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok()).next();
    let first = first.expect("an acknowledgment");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    let accepted =
        json!({"toolsListChanged": true, "resourceSubscriptions": ["hermes://session/1"]});
    assert_eq!(first["params"]["notifications"], accepted, "prompts do not change: {first}");
    assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7, "{first}");
}

#[test]
fn full_sessions_keep_nobody_out_who_wants_none() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}})
    .to_string();
    let full = (0..200).any(|_| server.send(&post(hello.as_bytes()).token(&token)).status == 503);
    assert!(full, "there may be any number of sessions");
    let listed = Stateless::new(&server, &token).request("tools/list", json!({}));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
}
