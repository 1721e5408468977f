//! Revision 2026-07-28 over HTTP: no handshake, no sessions, questions as results.

#![expect(clippy::needless_pass_by_value, reason = "tests write their JSON in place")]

use serde_json::{Map, Value, json};

use super::http::{Session, listening, messages, post};
use crate::support::Sandbox;
use crate::wire::{Answer, Served};

pub(super) const REVISION: &str = "2026-07-28";

/// What every request says of its client.
pub(super) fn meta(capabilities: Value) -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities})
}

/// A client that remembers nothing.
pub(crate) struct Stateless<'a> {
    pub(super) server: &'a Served,
    pub(super) token: &'a str,
    /// Whether it shows forms to a person.
    pub(super) forms: bool,
}

impl<'a> Stateless<'a> {
    pub(crate) fn new(server: &'a Served, token: &'a str) -> Self {
        Self { server, token, forms: false }
    }

    pub(crate) fn with_forms(server: &'a Served, token: &'a str) -> Self {
        Self { forms: true, ..Self::new(server, token) }
    }

    /// The message of a request, with what it has to say of its client.
    pub(super) fn message(&self, method: &str, mut params: Value) -> Value {
        let can = if self.forms { json!({"elicitation": {"form": {}}}) } else { json!({}) };
        params["_meta"] = meta(can);
        json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    }

    /// Sends a request with the headers it must have.
    pub(super) fn send(&self, method: &str, params: Value) -> Answer {
        let message = self.message(method, params);
        let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str());
        let name = name.map(|name| ("Mcp-Name", name.to_owned()));
        let headers =
            [("Mcp-Protocol-Version", REVISION.to_owned()), ("Mcp-Method", method.into())];
        self.send_with(&message, headers.into_iter().chain(name))
    }

    pub(super) fn send_with(
        &self,
        message: &Value,
        headers: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Answer {
        let body = message.to_string();
        let mut request = post(body.as_bytes()).token(self.token);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        self.server.send(&request)
    }

    /// The message that answers a request.
    #[track_caller]
    pub(super) fn request(&self, method: &str, params: Value) -> Value {
        let answer = self.send(method, params);
        let last = messages(&answer).pop();
        last.unwrap_or_else(|| answer.json())
    }

    /// Calls a tool, with answers if there are any; its result.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: &Value, answers: Value) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments});
        let answers: Map<String, Value> = serde_json::from_value(answers).unwrap();
        params.as_object_mut().unwrap().extend(answers);
        self.request("tools/call", params)
    }

    /// Runs a command; what it printed, and the name of the session if one was begun.
    #[track_caller]
    fn run(&self, command: &str, session: Option<&str>) -> (String, Option<String>) {
        let mut arguments = json!({"command": command});
        if let Some(session) = session {
            arguments["session"] = session.into();
        }
        let answer = self.call("terminal", &arguments, json!({}));
        let text = |at: usize| answer["result"]["content"][at]["text"].as_str();
        let output = text(0).unwrap_or_else(|| panic!("no text: {answer}")).to_owned();
        (output, text(1).and_then(|note| note.split(' ').nth(1)).map(str::to_owned))
    }
}

/// The questions of a result, answered with a decision.
pub(crate) fn decided(asked: &Value, decision: &str) -> Value {
    let questions = asked["result"]["inputRequests"].as_object().unwrap();
    let answer = json!({"action": "accept", "content": {"decision": decision}});
    let answers: Map<String, Value> =
        questions.keys().map(|name| (name.clone(), answer.clone())).collect();
    json!({"inputResponses": answers, "requestState": asked["result"]["requestState"]})
}

