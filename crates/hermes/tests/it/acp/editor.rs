//! An editor that speaks the protocol line by line, and whatever it is asked, answers as the test says.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Sandbox;

/// Nothing here takes this long.
const DEADLINE: Duration = Duration::from_secs(60);

/// The program with an editor before it.
pub(crate) struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// Answers that came before somebody waited for them.
    answers: std::collections::HashMap<u64, Value>,
    /// Every message of the agent that was no answer, in order.
    pub(crate) heard: Vec<Value>,
    /// The option that is chosen for a permission; none: the dialog stays open.
    pub(crate) chooses: Option<&'static str>,
    /// What stands in the editor's window, by path.
    pub(crate) windows: std::collections::HashMap<String, String>,
}

impl Editor {
    /// Starts the program and says hello.
    pub(crate) fn start(sandbox: &Sandbox, capabilities: Value) -> Self {
        let mut command = sandbox.command();
        command.arg("acp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let log = std::fs::File::create(sandbox.scratch("acp.log")).unwrap();
        let mut child = command.stderr(log).spawn().unwrap();
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
        let mut editor = Self {
            child,
            stdin,
            lines,
            next: 0,
            answers: std::collections::HashMap::new(),
            heard: Vec::new(),
            chooses: Some("allow_once"),
            windows: std::collections::HashMap::new(),
        };
        let mut hello = json!({"protocolVersion": 1});
        hello["clientCapabilities"] = capabilities;
        let answer = editor.ask("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], 1, "{answer}");
        assert_eq!(answer["result"]["agentInfo"]["name"], "hermes-agent");
        editor
    }

    pub(crate) fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request; its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        message["params"] = params;
        self.write(&message.to_string());
        id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        message["params"] = params;
        self.write(&message.to_string());
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer_to(id)
    }

    /// The answer to a request. What comes before it is heard, and answered.
    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            let message = self.message(end);
            self.hear(message);
        }
    }

    /// Listens until a message fits.
    pub(crate) fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(found) = self.heard.iter().find(|message| fits(message)) {
            return found.clone();
        }
        let end = Instant::now() + DEADLINE;
        loop {
            let message = self.message(end);
            self.hear(message.clone());
            if fits(&message) {
                return message;
            }
        }
    }

    fn message(&self, end: Instant) -> Value {
        let left = end.saturating_duration_since(Instant::now());
        let line =
            self.lines.recv_timeout(left).unwrap_or_else(|why| panic!("{why}: {:#?}", self.heard));
        // Stdout is the protocol's alone.
        serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line:?}"))
    }

    fn hear(&mut self, message: Value) {
        if let (None, Some(id)) = (message.get("method"), message["id"].as_u64()) {
            self.answers.insert(id, message);
            return;
        }
        let id = message["id"].clone();
        let params = &message["params"];
        let path = params["path"].as_str().unwrap_or_default();
        let result = match message["method"].as_str() {
            Some("session/request_permission") => self
                .chooses
                .map(|option| json!({"outcome": {"outcome": "selected", "optionId": option}})),
            Some("fs/read_text_file") => {
                let typed = self.windows.get(path).cloned();
                Some(
                    json!({"content": typed.unwrap_or_else(|| std::fs::read_to_string(path).unwrap_or_default())}),
                )
            }
            Some("fs/write_text_file") => {
                let text = params["content"].as_str().unwrap();
                crate::support::write(std::path::Path::new(path), text.as_bytes());
                Some(json!({}))
            }
            Some("elicitation/create") => {
                Some(json!({"action": "accept", "content": {"answer": "green"}}))
            }
            _ => None,
        };
        if let Some(result) = result {
            self.write(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
        }
        self.heard.push(message);
    }

    /// A session in this folder.
    pub(crate) fn session(&mut self, cwd: &std::path::Path) -> String {
        let answer = self.ask("session/new", json!({"cwd": cwd, "mcpServers": []}));
        let id = answer["result"]["sessionId"].as_str();
        id.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> Value {
        self.ask("session/prompt", said(session, text))
    }

    /// The updates of one kind.
    pub(crate) fn updates(&self, kind: &str) -> Vec<Value> {
        let all = self.heard.iter().map(|message| &message["params"]["update"]);
        all.filter(|update| update["sessionUpdate"] == kind).cloned().collect()
    }

    /// What the agent said.
    pub(crate) fn text(&self) -> String {
        let chunks = self.updates("agent_message_chunk");
        chunks.iter().filter_map(|chunk| chunk["content"]["text"].as_str()).collect()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Leaves, as an editor does; the exit code.
    pub(crate) fn leave(mut self) -> Option<i32> {
        drop(self.stdin.take());
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < end, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn said(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}
