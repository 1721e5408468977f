//! Another program's view of the same pages: everything that can be used there has a reference here.

use std::time::Duration;

use hermes_process::{Child, Command, InputPipe, OutputMode, OutputPipe, Stdin};
use hermes_testkit::part;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};

use crate::scene::Scene;

/// Roles that the other program gives references to and that a person uses.
const USED: [&str; 13] = [
    "button",
    "link",
    "textbox",
    "checkbox",
    "radio",
    "combobox",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "menuitem",
    "option",
];

/// Playwright's MCP server, spoken to by hand.
struct Witness {
    input: InputPipe,
    output: Lines<BufReader<OutputPipe>>,
    next: u64,
    _child: Child,
    _folder: tempfile::TempDir,
}

impl Witness {
    async fn start() -> Self {
        // It writes files where it is started.
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(part("HERMES_TEST_PLAYWRIGHT_MCP"))
            .args(["--headless", "--isolated", "--no-sandbox", "--executable-path"])
            .arg(part("HERMES_TEST_CHROMIUM"))
            .env_inherit(["PATH", "HOME"])
            .cwd(folder.path())
            .stdin(Stdin::Piped)
            .output(OutputMode::Separate)
            .spawn()
            .unwrap();
        let input = child.take_stdin().unwrap();
        let output = BufReader::new(child.take_stdout().unwrap()).lines();
        let mut witness = Self { input, output, next: 0, _child: child, _folder: folder };
        let us = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        witness.ask("initialize", us).await;
        witness.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        witness
    }

    async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let line = tokio::time::timeout(Duration::from_secs(60), self.output.next_line());
            let line = line.await.unwrap().unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    }

    /// What it sees on a page: role and name of everything that can be used.
    async fn sees(&mut self, url: &str) -> Vec<(String, String)> {
        let open = json!({"name": "browser_navigate", "arguments": {"url": url}});
        self.ask("tools/call", open).await;
        let look = json!({"name": "browser_snapshot", "arguments": {}});
        let answer = self.ask("tools/call", look).await;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        text.lines().filter_map(used).collect()
    }
}

/// Role and name of a line such as `- button "Save" [ref=e2]`, if it is something that can be used.
fn used(line: &str) -> Option<(String, String)> {
    let line = line.trim_start().strip_prefix("- ")?.trim_start_matches('\'');
    let role = line.split([' ', ':', '"']).next()?;
    if !USED.contains(&role) {
        return None;
    }
    let name = line.split('"').nth(1).unwrap_or_default();
    Some((role.to_owned(), name.to_owned()))
}

#[tokio::test]
async fn everything_another_program_can_use_has_a_reference_here() {
    let scene = Scene::new().await;
    let mut witness = Witness::start().await;
    for page in [
        "login.html",
        "elements.html",
        "frames.html",
        "dialogs.html",
        "upload.html",
        "links.html",
        "shop",
        "small.html",
    ] {
        let theirs = witness.sees(&scene.url(page)).await;
        assert!(!theirs.is_empty(), "the witness sees nothing on {page}");
        scene.open(page).await;
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        let missing = loop {
            let ours: Vec<(String, String)> = scene
                .full()
                .await
                .lines()
                .filter(|line| line.contains("ref="))
                .filter_map(used)
                .collect();
            let missing: Vec<_> = theirs
                .iter()
                .filter(|(role, name)| {
                    // What a date or a file field is called differs; what it is named does not.
                    !ours.iter().any(|(our_role, our_name)| {
                        our_name == name
                            && (our_role == role || role == "textbox" || role == "button")
                            || our_role == role && our_name.starts_with(name.as_str())
                    })
                })
                .collect();
            // A frame in another process may take a moment longer.
            if missing.is_empty() || std::time::Instant::now() > deadline {
                break format!("{missing:?}");
            }
        };
        assert_eq!(missing, "[]", "{page}");
    }
}
