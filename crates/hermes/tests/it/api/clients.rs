//! The vendor's own libraries against our server: what they accept is the wire, not what we believe of it.

use std::process::Stdio;

use hermes_testkit::{Script, Step, part};
use serde_json::json;

use super::Api;
use crate::support::std_command;

/// What both scripts do, in this order: chat, stream, a failing model, a response, one that goes on from it, a stream
/// of one with a tool, and refusals.
fn script() -> Script {
    Script::from([
        Step::text("Hello from the agent."),
        Step::text("streamed piece by piece").chunk(3),
        Step::text("I keep the word plum."),
        Step::text("It was plum."),
        Step::text("I look.").and_call("todo", json!({})),
        Step::text("Nothing to do."),
        Step::status(401).error("no such key"),
    ])
    .repeat_last()
}

fn drive(program: &str, args: &[&str]) {
    let api = Api::start(script());
    let clients = part("HERMES_TEST_CLIENTS");
    let mut command = std_command(format!("{clients}/{program}"));
    command.args(args).current_dir(format!("{clients}/node")).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("HOME", api.sandbox.scratch("user"));
    command
        .env("OPENAI_BASE_URL", format!("{}/v1", api.server.url))
        .env("OPENAI_API_KEY", &api.key);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("all of it"), "{out}\n{err}");
}

#[test]
fn the_python_library_does_everything() {
    drive("python/bin/python", &["-c", include_str!("../fixtures/openai_client.py")]);
}

#[test]
fn the_node_library_does_everything() {
    drive(
        "node/node",
        &["--input-type=module", "-e", include_str!("../fixtures/openai_client.mjs")],
    );
}
