//! Many clients over HTTP, and who is kept out.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::wire::{Answer, Request, Served};

const TOKEN: &str = "a-token-of-some-length";

fn hello() -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}})
    .to_string()
    .into_bytes()
}

fn post(body: &[u8]) -> Request<'_> {
    Request::post("/mcp", body).header("Accept", "application/json, text/event-stream")
}

/// The messages in an answer that came as events.
fn messages(answer: &Answer) -> Vec<Value> {
    let data = answer.body.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}

fn session_id(answer: &Answer) -> String {
    let find = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
    };
    answer.head.lines().find_map(find).unwrap_or_else(|| panic!("no session: {answer:?}"))
}

/// A client's session, after the handshake.
struct Session<'a> {
    server: &'a Served,
    id: String,
}

impl<'a> Session<'a> {
    fn begin(server: &'a Served) -> Self {
        let hello = server.send(&post(&hello()));
        assert_eq!(messages(&hello)[0]["result"]["serverInfo"]["name"], "hermes");
        let session = Self { server, id: session_id(&hello) };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.send(&ready).status, 202);
        session
    }

    fn send(&self, message: &Value) -> Answer {
        let body = message.to_string();
        let request = post(body.as_bytes()).header("Mcp-Session-Id", &self.id);
        self.server.send(&request.header("Mcp-Protocol-Version", "2025-06-18"))
    }

    /// Calls a tool; the text of its result.
    fn call(&self, tool: &str, arguments: &Value) -> String {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let last = messages(&self.send(&message)).pop().unwrap();
        let text = last["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {last}")).to_owned()
    }
}

#[test]
fn each_client_has_a_session_of_its_own() {
    let sandbox = Sandbox::new();
    let mut server = Served::start(&sandbox, &["mcp", "serve", "--http", "127.0.0.1:0"]);
    assert!(server.url.ends_with("/mcp"));
    let (first, second) = (Session::begin(&server), Session::begin(&server));
    assert_ne!(first.id, second.id);
    first.call("terminal", &json!({"command": "cd user"}));
    let here = json!({"command": "basename $PWD"});
    assert!(first.call("terminal", &here).contains("user"));
    assert!(!second.call("terminal", &here).contains("user"));
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    let stranger = Session { server: &server, id: "made-up".to_owned() };
    assert_eq!(stranger.send(&ping).status, 404);
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let sandbox = Sandbox::new();
    let server = Served::start(&sandbox, &["mcp", "serve", "--http", "127.0.0.1:0"]);
    let body = hello();
    assert_eq!(server.send(&post(&body).host("evil.example")).code(), "foreign_host");
    let port = server.authority.rsplit_once(':').unwrap().1;
    let rebound = format!("evil.example:{port}");
    assert_eq!(server.send(&post(&body).host(&rebound)).status, 403);
    let page = post(&body).header("Origin", "https://evil.example");
    assert_eq!(server.send(&page).code(), "foreign_origin");
    assert_eq!(server.send(&post(&body).header("Origin", "null")).status, 403);
    assert_eq!(server.send(&post(&body).host(&format!("localhost:{port}"))).status, 200);
}

#[test]
fn a_token_keeps_others_out() {
    let sandbox = Sandbox::new();
    sandbox.write("token", &format!("{TOKEN}\n"));
    let file = sandbox.path("token");
    let flags = ["mcp", "serve", "--http", "127.0.0.1:0", "--token-file", file.to_str().unwrap()];
    let server = Served::start(&sandbox, &flags);
    let body = hello();
    assert_eq!(server.send(&post(&body)).code(), "missing_token");
    assert_eq!(server.send(&post(&body).token("a-token-of-some-lengtH")).code(), "wrong_token");
    assert_eq!(server.send(&post(&body).token(TOKEN)).status, 200);
}

#[test]
fn the_token_may_stand_in_the_env_file() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", &format!("HERMES_MCP_TOKEN={TOKEN}\n"));
    let server = Served::start(&sandbox, &["mcp", "serve", "--http", "127.0.0.1:0"]);
    assert_eq!(server.send(&post(&hello())).status, 401);
    assert_eq!(server.send(&post(&hello()).token(TOKEN)).status, 200);
}

#[test]
fn other_machines_are_not_served_without_a_token() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["mcp", "serve", "--http", "0.0.0.0:0"]).exits(1);
    run.notes("there is no token to keep them out").notes("--token-file");
    sandbox.write("token", TOKEN);
    sandbox.set_mode("token", 0o644);
    let file = sandbox.path("token");
    sandbox
        .run(["mcp", "serve", "--http", "0.0.0.0:0", "--token-file", file.to_str().unwrap()])
        .exits(1)
        .notes("chmod 600");
}

#[test]
fn what_is_too_large_or_no_json_is_refused() {
    let sandbox = Sandbox::new();
    let server = Served::start(&sandbox, &["mcp", "serve", "--http", "127.0.0.1:0"]);
    let huge = vec![b' '; 17 * 1024 * 1024];
    assert_eq!(server.send(&post(&huge)).status, 413);
    let broken = server.send(&post(b"{"));
    assert!((400..500).contains(&broken.status), "{broken:?}");
    assert_eq!(server.send(&post(&hello())).status, 200);
}
