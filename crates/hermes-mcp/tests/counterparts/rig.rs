//! A host with a throw-away home, and where the installed programs are.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_mcp::client::elicitation::{Form, FormReply, PageConsent, PageRequest, Person};
use hermes_mcp::client::sampling::{SampleAnswer, SampleRequest, Sampler};
use hermes_mcp::client::status::{ServerState, ServerStatus};
use hermes_mcp::client::{Servers, ServersParts};
use hermes_process::{Child, Command};
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_store::home::Home;
use hermes_tool::{BoxFuture, Vars};
use serde_json::{Map, Value, json};

/// Programs start slowly on a busy machine; a broken client never gets there.
pub(crate) const PATIENCE: Duration = Duration::from_secs(50);

/// An installed program.
pub(crate) fn program(name: &str) -> PathBuf {
    Path::new(&hermes_testkit::part("HERMES_TEST_MCP_BIN")).join(name)
}

/// An entry that starts an installed program.
pub(crate) fn stdio(name: &str, args: &[&str]) -> Value {
    json!({"command": program(name), "args": args})
}

pub(crate) struct Rig {
    _folder: tempfile::TempDir,
    pub(crate) registry: Arc<Registry>,
    pub(crate) servers: Servers,
    runtime: Runtime,
}

impl Rig {
    /// A host with one server, connected, with a model and a person at hand.
    pub(crate) async fn with(name: &str, entry: Value) -> Self {
        Self::make(name, entry, |parts| {
            parts.sampler = Some(Arc::new(Echo));
            parts.person = Some(Arc::new(Agreeing));
        })
        .await
    }

    /// The same with nobody and nothing to ask.
    pub(crate) async fn alone(name: &str, entry: Value) -> Self {
        Self::make(name, entry, |_| {}).await
    }

    async fn make(name: &str, entry: Value, change: impl FnOnce(&mut ServersParts)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Arc::new(Registry::new());
        let config = json!({"mcp_servers": {name: entry}});
        let home = Home::at(folder.path().join("home"));
        let mut parts =
            ServersParts::new(home, Vars::from_process(), &config, Arc::clone(&registry));
        change(&mut parts);
        let servers = Servers::new(parts);
        servers.start();
        assert!(servers.wait_ready(PATIENCE).await, "{name} settles");
        let runtime = Runtime::builder().registry(Arc::clone(&registry)).build();
        let rig = Self { _folder: folder, registry, servers, runtime };
        assert_eq!(rig.status().state, ServerState::Connected, "{:?}", rig.status());
        rig
    }

    pub(crate) fn status(&self) -> ServerStatus {
        self.servers.status().remove(0)
    }

    /// The registered tools that a server lists itself, sorted.
    pub(crate) fn tools(&self) -> Vec<String> {
        const OURS: [&str; 4] = ["list_resources", "read_resource", "list_prompts", "get_prompt"];
        let tables = self.registry.snapshot();
        let tools = tables.tools();
        let names = tools.iter().map(|tool| tool.name().to_string());
        names.filter(|name| !OURS.iter().any(|ours| name.ends_with(ours))).collect()
    }

    /// Waits until a server that announces tools after the handshake has that many.
    pub(crate) async fn until_tools(&self, count: usize) {
        let begun = Instant::now();
        while self.tools().len() != count {
            assert!(begun.elapsed() < PATIENCE, "{count} tools never came: {:?}", self.tools());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// What a model would get.
    pub(crate) async fn call(&self, tool: &str, args: Value) -> Value {
        let outcome = self.runtime.call(ToolCall::new(tool, args)).await;
        serde_json::from_str(&outcome.text()).unwrap()
    }

    /// The same as text, which there must be.
    pub(crate) async fn text(&self, tool: &str, args: Value) -> String {
        let answer = self.call(tool, args).await;
        match &answer["result"] {
            Value::String(text) => text.clone(),
            Value::Null => panic!("{tool}: {answer}"),
            other => other.to_string(),
        }
    }
}

/// A server on a port of its own.
pub(crate) struct Listening {
    pub(crate) port: u16,
    _child: Child,
}

/// Starts a server of `PORT` and waits until it listens.
pub(crate) async fn listening(name: &str, args: &[&str]) -> Listening {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let mut child = Command::new(program(name))
        .args(args.iter().copied())
        .env("PORT", port.to_string())
        .env_inherit(["PATH", "HOME"])
        .spawn()
        .unwrap();
    // Nobody reads what it says, and a full pipe would stop it.
    for mut pipe in [child.take_stdout(), child.take_stderr()].into_iter().flatten() {
        tokio::spawn(async move { tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await });
    }
    let begun = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        assert!(begun.elapsed() < PATIENCE, "{name} {args:?} never listens on {port}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Listening { port, _child: child }
}

/// A model that says what it was told.
struct Echo;

impl Sampler for Echo {
    fn sample(&self, request: SampleRequest) -> BoxFuture<Result<SampleAnswer, String>> {
        let text = format!("a model heard {:?}", request.turns);
        Box::pin(async { Ok(SampleAnswer { model: "echo".into(), text, ..Default::default() }) })
    }
}

/// A person who takes every form as it is, with a name where one is needed.
struct Agreeing;

impl Person for Agreeing {
    fn fill(&self, form: Form) -> BoxFuture<FormReply> {
        let needed =
            form.fields.iter().filter(|field| field.is_required && field.default.is_none());
        let entered: Map<String, Value> = needed
            .map(|field| (field.name.clone(), field.parse("Ada").unwrap_or(Value::Null)))
            .collect();
        Box::pin(async { FormReply::Accepted(entered) })
    }

    fn visit(&self, _visit: PageRequest) -> BoxFuture<PageConsent> {
        Box::pin(async { PageConsent::Declined })
    }
}
