//! The protocol's own libraries as editors.

use std::process::Stdio;

use hermes_testkit::{Step, part};
use serde_json::{Value, json};

use super::sandbox;
use crate::support::std_command;

fn drive(program: &str, args: &[&str]) {
    let file = json!({"path": "made.txt", "content": "by the agent\n"});
    let (sandbox, _model) =
        sandbox([Step::call("write_file", file), Step::text("It is written.")], "");
    let clients = part("HERMES_TEST_CLIENTS");
    let mut command = std_command(format!("{clients}/{program}"));
    command.args(args).current_dir(format!("{clients}/node")).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("HOME", sandbox.scratch("user"));
    command.env("HERMES_HOME", sandbox.home()).env("HERMES", env!("CARGO_BIN_EXE_hermes"));
    command.env("WORKSPACE", sandbox.scratch(""));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("all of it"), "{out}\n{err}");
    assert_eq!(std::fs::read_to_string(sandbox.scratch("made.txt")).unwrap(), "by the agent\n");
}

#[test]
fn the_python_library_drives_it() {
    drive("python/bin/python", &["-c", include_str!("../fixtures/acp_client.py")]);
}

#[test]
fn the_node_library_drives_it() {
    drive("node/node", &["--input-type=module", "-e", include_str!("../fixtures/acp_client.mjs")]);
}

/// `acpx`, the protocol's client for command lines, once with a yes to everything and once with a no.
#[test]
fn the_client_for_command_lines_drives_it() {
    for (flag, decision) in [("--approve-all", "allow_once"), ("--deny-all", "deny")] {
        let file = json!({"path": "made.txt", "content": "by the agent\n"});
        let (sandbox, _model) =
            sandbox([Step::call("write_file", file), Step::text("That is that.")], "");
        let clients = part("HERMES_TEST_CLIENTS");
        let agent = format!("{} acp", env!("CARGO_BIN_EXE_hermes"));
        let mut command = std_command(format!("{clients}/node/node"));
        command.arg(format!("{clients}/node/node_modules/acpx/dist/cli.js"));
        command.args(["--agent", &agent, "--format", "json", "--no-fs", "--no-terminal", flag]);
        command.arg("--cwd").arg(sandbox.scratch("")).args(["exec", "write it"]).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("HOME", sandbox.scratch("user"));
        command.env("HERMES_HOME", sandbox.home());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        let messages: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(messages.iter().any(|one| one["result"]["stopReason"] == "end_turn"), "{output:?}");
        assert!(
            messages.iter().any(|one| one["result"]["outcome"]["optionId"] == decision),
            "{flag}: {out}"
        );
        let made = std::fs::read_to_string(sandbox.scratch("made.txt")).ok();
        assert_eq!(made.as_deref(), (decision == "allow_once").then_some("by the agent\n"));
    }
}
