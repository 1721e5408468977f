//! The protocol's own test server, which has one of everything, on all three transports.

use serde_json::{Value, json};

use super::rig::{Listening, Rig, listening, stdio};

const SERVER: &str = "mcp-server-everything";

async fn at(listening: &Listening, path: &str, transport: &str) -> Rig {
    let url = format!("http://127.0.0.1:{}{path}", listening.port);
    Rig::with("every", json!({"url": url, "transport": transport, "roots": true})).await
}

/// What has to work whatever lies between us and the server.
async fn works(rig: &Rig) {
    rig.until_tools(17).await;
    let said = rig.text("mcp__every__echo", json!({"message": "hello"})).await;
    assert!(said.contains("hello"), "{said}");
    let sum = rig.text("mcp__every__get_sum", json!({"a": 2, "b": 3})).await;
    assert!(sum.contains('5'), "{sum}");
    let resources = rig.call("mcp__every__list_resources", json!({})).await;
    assert!(!resources["resources"].as_array().unwrap().is_empty(), "{resources}");
    let prompts = rig.call("mcp__every__list_prompts", json!({})).await;
    assert!(!prompts["prompts"].as_array().unwrap().is_empty(), "{prompts}");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_stdio_with_everything_it_can_ask() {
    let mut entry = stdio(SERVER, &["stdio"]);
    entry["roots"] = true.into();
    let rig = Rig::with("every", entry).await;
    works(&rig).await;

    let image = rig.text("mcp__every__get_tiny_image", json!({})).await;
    let file = image.lines().find_map(|line| line.strip_prefix("MEDIA:")).expect(&image);
    assert!(std::fs::metadata(file).unwrap().len() > 100, "{image}");

    let args = json!({"prompt": "How are you?", "maxTokens": 50});
    let sampled = rig.text("mcp__every__trigger_sampling_request", args).await;
    assert!(sampled.contains("a model heard") && sampled.contains("How are you?"), "{sampled}");

    let asked = rig.text("mcp__every__trigger_elicitation_request", json!({})).await;
    assert!(asked.contains("Ada"), "{asked}");

    let links = rig.text("mcp__every__get_resource_links", json!({"count": 2})).await;
    assert!(links.contains("uri="), "{links}");

    let structured = json!({"location": "Chicago"});
    let weather = rig.call("mcp__every__get_structured_content", structured).await;
    assert!(weather.to_string().contains("temperature"), "{weather}");

    let long = json!({"duration": 1, "steps": 4});
    let done = rig.text("mcp__every__trigger_long_running_operation", long).await;
    assert!(done.contains("completed"), "{done}");
    assert_eq!(rig.status().sampling.requests, 1);
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_nobody_to_ask_it_offers_less() {
    let rig = Rig::alone("every", stdio(SERVER, &["stdio"])).await;
    rig.until_tools(13).await;
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn over_streamable_http() {
    let listening = listening(SERVER, &["streamableHttp"]).await;
    let rig = at(&listening, "/mcp", "http").await;
    works(&rig).await;
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn over_the_older_stream_of_events() {
    let listening = listening(SERVER, &["sse"]).await;
    let rig = at(&listening, "/sse", "sse").await;
    works(&rig).await;
    let uris = rig.call("mcp__every__list_resources", json!({})).await;
    let uri: Value = uris["resources"][0]["uri"].clone();
    let read = rig.text("mcp__every__read_resource", json!({"uri": uri})).await;
    assert!(!read.is_empty());
    rig.servers.stop().await;
}
