//! The examples of the documentation work, and are what the documentation shows.

use assert_cmd::Command;
use hermes_testkit::{ModelServer, Step, TempHome};
use serde_json::json;

const PAGE: &str = include_str!("../../../docs/embedding.md");
const AGENT: &str = include_str!("../src/bin/agent.rs");
const TOOLS: &str = include_str!("../src/bin/tools.rs");

/// Runs one of the programs in a folder with notes; what it prints.
fn run(program: &str, home: &TempHome, args: &[&str]) -> String {
    home.write("work/notes.txt", "Buy milk.\n").unwrap();
    let output = Command::new(program)
        .args(args)
        .env("HERMES_HOME", home.path())
        .current_dir(home.path().join("work"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_agent_answers_with_what_a_tool_read() {
    let server = ModelServer::start([
        Step::call("read_file", json!({"path": "notes.txt"})),
        Step::text("You want milk."),
    ]);
    let home = TempHome::with_model(&server.url()).unwrap();
    let said = run(env!("CARGO_BIN_EXE_agent"), &home, &["What do my notes say?"]);
    assert_eq!(said, "You want milk.\n");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(format!("{:?}", requests[1]).contains("Buy milk."), "{requests:?}");
    assert!(home.path().join("state.db").exists(), "the session is kept");
}

#[test]
fn a_tool_is_called_without_an_agent() {
    let home = TempHome::new().unwrap();
    let said = run(env!("CARGO_BIN_EXE_tools"), &home, &["read_file", r#"{"path": "notes.txt"}"#]);
    assert!(said.contains("Buy milk."), "{said}");
}

#[test]
fn the_page_shows_these_programs() {
    for program in [AGENT, TOOLS] {
        assert!(
            PAGE.contains(&format!("```rust\n{program}```\n")),
            "docs/embedding.md:\n{program}"
        );
    }
    assert!(AGENT.lines().count() <= 30, "an agent takes no more");
}
