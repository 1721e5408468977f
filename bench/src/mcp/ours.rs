//! Our client, as a host has it: a server from the configuration, its tools in the registry, each call
//! through the whole pipeline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use hermes_mcp::client::{Servers, ServersParts};
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::{Value, json};
use tempfile::TempDir;

const ECHO: &str = "mcp__bench__echo";
const WAIT: &str = "mcp__bench__trigger_long_running_operation";
const START: Duration = Duration::from_secs(30);

/// A host with a server.
pub(super) struct Ours {
    runtime: Runtime,
    servers: Servers,
    _home: TempDir,
}

impl Ours {
    /// Starts the server and waits until its tools are there.
    pub(super) async fn start(server: &[&str]) -> Result<Self> {
        let (program, args) = server.split_first().context("no server is named")?;
        let home = tempfile::tempdir().context("making a home")?;
        let config = json!({"mcp_servers": {"bench": {
            "command": program, "args": args, "supports_parallel_tool_calls": true,
        }}});
        let registry = Arc::new(Registry::with_linked_tools());
        let runtime = Runtime::builder()
            .registry(Arc::clone(&registry))
            .toolsets(hermes_tools::product::toolset_catalog())
            .config(config.clone())
            .build();
        let vars = Vars::from_process();
        let parts = ServersParts::new(Home::at(home.path()), vars, &config, registry);
        let servers = Servers::new(parts);
        servers.start();
        servers.wait_ready(START).await;
        ensure!(
            runtime.registry().get(ECHO).is_some(),
            "the server has not started: {:?}",
            servers.status()
        );
        Ok(Self { runtime, servers, _home: home })
    }

    /// One call of the tool that says what it is told, in nanoseconds.
    pub(super) async fn echo(&self) -> Result<f64> {
        let start = Instant::now();
        let answer = call(&self.runtime, ECHO, json!({"message": "hello"})).await;
        let took = start.elapsed().as_nanos() as f64;
        ensure!(answer.contains("hello"), "no echo: {answer}");
        Ok(took)
    }

    /// Four calls of one second each, at the same time.
    pub(super) async fn four_seconds(&self) -> Result<f64> {
        let start = Instant::now();
        try_join_all((0..4).map(|_| async {
            let answer = call(&self.runtime, WAIT, json!({"duration": 1, "steps": 1})).await;
            ensure!(!answer.contains("\"error\""), "{answer}");
            Ok(())
        }))
        .await?;
        Ok(start.elapsed().as_nanos() as f64)
    }

    /// Ends the server.
    pub(super) async fn stop(self) {
        self.servers.stop().await;
    }
}

async fn call(runtime: &Runtime, tool: &str, args: Value) -> String {
    runtime.call(ToolCall::new(tool.to_owned(), args)).await.text().to_owned()
}