#[test]
fn every_request_is_complete_in_itself() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    let about = client.request("server/discover", json!({}))["result"].clone();
    let spoken = about["supportedVersions"].as_array().unwrap();
    assert!(spoken.contains(&json!(REVISION)) && spoken.contains(&json!("2025-03-26")), "{about}");
    assert_eq!(about["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "hermes");
    assert_eq!(about["capabilities"]["tools"]["listChanged"], true);
    let listed = client.request("tools/list", json!({}))["result"].clone();
    assert_eq!(
        (&listed["resultType"], &listed["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    assert!(listed["ttlMs"].as_u64().unwrap() > 0, "{listed}");
    let answer = client.send("tools/list", json!({}));
    assert!(!answer.head.to_lowercase().contains("mcp-session-id"), "{answer:?}");
    let missing = client.request("resources/read", json!({"uri": "hermes://session/none"}));
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
}

#[test]
fn calls_stand_alone_unless_they_name_a_session() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::new(&server, &token);
    let there = "echo ${WORD:-nothing} in $(basename $PWD)";
    let (_, none) = client.run("cd user && export WORD=kept", None);
    assert_eq!(none, None);
    assert!(client.run(there, None).0.contains("nothing in"), "nothing is kept");
    let (_, session) = client.run("cd user && export WORD=kept", Some("new"));
    let session = session.expect("the name of a new session");
    assert!(client.run(there, Some(&session)).0.contains("kept in user"));
    assert!(client.run(there, None).0.contains("nothing in"), "others have their own");
    let (other, _) = client.run(there, Some("new"));
    assert!(other.contains("nothing in"), "{other}");
    let refused = client.call("terminal", &json!({"command": "id", "session": "main"}), json!({}));
    assert_eq!(refused["result"]["isError"], true);
    assert!(refused.to_string().contains("There is no session"), "{refused}");
}

#[test]
fn an_approval_is_a_round_trip() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::with_forms(&server, &token);
    let remove = json!({"command": "rm -rf precious"});
    for (decision, goes) in [("deny", false), ("whatever", false), ("once", true)] {
        std::fs::create_dir_all(sandbox.scratch("precious")).unwrap();
        let asked = client.call("terminal", &remove, json!({}));
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let question = asked["result"]["inputRequests"].as_object().unwrap().values().next();
        let question = &question.unwrap()["params"];
        assert!(question["message"].as_str().unwrap().contains("rm -rf precious"), "{asked}");
        let offered = question["requestedSchema"].to_string();
        assert!(!offered.contains("\"session\""), "a call alone has no session: {offered}");
        let done = client.call("terminal", &remove, decided(&asked, decision));
        assert_eq!(done["result"]["isError"] == true, !goes, "{decision}: {done}");
        assert_eq!(sandbox.scratch("precious").exists(), !goes, "{decision}: {done}");
        let again = client.call("terminal", &remove, decided(&asked, "once"));
        assert_eq!(again["error"]["code"], -32602, "an answer is good for one call: {again}");
    }
}

#[test]
fn nobody_to_ask_means_no() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    std::fs::create_dir(sandbox.scratch("precious")).unwrap();
    let remove = json!({"command": "rm -rf precious"});
    let mute = Stateless::new(&server, &token);
    let refused = mute.call("terminal", &remove, json!({}));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert_eq!(refused["result"]["resultType"], "complete", "{refused}");
    let asked = Stateless::with_forms(&server, &token).call("terminal", &remove, json!({}));
    // The client that answers is the one that can be asked again.
    let other = json!({"inputResponses": {}, "requestState": asked["result"]["requestState"]});
    let refused = mute.call("terminal", &remove, other);
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(sandbox.scratch("precious").exists());
}

#[test]
fn consent_cannot_be_brought_along_or_moved_to_another_command() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    for folder in ["precious", "rubbish"] {
        std::fs::create_dir(sandbox.scratch(folder)).unwrap();
    }
    let client = Stateless::with_forms(&server, &token);
    let (precious, rubbish) =
        (json!({"command": "rm -rf precious"}), json!({"command": "rm -rf rubbish"}));
    let yes = json!({"action": "accept", "content": {"decision": "once"}});
    let names = ["question_1", "question_0", "decision", "approval"];
    let volunteered: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), yes.clone())).collect();
    let asked = client.call("terminal", &precious, json!({"inputResponses": volunteered}));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let asked = client.call("terminal", &rubbish, json!({}));
    let moved = client.call("terminal", &precious, decided(&asked, "once"));
    assert_eq!(moved["error"]["code"], -32602, "{moved}");
    for state in ["", "x", "../../etc/passwd"] {
        let forged = json!({"inputResponses": volunteered, "requestState": state});
        assert_eq!(client.call("terminal", &precious, forged)["error"]["code"], -32602);
    }
    for strange in [json!(7), json!({}), json!({"action": "perhaps"}), Value::Null] {
        let answers = json!({"inputResponses": {"question_1": strange},
            "requestState": client.call("terminal", &precious, json!({}))["result"]["requestState"]});
        let asked = client.call("terminal", &precious, answers);
        assert_eq!(asked["result"]["resultType"], "input_required", "{strange}: {asked}");
    }
    assert!(sandbox.scratch("precious").exists());
    // The question that was to be moved is still open, for its own command.
    let done = client.call("terminal", &rubbish, decided(&asked, "once"));
    assert!(done["result"]["isError"] != true && !sandbox.scratch("rubbish").exists(), "{done}");
}

