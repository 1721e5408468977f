//! A host with a throw-away home, and servers that are this crate's fixture.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_mcp::client::status::{ServerState, ServerStatus};
use hermes_mcp::client::{ReconnectPace, Servers, ServersParts};
use hermes_runtime::registry::Registry;
use hermes_store::home::Home;
use hermes_tool::{ContextParts, Handler, ToolContext, ToolOutput, Vars};
use serde_json::{Map, Value, json};

/// Longest wait for anything: a loaded machine is slow, a broken client never gets there.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Host {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) registry: Arc<Registry>,
    pub(crate) servers: Servers,
}

/// A quick pace, so that tests do not sleep through pauses meant for people.
pub(crate) fn quick() -> ReconnectPace {
    ReconnectPace {
        retry: Duration::from_millis(20),
        longest_retry: Duration::from_millis(200),
        parked: Duration::from_millis(300),
        cool_down: Duration::from_secs(60),
        wait: Duration::from_secs(5),
        restart: Duration::from_secs(15),
    }
}

/// An entry for the fixture with these options.
pub(crate) fn fixture(options: &[&str]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/fixture.py");
    let mut args = vec![json!(script)];
    args.extend(options.iter().map(|option| json!(option)));
    json!({"command": "python3", "args": args})
}

impl Host {
    pub(crate) fn new(servers: &Value) -> Self {
        Self::with(&json!({"mcp_servers": servers}), |_| {})
    }

    pub(crate) fn with(config: &Value, change: impl FnOnce(&mut ServersParts)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Arc::new(Registry::new());
        let vars = Vars::from_process()
            .overlaid([("SECRET_KEY_OF_OURS".to_owned(), "do-not-leak".to_owned())]);
        let home = Home::at(folder.path().join("home"));
        let mut parts = ServersParts::new(home, vars, config, Arc::clone(&registry));
        parts.pace = quick();
        change(&mut parts);
        Self { folder, registry, servers: Servers::new(parts) }
    }

    pub(crate) async fn started(servers: &Value) -> Self {
        let host = Self::new(servers);
        host.servers.start();
        assert!(host.servers.wait_ready(PATIENCE).await, "servers settle");
        host
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.file(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn status(&self, name: &str) -> ServerStatus {
        self.servers.status().into_iter().find(|row| row.name.as_ref() == name).unwrap()
    }

    pub(crate) async fn until(&self, what: &str, is: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !is(self) {
            assert!(begun.elapsed() < PATIENCE, "{what} never came: {:?}", self.servers.status());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn until_state(&self, name: &str, state: ServerState) {
        self.until(state.label(), |host| host.status(name).state == state).await;
    }

    /// Calls a registered tool and gives its JSON, errors included.
    pub(crate) async fn call(&self, tool: &str, args: Value) -> Value {
        self.call_in(tool, args, ToolContext::default()).await
    }

    pub(crate) async fn call_in(&self, tool: &str, args: Value, cx: ToolContext) -> Value {
        let found = self.registry.get(tool);
        let found = found.unwrap_or_else(|| panic!("{tool} in {:?}", self.registry.snapshot()));
        let Handler::Async(run) = found.handler() else { panic!("async") };
        let args: Map<String, Value> = serde_json::from_value(args).unwrap();
        match run(args, cx).await {
            Ok(ToolOutput::Text(text)) => serde_json::from_str(&text).unwrap(),
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                let mut shown = json!({"error": error.message()});
                for (key, value) in error.extras() {
                    shown[key] = value.clone();
                }
                shown
            }
        }
    }

    pub(crate) async fn text(&self, tool: &str, args: Value) -> String {
        let answer = self.call(tool, args).await;
        answer["result"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}")).to_owned()
    }
}

/// A context that can be cancelled.
pub(crate) fn cancellable() -> (ToolContext, tokio_util::sync::CancellationToken) {
    let parts = ContextParts::default();
    let token = parts.cancellation.clone();
    (parts.into(), token)
}

pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !stat.is_empty() && !matches!(state, Some('Z' | 'X'))
}
