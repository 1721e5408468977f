//! Tools of MCP servers in a conversation, and by hand.

use hermes_testkit::{Script, Step};
use serde_json::json;

use super::{BOTH, Scene, Wire};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/mcp_server.py");

/// A conversation with servers, each a name and the arguments of its program.
fn scene(wire: Wire, script: impl Into<Script>, servers: &[(&str, &[&str])]) -> Scene {
    let entries: serde_json::Map<String, serde_json::Value> = servers
        .iter()
        .map(|(name, args)| {
            let args: Vec<&str> = std::iter::once(SERVER).chain(args.iter().copied()).collect();
            ((*name).to_owned(), json!({"command": "python3", "args": args}))
        })
        .collect();
    Scene::with_config(wire, script, &format!("mcp_servers: {}\n", json!(entries)))
}

#[test]
fn a_model_uses_the_tools_of_a_server() {
    for wire in BOTH {
        let steps =
            [Step::call("mcp__desk__greet", json!({"name": "Ada"})), Step::text("It said hello.")];
        let scene = scene(wire, steps, &[("desk", &[])]);
        scene.asks("greet her").exits(0).says("It said hello.");
        assert!(scene.results()[0].contains("Hello Ada!"), "{:?}", scene.results());
    }
}

#[test]
fn a_server_that_cannot_start_takes_nothing_from_the_others() {
    let steps = [Step::call("mcp__desk__greet", json!({"name": "Ada"})), Step::text("Done.")];
    let config = json!({
        "gone": {"command": "no-such-program-anywhere"},
        "desk": {"command": "python3", "args": [SERVER]},
    });
    let scene = Scene::with_config(Wire::Chat, steps, &format!("mcp_servers: {config}\n"));
    scene.asks("greet her").exits(0).says("Done.");
    assert!(scene.results()[0].contains("Hello Ada!"), "{:?}", scene.results());
}

#[test]
fn a_tool_of_a_server_is_called_by_hand_under_each_of_its_names() {
    let scene = scene(Wire::Chat, [Step::text("unused")], &[("my-desk", &[])]);
    for name in ["mcp__my_desk__greet", "mcp-my-desk:greet", "mcp_my-desk_greet"] {
        let run = scene.sandbox.run(["tools", "call", name, r#"{"name": "Bo"}"#]);
        run.exits(0).says("Hello Bo!");
    }
    scene
        .sandbox
        .run(["tools", "call", "mcp__my_desk__fly", "{}"])
        .exits(2)
        .notes("mcp__my_desk__fly");
}
