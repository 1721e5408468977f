//! Servers people use every day.

use hermes_mcp::client::status::ServerState;
use hermes_process::Command;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::rig::{Rig, stdio};

#[tokio::test(flavor = "multi_thread")]
async fn filesystem() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    let rig = Rig::with("files", stdio("mcp-server-filesystem", &[root])).await;
    assert_eq!(rig.tools().len(), 14, "{:?}", rig.tools());
    let path = format!("{root}/note.txt");
    rig.text("mcp__files__write_file", json!({"path": path, "content": "hello\n"})).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "hello\n");
    let read = rig.call("mcp__files__read_text_file", json!({"path": path})).await;
    assert!(read.to_string().contains("hello"), "{read}");
    let refused = rig.call("mcp__files__read_text_file", json!({"path": "/etc/hostname"})).await;
    assert!(refused["error"].as_str().unwrap().contains("denied"), "{refused}");
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_keeps_what_it_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.json");
    let mut entry = stdio("mcp-server-memory", &[]);
    entry["env"] = json!({"MEMORY_FILE_PATH": file});
    let rig = Rig::with("memory", entry).await;
    assert_eq!(rig.tools().len(), 9, "{:?}", rig.tools());
    let ada = json!({"name": "Ada", "entityType": "person", "observations": ["likes engines"]});
    rig.call("mcp__memory__create_entities", json!({"entities": [ada]})).await;
    let graph = rig.call("mcp__memory__read_graph", json!({})).await;
    assert!(graph.to_string().contains("likes engines"), "{graph}");
    assert!(std::fs::read_to_string(file).unwrap().contains("Ada"));
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn git() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().to_str().unwrap();
    let made = Command::new("git").args(["init", "--quiet", repository]).env_inherit(["PATH"]);
    assert!(made.run().await.unwrap().success());
    std::fs::File::create(folder.path().join("new.txt")).unwrap();
    let rig = Rig::with("git", stdio("mcp-server-git", &["--repository", repository])).await;
    assert_eq!(rig.tools().len(), 12, "{:?}", rig.tools());
    let status = rig.text("mcp__git__git_status", json!({"repo_path": repository})).await;
    assert!(status.contains("new.txt"), "{status}");
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn time() {
    let rig = Rig::with("time", stdio("mcp-server-time", &["--local-timezone", "UTC"])).await;
    assert_eq!(rig.tools().len(), 2, "{:?}", rig.tools());
    let args = json!({"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    let converted = rig.text("mcp__time__convert_time", args).await;
    assert!(converted.contains("21:00"), "{converted}");
    let wrong = rig.call("mcp__time__get_current_time", json!({"timezone": "Mars/Base"})).await;
    assert!(wrong["error"].is_string(), "{wrong}");
    assert_eq!(rig.status().state, ServerState::Connected, "an error of a tool is no trouble");
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fetch() {
    let page = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/page", page.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = page.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let body = "<html><body><article><h1>Title</h1><p>A page to fetch.</p></article></body></html>";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
            let answer = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    let args = ["--ignore-robots-txt", "--allow-private-ips"];
    let rig = Rig::with("fetch", stdio("mcp-server-fetch", &args)).await;
    assert_eq!(rig.tools().len(), 1, "{:?}", rig.tools());
    let text = rig.text("mcp__fetch__fetch", json!({"url": url, "raw": true})).await;
    assert!(text.contains("A page to fetch."), "{text}");
    rig.servers.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("facts.db");
    let args = ["--db-path", file.to_str().unwrap()];
    let rig = Rig::with("sqlite", stdio("mcp-server-sqlite", &args)).await;
    assert_eq!(rig.tools().len(), 6, "{:?}", rig.tools());
    let run = |tool: &'static str, query: &'static str| {
        let name = format!("mcp__sqlite__{tool}");
        let rig = &rig;
        async move { rig.text(&name, json!({"query": query})).await }
    };
    run("create_table", "CREATE TABLE facts (id INTEGER, word TEXT)").await;
    run("write_query", "INSERT INTO facts VALUES (1, 'engine')").await;
    let rows = run("read_query", "SELECT word FROM facts").await;
    assert!(rows.contains("engine"), "{rows}");
    rig.servers.stop().await;
}
