//! `hermes serve`: the tools over HTTP.

use std::io::Read;

use serde_json::{Value, json};

use crate::support::{Sandbox, write};
use crate::wire::{Answer, Request, Served, pid_in, wait_until_gone};

mod addresses;
mod state;
mod walls;

const TERMINAL: &str = "/v1/tools/terminal/call";

/// The program, listening, and the token it made.
struct Scene {
    sandbox: Sandbox,
    server: Served,
    token: String,
}

impl Scene {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let server = Served::start(&sandbox, &["serve", "--listen", "127.0.0.1:0"]);
        let token = sandbox.read("serve.token").trim().to_owned();
        Self { sandbox, server, token }
    }

    fn get(&self, path: &str) -> Answer {
        self.server.send(&Request::get(path).token(&self.token))
    }

    fn call(&self, tool: &str, arguments: &Value) -> Answer {
        let (path, body) = (format!("/v1/tools/{tool}/call"), arguments.to_string());
        self.server.send(&Request::post(&path, body.as_bytes()).token(&self.token))
    }
}

#[test]
fn lists_describes_and_calls_tools() {
    let mut scene = Scene::new();
    let listed = scene.get("/v1/tools").json();
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"read_file") && !names.contains(&"todo"), "{names:?}");
    let shown = scene.get("/v1/tools/read_file").json();
    assert_eq!(shown["read_only"], true);
    write(&scene.sandbox.scratch("notes.txt"), b"some notes\n");
    let called = scene.call("read_file", &json!({"path": "notes.txt"})).json();
    assert_eq!(called["status"], "ok");
    assert!(called["result"]["content"].as_str().unwrap().contains("some notes"), "{called}");
    let document = scene.get("/openapi.json").json();
    assert!(document["paths"]["/v1/tools/terminal/call"]["post"].is_object());
    assert_eq!(scene.server.stop(), Some(0));
}

