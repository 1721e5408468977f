//! What a call over stdio costs, beside a client that does nothing but write and read a pipe.
//!
//! ```console
//! $ cargo run --release -p hermes-mcp --example call_cost
//! ```
#![allow(clippy::expect_used, clippy::print_stdout, reason = "a measurement")]

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_mcp::client::{Servers, ServersParts};
use hermes_process::{Child, Command, Stdin};
use hermes_runtime::bridge::{block_on, shared_runtime};
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::{Value, json};

const CALLS: usize = 2000;
const ROUNDS: usize = 5;

fn main() {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/servers/echo.py")
        .display()
        .to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let config = json!({"mcp_servers": {"bench": {"command": "python3", "args": [script]}}});
    let registry = Arc::new(Registry::new());
    let home = Home::at(folder.path());
    let parts = ServersParts::new(home, Vars::from_process(), &config, Arc::clone(&registry));
    let servers = Servers::new(parts);
    let begun = Instant::now();
    servers.start();
    let waiting = servers.clone();
    block_on(async move { waiting.wait_ready(Duration::from_secs(20)).await });
    let connected = begun.elapsed();
    let mut raw = Raw::start(&script);
    println!("connect and list: ours {connected:.1?}, raw {:.1?}", raw.connected);

    let runtime = Runtime::builder().registry(registry).build();
    let ours = || {
        let call = ToolCall::new("mcp__bench__echo", json!({"text": "hello"}));
        let outcome = runtime.call_blocking(call);
        assert!(outcome.text().contains("hello"), "{}", outcome.text());
    };
    // In turns, so that both see the same machine.
    let (mut raw_times, mut our_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        measure(&mut raw_times, || raw.echo());
        measure(&mut our_times, ours);
    }
    let (raw_p50, our_p50) = (median(&mut raw_times), median(&mut our_times));
    let ratio = our_p50.as_secs_f64() / raw_p50.as_secs_f64();
    println!("echo p50: raw {raw_p50:.1?}, ours {our_p50:.1?}, ratio {ratio:.2}");

    let begun = Instant::now();
    let call = ToolCall::new("mcp__bench__big", json!({"bytes": 10 * 1024 * 1024}));
    let size = runtime.call_blocking(call).text().len();
    println!("10 MB result: {:.1?} (as {size} characters for the model)", begun.elapsed());
    let begun = Instant::now();
    raw.big();
    println!("10 MB result, raw: {:.1?}", begun.elapsed());
    block_on(async move { servers.stop().await });
}

fn measure(times: &mut Vec<Duration>, mut call: impl FnMut()) {
    for _ in 0..CALLS / ROUNDS {
        let begun = Instant::now();
        call();
        times.push(begun.elapsed());
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Writes a line, reads a line, blocking.
struct Raw {
    _child: Child,
    writer: File,
    reader: BufReader<File>,
    connected: Duration,
    id: u64,
}

impl Raw {
    fn start(script: &str) -> Self {
        let begun = Instant::now();
        let _inside = shared_runtime().enter();
        let command = Command::new("python3").arg(script).stdin(Stdin::Piped);
        let mut child = command.env_inherit(["PATH"]).spawn().expect("python3 runs");
        let writer = child.take_stdin().expect("a pipe").into_blocking_fd().expect("blocking");
        let reader = child.take_stdout().expect("a pipe").into_blocking_fd().expect("blocking");
        let (writer, reader) = (File::from(writer), BufReader::new(File::from(reader)));
        let mut raw = Self { _child: child, writer, reader, connected: Duration::ZERO, id: 0 };
        raw.ask("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}}));
        raw.ask("tools/list", &json!({}));
        raw.connected = begun.elapsed();
        raw
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        self.writer.write_all(format!("{message}\n").as_bytes()).expect("written");
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("read");
        serde_json::from_str(&line).expect("JSON")
    }

    fn echo(&mut self) {
        let params = json!({"name": "echo", "arguments": {"text": "hello"}});
        let answer = self.ask("tools/call", &params);
        assert_eq!(answer["result"]["content"][0]["text"], "hello");
    }

    fn big(&mut self) {
        let params = json!({"name": "big", "arguments": {"bytes": 10 * 1024 * 1024}});
        self.ask("tools/call", &params);
    }
}
