//! Many clients over HTTP, and who is kept out.

use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::wire::{Answer, Request, Served};

const TOKEN: &str = "a-token-of-some-length";

fn hello() -> Vec<u8> {
    hello_of(&json!({}))
}

fn hello_of(capabilities: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": capabilities,
        "clientInfo": {"name": "test", "version": "1"}}})
    .to_string()
    .into_bytes()
}

pub(super) fn post(body: &[u8]) -> Request<'_> {
    Request::post("/mcp", body).header("Accept", "application/json, text/event-stream")
}

/// The messages in an answer that came as events.
pub(super) fn messages(answer: &Answer) -> Vec<Value> {
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
pub(crate) struct Session<'a> {
    server: &'a Served,
    id: String,
    token: String,
}

/// The program, listening on loopback, and the token it made.
pub(crate) fn listening(sandbox: &Sandbox) -> (Served, String) {
    let server = Served::start(sandbox, &["mcp", "serve", "--http", "127.0.0.1:0"]);
    let token = sandbox.read("mcp.token").trim().to_owned();
    (server, token)
}

impl<'a> Session<'a> {
    pub(crate) fn begin(server: &'a Served, token: &str) -> Self {
        Self::begin_with(server, token, &json!({}))
    }

    /// A client that shows forms to a person.
    pub(crate) fn with_forms(server: &'a Served, token: &str) -> Self {
        Self::begin_with(server, token, &json!({"elicitation": {}}))
    }

    fn begin_with(server: &'a Served, token: &str, capabilities: &Value) -> Self {
        let hello = server.send(&post(&hello_of(capabilities)).token(token));
        assert_eq!(messages(&hello)[0]["result"]["serverInfo"]["name"], "hermes");
        let session = Self { server, id: session_id(&hello), token: token.to_owned() };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.send(&ready).status, 202);
        session
    }

    fn request<'b>(&self, body: &'b [u8]) -> Request<'b> {
        let request = post(body).token(&self.token).header("Mcp-Session-Id", &self.id);
        request.header("Mcp-Protocol-Version", "2025-06-18")
    }

    fn send(&self, message: &Value) -> Answer {
        self.server.send(&self.request(message.to_string().as_bytes()))
    }

    /// Calls a tool; the text of its result.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> String {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let last = messages(&self.send(&message)).pop().unwrap();
        let text = last["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {last}")).to_owned()
    }

    /// Calls a tool and answers what is asked meanwhile with this decision; the result, and how many questions came.
    pub(crate) fn call_deciding(
        &self,
        tool: &str,
        arguments: &Value,
        decision: &str,
    ) -> (Value, usize) {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let stream = self.server.open(&self.request(message.to_string().as_bytes()));
        let mut questions = 0;
        for line in BufReader::new(stream).lines() {
            let line = line.unwrap();
            let data = line.strip_prefix("data:").map(str::trim);
            let Some(Ok(message)) = data.map(serde_json::from_str::<Value>) else { continue };
            if message["method"] == "elicitation/create" {
                questions += 1;
                let content = json!({"action": "accept", "content": {"decision": decision}});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": content});
                assert_eq!(self.send(&answer).status, 202);
            } else if message["id"] == 2 {
                return (message["result"].clone(), questions);
            }
        }
        panic!("the answer ends without a result");
    }
}

#[test]
fn each_client_has_a_session_of_its_own() {
    let sandbox = Sandbox::new();
    let (mut server, token) = listening(&sandbox);
    assert!(server.url.ends_with("/mcp"));
    let (first, second) = (Session::begin(&server, &token), Session::begin(&server, &token));
    assert_ne!(first.id, second.id);
    first.call("terminal", &json!({"command": "cd user"}));
    let here = json!({"command": "basename $PWD"});
    assert!(first.call("terminal", &here).contains("user"));
    assert!(!second.call("terminal", &here).contains("user"));
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    let stranger = Session { server: &server, id: "made-up".to_owned(), token: token.clone() };
    assert_eq!(stranger.send(&ping).status, 404);
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let body = hello();
    let post = |body| post(body).token(&token);
    assert_eq!(server.send(&post(&body).host("evil.example")).code(), "foreign_host");
    let port = server.authority.rsplit_once(':').unwrap().1;
    let rebound = format!("evil.example:{port}");
    assert_eq!(server.send(&post(&body).host(&rebound)).status, 403);
    for origin in ["https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1:1"] {
        let page = post(&body).header("Origin", origin);
        assert_eq!(server.send(&page).code(), "foreign_origin", "{origin}");
    }
    let host = format!("localhost:{port}");
    assert_eq!(server.send(&post(&body).host(&host)).status, 200);
    let own = format!("http://{host}");
    assert_eq!(server.send(&post(&body).host(&host).header("Origin", &own)).status, 200);
}

#[test]
fn on_loopback_a_token_is_made_for_the_owner_alone() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    assert_eq!(sandbox.mode("mcp.token"), 0o600);
    assert_eq!(server.send(&post(&hello())).code(), "missing_token");
    assert_eq!(server.send(&post(&hello()).token(&token)).status, 200);
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
fn what_is_too_large_or_no_message_is_refused_in_the_words_of_the_protocol() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let huge = vec![b' '; 17 * 1024 * 1024];
    assert_eq!(server.send(&post(&huge).token(&token)).status, 413);
    for (text, code) in [
        (&b"{"[..], -32_700),
        (b"hello", -32_700),
        (b"\xff", -32_700),
        (b"[]", -32_600),
        (b"{}", -32_600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", -32_600),
    ] {
        let answer = server.send(&post(text).token(&token));
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], code, "{answer:?}");
    }
    assert_eq!(server.send(&post(&hello()).token(&token)).status, 200);
}

#[test]
fn no_more_sessions_begin_than_there_may_be() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let begun = (0..140).filter(|_| server.send(&post(&hello()).token(&token)).status == 200);
    assert_eq!(begun.count(), 128);
}