#[test]
fn the_token_is_made_once_for_its_owner_alone() {
    let scene = Scene::new();
    assert_eq!(scene.sandbox.mode("serve.token"), 0o600);
    assert!(scene.token.len() >= 32);
    let again = Served::start(&scene.sandbox, &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(again.send(&Request::get("/v1/tools").token(&scene.token)).status, 200);
}

#[test]
fn strangers_are_refused_with_a_reason() {
    let scene = Scene::new();
    let server = &scene.server;
    let tools = || Request::get("/v1/tools");
    assert_eq!(server.send(&Request::get("/health")).status, 200);
    let missing = server.send(&tools());
    assert_eq!((missing.status, missing.code()), (401, "missing_token".to_owned()));
    assert!(missing.head.to_lowercase().contains("www-authenticate: bearer"));
    let wrong = server.send(&tools().token("not-the-token-at-all"));
    assert_eq!((wrong.status, wrong.code()), (401, "wrong_token".to_owned()));
    let host = server.send(&tools().token(&scene.token).host("evil.example"));
    assert_eq!((host.status, host.code()), (403, "foreign_host".to_owned()));
    let page = tools().token(&scene.token).header("Origin", "https://evil.example");
    assert_eq!(server.send(&page).code(), "foreign_origin");
    for path in ["/openapi.json", "/v1/tools/read_file", "/nowhere"] {
        assert_eq!(server.send(&Request::get(path)).status, 401, "{path}");
    }
}

#[test]
fn bad_requests_are_answered_in_json() {
    let scene = Scene::new();
    assert_eq!(scene.call("no_such_tool", &json!({})).code(), "unknown_tool");
    let post = |body: &[u8]| scene.server.send(&Request::post(TERMINAL, body).token(&scene.token));
    assert_eq!(post(b"{").code(), "bad_json");
    assert_eq!(post(b"[]").code(), "not_an_object");
    let huge = vec![b' '; 17 * 1024 * 1024];
    assert_eq!(post(&huge).status, 413);
    assert_eq!(scene.get(TERMINAL).code(), "wrong_method");
}

#[test]
fn a_dangerous_command_is_refused() {
    let scene = Scene::new();
    let precious = scene.sandbox.scratch("precious");
    std::fs::create_dir(&precious).unwrap();
    let called = scene.call("terminal", &json!({"command": "rm -rf precious"})).json();
    assert_ne!(called["status"], "ok");
    let said = called.to_string();
    assert!(said.contains("BLOCKED") && !said.contains("hermes approvals"), "{said}");
    assert!(precious.exists());
}

#[test]
fn calls_run_side_by_side_and_sessions_have_their_own_directory() {
    let scene = Scene::new();
    let met = |mine: &str, other: &str| {
        let command = format!("touch {mine}; until [ -e {other} ]; do sleep 0.05; done; echo met");
        scene.call("terminal", &json!({"command": command})).json()
    };
    std::thread::scope(|scope| {
        let first = scope.spawn(|| met("a.flag", "b.flag"));
        assert!(met("b.flag", "a.flag").to_string().contains("met"));
        assert!(first.join().unwrap().to_string().contains("met"));
    });
    let run = |session: &str, command: &str| {
        let (path, body) = (format!("{TERMINAL}?session={session}"), json!({"command": command}));
        let body = body.to_string();
        scene.server.send(&Request::post(&path, body.as_bytes()).token(&scene.token)).json()
    };
    run("one", "cd user");
    assert!(run("one", "basename $PWD").to_string().contains("user"));
    assert!(!run("two", "basename $PWD").to_string().contains("user"));
}

/// The guards against repetition are for models, which have the earlier answer before them.
#[test]
fn a_program_may_read_and_search_as_often_as_it_likes() {
    let scene = Scene::new();
    write(&scene.sandbox.scratch("a.txt"), b"quiet\n");
    for round in 0..8 {
        let read = scene.call("read_file", &json!({"path": "a.txt"})).json();
        assert!(read["result"]["content"].as_str().unwrap().contains("quiet"), "{round}: {read}");
        let found = scene.call("search_files", &json!({"pattern": "quiet"})).json().to_string();
        assert!(found.contains("a.txt") && !found.contains("BLOCKED"), "{round}: {found}");
    }
}

#[test]
fn pages_of_other_ports_are_foreign() {
    let scene = Scene::new();
    let own = format!("http://{}", scene.server.authority);
    let from = |origin: &str| {
        let request = Request::get("/v1/tools").token(&scene.token).header("Origin", origin);
        scene.server.send(&request).status
    };
    assert_eq!(from(&own), 200);
    for foreign in ["http://127.0.0.1:3000", "http://localhost", "https://evil.example", "null"] {
        assert_eq!(from(foreign), 403, "{foreign}");
    }
}

#[test]
fn no_more_sessions_are_opened_than_there_may_be() {
    let scene = Scene::new();
    let mut refused = None;
    for number in 0..140 {
        let path = format!("/v1/tools/read_file/call?session=s{number}");
        let answer =
            scene.server.send(&Request::post(&path, b"{\"path\":\"x\"}").token(&scene.token));
        if answer.status != 200 {
            assert_eq!((answer.status, answer.code()), (429, "too_many_sessions".to_owned()));
            refused.get_or_insert(number);
        }
    }
    assert_eq!(refused, Some(128));
}

/// A head that never ends costs one connection for a while, and nobody else anything.
#[test]
fn a_client_that_says_nothing_is_hung_up_on() {
    let scene = Scene::new();
    let mut silent = std::net::TcpStream::connect(&scene.server.authority).unwrap();
    let mut slow = std::net::TcpStream::connect(&scene.server.authority).unwrap();
    std::io::Write::write_all(&mut slow, b"GET /health HTTP/1.1\r\nHost: ").unwrap();
    assert_eq!(scene.get("/v1/tools").status, 200);
    for stream in [&mut silent, &mut slow] {
        stream.set_read_timeout(Some(std::time::Duration::from_secs(90))).unwrap();
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        assert!(ended.is_ok(), "still open: {ended:?}");
    }
}

#[test]
fn events_end_with_the_result() {
    let scene = Scene::new();
    let body = json!({"command": "echo by events"}).to_string();
    let request = Request::post(TERMINAL, body.as_bytes()).token(&scene.token);
    let answer = scene.server.send(&request.header("Accept", "text/event-stream"));
    assert!(answer.head.to_lowercase().contains("text/event-stream"), "{answer:?}");
    let (_, result) = answer.body.split_once("event: result").unwrap();
    assert!(result.contains("by events"), "{answer:?}");
}

#[test]
fn a_call_ends_when_its_client_goes_away() {
    let scene = Scene::new();
    let body = json!({"command": "echo $$ > pid; exec sleep 600"}).to_string();
    let stream = scene.server.open(&Request::post(TERMINAL, body.as_bytes()).token(&scene.token));
    let pid = pid_in(&scene.sandbox.scratch("pid"));
    drop(stream);
    wait_until_gone(pid);
    assert_eq!(scene.get("/health").status, 200);
}

#[test]
fn a_server_that_is_killed_leaves_nothing_behind() {
    let mut scene = Scene::new();
    let body = json!({"command": "echo $$ > pid; exec sleep 600"}).to_string();
    let mut stream =
        scene.server.open(&Request::post(TERMINAL, body.as_bytes()).token(&scene.token));
    let pid = pid_in(&scene.sandbox.scratch("pid"));
    scene.server.kill();
    wait_until_gone(pid);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.is_empty());
}
