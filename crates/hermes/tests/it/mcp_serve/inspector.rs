//! The protocol's own Inspector, which shares no code with us, as a client.

use serde_json::Value;

use crate::support::{Sandbox, write};
use crate::wire::{DEADLINE, Served, mcp_programs};

/// Runs the Inspector in the sandbox; what it printed.
fn inspect(sandbox: &Sandbox, target: &[&str], method: &[&str]) -> Value {
    let programs = mcp_programs();
    let mut command = assert_cmd::Command::new(programs.join("mcp-inspector"));
    command.env_clear().env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    command.env("HOME", sandbox.scratch("user")).env("HERMES_HOME", sandbox.home());
    command.current_dir(sandbox.scratch("")).timeout(DEADLINE);
    let output = command.arg("--cli").args(target).args(method).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&shown)
        .unwrap_or_else(|why| panic!("{why}: {shown}\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn check(sandbox: &Sandbox, target: &[&str]) {
    write(&sandbox.scratch("notes.txt"), b"words for the inspector\n");
    let listed = inspect(sandbox, target, &["--method", "tools/list"]);
    let tools = listed["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "search_files"), "{listed}");
    let call = |tool: &str, argument: &str| {
        let method = ["--method", "tools/call", "--tool-name", tool, "--tool-arg", argument];
        let result = inspect(sandbox, target, &method);
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"] == true)
    };
    let (text, failed) = call("read_file", "path=notes.txt");
    assert!(!failed && text.contains("words for the inspector"), "{text}");
    let (text, failed) = call("terminal", "command=echo from a terminal");
    assert!(!failed && text.contains("from a terminal"), "{text}");
    let (text, failed) = call("terminal", "command=rm -rf user");
    assert!(failed && text.contains("BLOCKED"), "{text}");
    assert!(sandbox.scratch("user").exists());
}

#[test]
fn drives_the_server_on_stdio() {
    let sandbox = Sandbox::new();
    check(&sandbox, &[env!("CARGO_BIN_EXE_hermes"), "mcp", "serve"]);
}

#[test]
fn drives_the_server_over_http() {
    let sandbox = Sandbox::new();
    let server = Served::start(&sandbox, &["mcp", "serve", "--http", "127.0.0.1:0"]);
    let header = format!("Authorization: Bearer {}", sandbox.read("mcp.token").trim());
    check(&sandbox, &[&server.url, "--transport", "http", "--header", &header]);
}