#[test]
fn a_question_nobody_answers_expires() {
    let sandbox = Sandbox::with_config("approvals:\n  timeout: 1\n");
    let (server, token) = listening(&sandbox);
    std::fs::create_dir(sandbox.scratch("precious")).unwrap();
    let client = Stateless::with_forms(&server, &token);
    let remove = json!({"command": "rm -rf precious"});
    let asked = client.call("terminal", &remove, json!({}));
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    let late = client.call("terminal", &remove, decided(&asked, "once"));
    assert_eq!(late["error"]["code"], -32602, "{late}");
    assert!(sandbox.scratch("precious").exists());
}

#[test]
fn a_yes_for_a_named_session_lasts_as_long_as_it() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let client = Stateless::with_forms(&server, &token);
    let remove = |name: &str, session: &str| {
        std::fs::create_dir(sandbox.scratch(name)).unwrap();
        json!({"command": format!("rm -rf {name}"), "session": session})
    };
    let first = remove("one", "new");
    let asked = client.call("terminal", &first, json!({}));
    let done = client.call("terminal", &first, decided(&asked, "session"));
    let note = done["result"]["content"][1]["text"].as_str().unwrap();
    let session = note.split(' ').nth(1).unwrap();
    let second = client.call("terminal", &remove("two", session), json!({}));
    assert_eq!(second["result"]["resultType"], "complete", "{second}");
    assert!(!sandbox.scratch("two").exists(), "{second}");
    let third = client.call("terminal", &remove("three", "new"), json!({}));
    assert_eq!(third["result"]["resultType"], "input_required", "another session asks: {third}");
}

#[test]
fn old_and_new_clients_are_served_side_by_side() {
    let sandbox = Sandbox::new();
    let (server, token) = listening(&sandbox);
    let old = Session::begin(&server, &token);
    let new = Stateless::new(&server, &token);
    let wait = |mine: &str, other: &str| {
        json!({"command":
            format!("touch {mine}; until [ -e {other} ]; do sleep 0.05; done; echo met")})
    };
    std::thread::scope(|threads| {
        // Each of the two waits for what the other does.
        let first = threads.spawn(|| old.call("terminal", &wait("a.flag", "b.flag")));
        let second = new.call("terminal", &wait("b.flag", "a.flag"), json!({}));
        assert!(second["result"]["content"][0]["text"].as_str().unwrap().contains("met"));
        assert!(first.join().unwrap().contains("met"));
    });
    old.call("terminal", &json!({"command": "cd user"}));
    assert!(!new.run("basename $PWD", None).0.contains("user"));
    assert!(old.call("terminal", &json!({"command": "basename $PWD"})).contains("user"));
}
