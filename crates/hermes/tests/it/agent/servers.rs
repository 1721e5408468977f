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

/// A server called `memory` was connected, and its tools were never offered.
#[test]
fn a_server_called_like_a_toolset_is_there_for_the_model_beside_the_toolset() {
    for name in
        ["memory", "file", "web", "browser", "search", "todo", "terminal", "hermes-cli", "safe"]
    {
        let tool = format!("mcp__{}__greet", name.replace('-', "_"));
        let steps = [Step::call(&tool, json!({"name": "Ada"})), Step::text("It said hello.")];
        let scene = scene(Wire::Chat, steps, &[(name, &[])]);
        scene.asks("greet her").exits(0).says("It said hello.");
        assert!(scene.results()[0].contains("Hello Ada!"), "{name}: {:?}", scene.results());
        let sent = scene.sent()[0].body.to_string();
        assert!(sent.contains("\"name\":\"todo\""), "{name}: our own tools are still there");
    }
}

#[test]
fn a_list_of_toolsets_that_names_one_does_not_choose_the_server_of_that_name() {
    let entry = json!({"command": "python3", "args": [SERVER]});
    let servers = json!({"memory": entry, "desk": entry});
    let config =
        format!("mcp_servers: {servers}\nplatform_toolsets:\n  cli: [file, memory, terminal]\n");
    let scene = Scene::with_config(Wire::Chat, [Step::text("Hello.")], &config);
    scene.asks("hello").exits(0);
    let sent = scene.sent()[0].body.to_string();
    for tool in ["mcp__memory__greet", "mcp__desk__greet", "\"memory\""] {
        assert!(sent.contains(tool), "{tool}");
    }
    // Named with its prefix it is chosen, and the others are not.
    let config = config.replace("[file, memory, terminal]", "[file, mcp-memory]");
    let scene = Scene::with_config(Wire::Chat, [Step::text("Hello.")], &config);
    scene.asks("hello").exits(0);
    let sent = scene.sent()[0].body.to_string();
    assert!(sent.contains("mcp__memory__greet") && !sent.contains("mcp__desk__greet"));
}

#[test]
fn a_server_that_hangs_is_told_of_after_two_seconds() {
    let config =
        json!({"slow": {"command": "python3", "args": [SERVER, "--wait-for", "/no/such/file"]}});
    let config = format!("mcp_servers: {config}\n");
    let scene = Scene::with_config(Wire::Chat, [Step::text("Hello.")], &config);
    let run = scene.asks("hello").exits(0).says("Hello.");
    run.notes("MCP server 'slow' has not answered yet");
    let mut child = scene
        .sandbox
        .command()
        .args(["mcp", "test", "slow"])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    let begun = std::time::Instant::now();
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    assert!(line.contains("slow") && line.contains("has not answered yet"), "{line}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    child.kill().unwrap();
    child.wait().unwrap();
}
