//! What a program that calls our tools cannot do through processes that run on.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::wire::{Request, Served};

/// The server with these settings.
struct Scene {
    sandbox: Sandbox,
    server: Served,
    token: String,
}

impl Scene {
    fn with(config: &str) -> Self {
        let sandbox = Sandbox::with_config(config);
        let server = Served::start(&sandbox, &["serve", "--listen", "127.0.0.1:0"]);
        let token = sandbox.read("serve.token").trim().to_owned();
        Self { sandbox, server, token }
    }

    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let (path, body) = (format!("/v1/tools/{tool}/call?session=s"), arguments.to_string());
        let request = Request::post(&path, body.as_bytes()).token(&self.token);
        self.server.send(&request).json()["result"].clone()
    }

    fn start(&self, command: &str, pty: bool) -> String {
        let started =
            self.call("terminal", &json!({"command": command, "background": true, "pty": pty}));
        let id = started["session_id"].as_str();
        id.unwrap_or_else(|| panic!("{command}: {started}")).to_owned()
    }

    fn write(&self, id: &str, data: &str) -> Value {
        self.call("process", &json!({"action": "write", "session_id": id, "data": data}))
    }

    /// Waits until its output says something.
    fn until(&self, id: &str, words: &str) {
        let begun = Instant::now();
        loop {
            let log = self.call("process", &json!({"action": "log", "session_id": id}));
            if log["output"].as_str().is_some_and(|output| output.contains(words)) {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(40), "never said {words}: {log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A folder that should stay.
    fn precious(&self) -> std::path::PathBuf {
        let folder = self.sandbox.scratch("precious");
        std::fs::create_dir_all(folder.join("inside")).unwrap();
        folder
    }
}

fn is_blocked(answer: &Value) -> bool {
    answer["status"] == "blocked"
}

#[test]
fn what_is_written_to_a_shell_or_interpreter_passes_the_gate() {
    let scene = Scene::with("approvals:\n  mode: manual\n  deny: ['git push*']\n");
    let folder = scene.precious();
    for (command, pty, line, hello) in [
        ("bash", false, "rm -rf precious\n", "echo ready\n"),
        ("bash --norc", true, "rm -rf precious\n", "echo ready\n"),
        ("env X=1 sh", false, "rm -rf precious\n", "echo ready\n"),
        ("python3 -i -u", false, "import os; os.system('rm -rf precious')\n", "print('ready')\n"),
        ("python3 -i -u", true, "import shutil; shutil.rmtree('precious')\n", "print('ready')\n"),
    ] {
        let id = scene.start(command, pty);
        assert_eq!(scene.write(&id, hello)["status"], "ok", "{command}");
        scene.until(&id, "ready");
        let answer = scene.write(&id, line);
        assert!(is_blocked(&answer), "{command}: {answer}");
        assert!(is_blocked(&scene.write(&id, "rm -rf /\n")), "{command}: the floor");
        scene.call("process", &json!({"action": "kill", "session_id": id}));
        assert!(folder.join("inside").exists(), "{command}");
    }
    let log = scene.sandbox.read("logs/approvals.jsonl");
    let written = |words: &str| {
        log.lines().any(|line| line.contains("\"purpose\":\"input\"") && line.contains(words))
    };
    assert!(written("echo ready") && written("rm -rf precious"), "{log}");
}

#[test]
fn a_line_that_is_written_in_pieces_is_judged_as_one() {
    let scene = Scene::with("approvals:\n  mode: manual\n");
    let folder = scene.precious();
    let id = scene.start("bash", false);
    assert_eq!(scene.write(&id, "r")["status"], "ok");
    assert!(is_blocked(&scene.write(&id, "m -rf precious\n")));
    // The letter is still there; nothing else was typed.
    assert_eq!(scene.write(&id, "\n")["status"], "ok");
    for (first, second) in
        [("X='rm -rf precious'\n", "$X\n"), ("alias z='rm -r'\n", "z precious\n")]
    {
        scene.write(&id, first);
        assert!(is_blocked(&scene.write(&id, second)), "{first}{second}");
    }
    // Said by a shell that another program started, which the command did not name.
    let id = scene.start("sleep 0.1; exec env sh", false);
    scene.write(&id, "echo ready\n");
    scene.until(&id, "ready");
    assert!(is_blocked(&scene.write(&id, "rm -rf precious\n")));
    assert!(folder.join("inside").exists());
}

#[test]
fn deny_rules_and_floor_hold_for_every_write() {
    // No question is asked at all, and the program is no shell.
    let scene = Scene::with("approvals:\n  mode: 'off'\n  deny: ['git push*']\n");
    let id = scene.start("cat", false);
    assert_eq!(scene.write(&id, "rm -rf precious\n")["status"], "ok");
    assert!(is_blocked(&scene.write(&id, "git push --all\n")));
    assert!(is_blocked(&scene.write(&id, "rm -rf /\n")));
    let log = scene.sandbox.read("logs/approvals.jsonl");
    assert_eq!(log.matches("\"purpose\":\"input\"").count(), 3, "{log}");
}

#[test]
fn at_most_so_many_background_processes_live_and_the_refusal_lists_them() {
    let scene = Scene::with("terminal:\n  max_background: 3\n");
    let ids: Vec<String> = (0..3).map(|n| scene.start(&format!("sleep 30{n}"), false)).collect();
    let refused = scene.call("terminal", &json!({"command": "sleep 1", "background": true}));
    let error = refused["error"].as_str().unwrap_or_default();
    assert!(error.contains("terminal.max_background"), "{refused}");
    let listed = refused["running"].to_string();
    assert!(ids.iter().all(|id| listed.contains(id.as_str())), "{refused}");
    // Another program on the same home finds no room either.
    let other = Served::start(&scene.sandbox, &["serve", "--listen", "127.0.0.1:0"]);
    let body = json!({"command": "sleep 1", "background": true}).to_string();
    let request = Request::post("/v1/tools/terminal/call", body.as_bytes()).token(&scene.token);
    let answer = other.send(&request).json().to_string();
    assert!(answer.contains("terminal.max_background"), "{answer}");
    scene.call("process", &json!({"action": "kill", "session_id": ids[0]}));
    let again = scene.call("terminal", &json!({"command": "sleep 1", "background": true}));
    assert!(again["session_id"].is_string(), "{again}");
}
