//! Real servers behind the program.

use hermes_testkit::Step;
use serde_json::json;

use super::program;
use crate::agent::{Scene, Wire};
use crate::support::{Sandbox, write};

/// A sandbox with one server, which is an installed program.
fn with(name: &str, server: &str, args: &[&str]) -> Sandbox {
    Sandbox::with_config(&entry(name, server, args))
}

fn entry(name: &str, server: &str, args: &[&str]) -> String {
    let entry = json!({"command": program(server), "args": args});
    format!("mcp_servers: {}\n", json!({name: entry}))
}

#[test]
fn a_server_is_tried_and_its_tools_are_called_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    write(&folder.path().join("note.txt"), b"hello from a file\n");
    let sandbox = with("files", "mcp-server-filesystem", &[root]);
    sandbox.run(["mcp", "test", "files"]).exits(0).says("14 tools in ").says("read_text_file");
    let report = sandbox.run(["mcp", "test", "files", "--json"]).exits(0).json();
    assert_eq!(report["tools"].as_array().unwrap().len(), 14, "{report}");
    let list = sandbox.run(["mcp", "list", "--check", "--json"]).exits(0).json();
    assert_eq!((&list[0]["state"], &list[0]["tools"]), (&json!("connected"), &json!(14)));

    let path = format!("path={root}/note.txt");
    let call = |name: &str| sandbox.run(["tools", "call", name, "--arg", &path]);
    call("mcp__files__read_text_file").exits(0).says("hello from a file");
    // The older ways to write the name are understood too.
    call("mcp-files:read_text_file").exits(0).says("hello from a file");
    let outside = ["tools", "call", "mcp__files__read_text_file", "--arg", "path=/etc/hostname"];
    sandbox.run(outside).exits(1).says("denied");
}

#[test]
fn a_server_that_cannot_be_started_says_why() {
    let sandbox = Sandbox::with_config("mcp_servers:\n  gone:\n    command: /no/such/server\n");
    sandbox.run(["mcp", "test", "gone"]).exits(1).notes("'gone'");
    sandbox.run(["mcp", "list", "--check"]).exits(1).says("failed").notes("/no/such/server");
    sandbox.run(["tools", "call", "mcp__gone__x"]).exits(2).notes("/no/such/server");

    // Nobody listens at that port; it is tried again later, but this check it has failed.
    let sandbox = Sandbox::with_config("mcp_servers:\n  far:\n    url: http://127.0.0.1:9/mcp\n");
    sandbox.run(["mcp", "list", "--check"]).exits(1).says("failed").notes("'far'");
}

#[test]
fn a_form_is_filled_in_at_the_terminal() {
    let sandbox = with("every", "mcp-server-everything", &["stdio"]);
    // The name, then what the form offers for the rest, then yes.
    let typed = format!("Ada\n{}y\n", "\n".repeat(20));
    let call = ["tools", "call", "mcp__every__trigger_elicitation_request"];
    let run = sandbox.run_at_terminal(&call, &typed).exits(0);
    assert!(run.err.contains("every asks:") && run.err.contains("Send this to every?"), "{run:#?}");
    assert!(run.out.contains("Ada"), "{run:#?}");
    // Nobody there: nothing is sent.
    let run = sandbox.run(call).exits(0);
    assert!(!run.out.contains("provided the requested information"), "{run:#?}");
}

#[test]
fn a_server_that_asks_for_a_model_gets_an_answer() {
    let config = entry("every", "mcp-server-everything", &["stdio"]);
    let scene = Scene::with_config(Wire::Chat, [Step::text("I am well.")], &config);
    let call = ["tools", "call", "mcp__every__trigger_sampling_request"];
    let args = [r#"{"prompt": "How are you?", "maxTokens": 40}"#];
    scene.sandbox.run(call.iter().chain(&args)).exits(0).says("I am well.");
    let asked = &scene.server.questions()[0];
    assert!(asked.body.to_string().contains("How are you?"), "{}", asked.body);
}

#[test]
fn a_model_uses_the_tools_of_a_server_in_conversation() {
    let config = entry("time", "mcp-server-time", &["--local-timezone", "UTC"])
        + "mcp_discovery_timeout: 50\n";
    let args = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    let steps = [Step::call("mcp__time__convert_time", args), Step::text("It is nine.")];
    let scene = Scene::with_config(Wire::Chat, steps, &config);
    scene.asks("What time is it in Tokyo at noon?").exits(0).says("It is nine.");
    assert!(scene.results()[0].contains("21:00"), "{:?}", scene.results());
}
