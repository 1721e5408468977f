//! How long a connection lasts, and how its life is felt.

use hermes_mcp::client::status::ServerState;
use serde_json::{Value, json};

use crate::host::{Host, fixture, is_alive};

/// A fixture whose messages are written down, with a pulse as quick as it may be.
fn felt(folder: &tempfile::TempDir, option: &str) -> Value {
    let log = format!("log={}", folder.path().join("log").display());
    let mut entry = fixture(&[&log, option]);
    // The least there is.
    entry["keepalive_interval"] = json!(5);
    entry
}

/// How often a method was asked for.
fn asked(folder: &tempfile::TempDir, method: &str) -> usize {
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    let messages = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.filter(|message| message["method"] == method).count()
}

#[tokio::test]
async fn a_server_that_knows_no_ping_is_asked_for_its_tools_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::started(&json!({"s": felt(&folder, "ping=unknown")})).await;
    let listed = asked(&folder, "tools/list");
    host.until("a second pulse", |_| asked(&folder, "tools/list") >= listed + 2).await;
    assert_eq!(asked(&folder, "ping"), 1, "it was told once");
    assert_eq!(asked(&folder, "initialize"), 1, "the connection is the same");
    assert_eq!(host.status("s").state, ServerState::Connected);
    assert_eq!(host.text("mcp__s__echo", json!({"text": "hi"})).await, "hi");
}

#[tokio::test]
async fn a_server_that_is_not_well_is_connected_anew() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::started(&json!({"s": felt(&folder, "ping=fail")})).await;
    let first: u32 = host.text("mcp__s__where", json!({})).await.parse().unwrap();
    host.until("a new connection", |_| asked(&folder, "initialize") >= 2).await;
    let second: u32 = host.text("mcp__s__where", json!({})).await.parse().unwrap();
    assert_ne!(first, second);
    host.until("its end", |_| !is_alive(first)).await;
}

#[tokio::test]
async fn an_old_program_makes_room_for_a_new_one_but_not_during_a_call() {
    let mut entry = fixture(&[]);
    entry["lifecycle"] = json!({"max_lifetime_seconds": 1});
    let host = Host::started(&json!({"s": entry})).await;
    let first: u32 = host.text("mcp__s__where", json!({})).await.parse().unwrap();
    assert_eq!(host.text("mcp__s__sleep", json!({"seconds": 1.5})).await, "slept");
    host.until("its end", |_| !is_alive(first)).await;
    let second: u32 = host.text("mcp__s__where", json!({})).await.parse().unwrap();
    assert_ne!(first, second);
}
