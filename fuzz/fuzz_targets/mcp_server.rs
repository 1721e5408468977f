//! What a client says to our MCP server: no panic, answers that are messages, and an end with the client.
#![no_main]

use hermes_mcp::server::Server;
use hermes_runtime::Runtime;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex, split};

fuzz_target!(|bytes: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(async {
        let server = Server::builder(Runtime::builder().build(), "x", "1").build();
        let (mut there, here) = duplex(1 << 20);
        let (read, write) = split(here);
        let serving =
            tokio::spawn(async move { server.serve(read, write, Default::default()).await });
        there.write_all(bytes).await.unwrap();
        there.shutdown().await.unwrap();
        let mut answer = Vec::new();
        there.read_to_end(&mut answer).await.unwrap();
        let _ = serving.await.unwrap();
        answer
    });
    for line in answer.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
    }
});
