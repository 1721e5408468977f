//! A small client on the program's stdin and stdout, which sees every line.

#![expect(clippy::needless_pass_by_value, reason = "tests write their JSON in place")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::wire::DEADLINE;

/// What the client says to a question; without, it offers no forms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forms {
    None,
    /// Accepts, with this decision.
    Decides(&'static str),
    /// Takes questions and never answers.
    Silent,
}

pub(crate) struct Client {
    pub(super) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    forms: Forms,
    next_id: i64,
    /// Questions that came.
    pub(super) questions: Vec<Value>,
    /// Notifications that came.
    pub(super) notices: Vec<Value>,
}

impl Client {
    /// Starts the program and shakes hands.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str], forms: Forms) -> Self {
        let mut client = Self::spawn(sandbox, args, forms);
        let can = if forms == Forms::None { json!({}) } else { json!({"elicitation": {}}) };
        client.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": can,
                "clientInfo": {"name": "test", "version": "1"}}),
        );
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Starts the program and says nothing yet.
    pub(super) fn spawn(sandbox: &Sandbox, args: &[&str], forms: Forms) -> Self {
        let mut command = sandbox.command();
        command.args(["mcp", "serve"]).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, forms, next_id: 0, questions: Vec::new(), notices: Vec::new() }
    }

    pub(super) fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).unwrap();
        stdin.flush().unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request; its id.
    pub(super) fn send(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&message.to_string());
        id
    }

    /// Sends a request and waits for the whole answer.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer_to(id)
    }

    /// Waits for the answer to a request, answering questions meanwhile.
    #[track_caller]
    pub(super) fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.next();
            match (message.get("method"), message.get("id")) {
                (Some(_), Some(_)) => self.be_asked(message),
                (Some(_), None) => self.notices.push(message),
                (None, Some(answered)) if *answered == id => return message,
                // What could not be read is answered, but to no request in particular.
                (None, None | Some(Value::Null)) => self.notices.push(message),
                _ => panic!("an answer to nothing: {message}"),
            }
        }
    }

    /// The next answer to any request.
    #[track_caller]
    pub(super) fn any_answer(&mut self) -> Value {
        loop {
            let message = self.next();
            if message.get("method").is_none() {
                return message;
            }
        }
    }

    /// The next line, which must be of the protocol.
    #[track_caller]
    fn next(&mut self) -> Value {
        let line =
            self.lines.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("the server said nothing"));
        serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}"))
    }

    fn be_asked(&mut self, question: Value) {
        if let Forms::Decides(decision) = self.forms {
            let result = json!({"action": "accept", "content": {"decision": decision}});
            let id = &question["id"];
            self.write(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
        }
        self.questions.push(question);
    }

    /// Calls a tool; the text of its result, and whether it is marked as an error.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no text: {answer}")).to_owned();
        (text, answer["result"]["isError"] == true)
    }

    /// Hangs up.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
