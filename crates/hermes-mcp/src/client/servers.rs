//! All servers of a host: started in the background, listed, renewed, stopped.
//!
//! ```no_run
//! # async fn example(home: hermes_store::home::Home, config: serde_json::Value) {
//! use hermes_mcp::client::{Servers, ServersParts};
//! use hermes_runtime::registry::Registry;
//! use hermes_tool::Vars;
//! use std::sync::Arc;
//!
//! let registry = Arc::new(Registry::with_linked_tools());
//! let parts = ServersParts::new(home, Vars::from_process(), &config, Arc::clone(&registry));
//! let servers = Servers::new(parts);
//! servers.start(); // returns at once; tools appear in the registry as servers answer
//! servers.wait_ready(servers.discovery_timeout()).await;
//! for server in servers.status() {
//!     println!("{} {} {}", server.name, server.state.label(), server.tools);
//! }
//! servers.stop().await;
//! # }
//! ```

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use hermes_runtime::registry::Registry;
use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::Value;
use tokio::time::timeout;

use super::authorize::MakeAuthorizer;
use super::connect::{ConnectAttempt, ReconnectPace, ServersContext, connect};
use super::connect_error::ConnectError;
use super::elicitation::Person;
use super::listing::read_listing;
use super::sampling::{Sampler, SamplingCounters};
use super::server::ManagedServer;
use super::settings::{
    McpSettingProblem, ServerEntry, ServerSettings, discovery_timeout, read_servers,
};
use super::status::{ServerState, ServerStatus};
use crate::names::NameTable;

/// The variable that switches all foreign code off.
const SAFE_MODE: &str = "HERMES_SAFE_MODE";
/// How long one server, and all of them, may take to stop.
const STOP_ONE: Duration = Duration::from_secs(10);
const STOP_ALL: Duration = Duration::from_secs(15);

/// What is needed to run servers.
pub struct ServersParts {
    /// The state folder: logs, caches, tokens.
    pub home: Home,
    /// Variables for placeholders, the environment of programs, proxies.
    pub vars: Vars,
    /// The whole configuration.
    pub config: Value,
    /// Where tools are registered.
    pub registry: Arc<Registry>,
    /// The folder servers may take for ours.
    pub folder: PathBuf,
    /// A model for servers that ask for one.
    pub sampler: Option<Arc<dyn Sampler>>,
    /// A person for servers that ask one.
    pub person: Option<Arc<dyn Person>>,
    /// Who logs in.
    pub authorizer: Option<MakeAuthorizer>,
    /// How patient we are.
    pub pace: ReconnectPace,
}

impl ServersParts {
    /// The least: nobody answers servers' questions, nobody logs in.
    #[must_use]
    pub fn new(home: Home, vars: Vars, config: &Value, registry: Arc<Registry>) -> Self {
        Self {
            home,
            vars,
            config: config.clone(),
            registry,
            folder: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            sampler: None,
            person: None,
            authorizer: None,
            pace: ReconnectPace::default(),
        }
    }
}

/// No server of this name is configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no MCP server is called '{0}'; `hermes mcp list` shows those that are configured")]
pub struct UnknownServer(pub String);

/// What a trial connection found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probed {
    /// Name and version the server gave itself.
    pub server_info: Option<String>,
    /// Its tools with their descriptions, as the server names them.
    pub tools: Vec<(String, String)>,
    /// Whether it offers resources.
    pub has_resources: bool,
    /// Whether it offers prompts.
    pub has_prompts: bool,
}

/// What a new configuration has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServersReloaded {
    /// Servers that are new.
    pub added: Vec<String>,
    /// Servers that are gone.
    pub removed: Vec<String>,
    /// Servers that were started anew.
    pub changed: Vec<String>,
}

/// One row: what is configured and, once started, what runs.
#[derive(Clone)]
struct Row {
    entry: ServerEntry,
    server: Option<Arc<ManagedServer>>,
}

/// All servers of a host. Cheap to clone; clones are the same servers.
#[derive(Clone)]
pub struct Servers {
    shared: Arc<ServersContext>,
    rows: Arc<Mutex<Vec<Row>>>,
    discovery: Duration,
}

impl Servers {
    /// Reads the configuration; starts nothing.
    #[must_use]
    pub fn new(parts: ServersParts) -> Self {
        let entries = read_servers(&parts.config, &parts.vars);
        for problem in entries.iter().flat_map(|entry| &entry.problems) {
            tracing::warn!("{problem}");
        }
        let rows = entries.into_iter().map(|entry| Row { entry, server: None }).collect();
        let shared = ServersContext {
            home: parts.home,
            vars: parts.vars,
            folder: parts.folder,
            registry: parts.registry,
            names: Arc::new(NameTable::default()),
            sampler: parts.sampler,
            person: parts.person,
            authorizer: parts.authorizer,
            pace: parts.pace,
        };
        Self {
            shared: Arc::new(shared),
            rows: Arc::new(Mutex::new(rows)),
            discovery: discovery_timeout(&parts.config),
        }
    }

    /// Starts every enabled server in the background and returns at once. Servers that run already
    /// are left alone, and in safe mode none is started.
    pub fn start(&self) {
        if self.shared.vars.is_on(SAFE_MODE) {
            tracing::info!("safe mode: no MCP server is started");
            return;
        }
        for row in self.lock().iter_mut() {
            if let Some(settings) = enabled(&row.entry) {
                let server = row
                    .server
                    .get_or_insert_with(|| ManagedServer::new(settings, Arc::clone(&self.shared)));
                server.start();
            }
        }
    }

    /// How long the first list of tools should wait for servers.
    #[must_use]
    pub fn discovery_timeout(&self) -> Duration {
        self.discovery
    }

    /// Waits until every started server has answered or failed once, but no longer than `limit`.
    /// Says whether all have.
    pub async fn wait_ready(&self, limit: Duration) -> bool {
        let running = self.running();
        let all = join_all(running.iter().map(|server| server.settled()));
        timeout(limit, all).await.is_ok()
    }

    /// The started servers that have neither answered nor failed yet.
    #[must_use]
    pub fn unanswered(&self) -> Vec<Arc<str>> {
        let waited = |status: &ServerStatus| status.state == ServerState::Connecting;
        self.status().into_iter().filter(waited).map(|status| status.name).collect()
    }

    /// How every configured server is doing, in the order of the configuration.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.lock().iter().map(row_status).collect()
    }

    /// Keys of the configuration that are wrong and not in force.
    #[must_use]
    pub fn problems(&self) -> Vec<McpSettingProblem> {
        self.lock().iter().flat_map(|row| row.entry.problems.clone()).collect()
    }

    /// Which registered name belongs to which server and tool.
    #[must_use]
    pub fn names(&self) -> &NameTable {
        &self.shared.names
    }

    /// Makes a new connection to a server, also if it was given up.
    ///
    /// # Errors
    /// When no such server is configured.
    pub fn reconnect(&self, name: &str) -> Result<(), UnknownServer> {
        let rows = self.lock();
        let row = rows.iter().find(|row| row.entry.name.as_ref() == name);
        let row = row.ok_or_else(|| UnknownServer(name.to_owned()))?;
        if let Some(server) = &row.server {
            server.renew();
        }
        Ok(())
    }

    /// Takes over a new configuration: what is gone is stopped, what is new or different is started.
    /// A server that was switched off is left as it is until it ends.
    pub async fn reload(&self, config: &Value) -> ServersReloaded {
        let mut report = ServersReloaded::default();
        let mut stopping = Vec::new();
        {
            let mut rows = self.lock();
            let before = std::mem::take(&mut *rows);
            for entry in read_servers(config, &self.shared.vars) {
                let old = before.iter().find(|row| row.entry.name == entry.name);
                let name = entry.name.to_string();
                let server = match old {
                    None => {
                        report.added.push(name);
                        None
                    }
                    Some(old) if old.entry.settings == entry.settings => old.server.clone(),
                    Some(old) if enabled(&entry).is_none() && entry.settings.is_ok() => {
                        report.changed.push(name);
                        old.server.clone()
                    }
                    Some(old) => {
                        report.changed.push(name);
                        stopping.extend(old.server.clone());
                        None
                    }
                };
                rows.push(Row { entry, server });
            }
            for row in before {
                if !rows.iter().any(|kept| kept.entry.name == row.entry.name) {
                    report.removed.push(row.entry.name.to_string());
                    stopping.extend(row.server);
                }
            }
        }
        // Before the new ones start: they want the same names.
        join_all(stopping.iter().map(|server| server.stop(STOP_ONE))).await;
        self.start();
        report
    }

    /// Tries one server on the side: connects, lists, disconnects. Registers nothing.
    ///
    /// # Errors
    /// Why there is no connection.
    pub async fn probe(&self, name: &str) -> Result<Probed, ConnectError> {
        let entry = self.lock().iter().find(|row| row.entry.name.as_ref() == name).cloned();
        let Some(row) = entry else {
            let why = UnknownServer(name.to_owned()).to_string();
            return Err(ConnectError::Failed { server: name.to_owned(), why });
        };
        self.probe_settings(&row.entry.settings?).await
    }

    /// The same for settings that are not configured yet.
    ///
    /// # Errors
    /// Why there is no connection.
    pub async fn probe_settings(
        &self,
        settings: &Arc<ServerSettings>,
    ) -> Result<Probed, ConnectError> {
        let server = ManagedServer::new(Arc::clone(settings), Arc::clone(&self.shared));
        let limit = settings.connect_timeout;
        let trial = async {
            let connection =
                connect(&self.shared, settings, &server.lasting, ConnectAttempt::First).await?;
            let everything = ServerSettings {
                tools: super::settings::ToolFilter::All,
                ..settings.as_ref().clone()
            };
            let listing = read_listing(&connection, &everything, limit).await;
            let probed = listing.map(|listing| Probed {
                server_info: connection.hello.server.clone(),
                tools: listing
                    .tools
                    .into_iter()
                    .map(|tool| (tool.raw.to_string(), tool.description))
                    .collect(),
                has_resources: connection.offers("resources"),
                has_prompts: connection.offers("prompts"),
            });
            connection.close().await;
            probed
        };
        timeout(limit, trial).await.unwrap_or_else(|_| {
            let server = settings.name.to_string();
            Err(ConnectError::TimedOut { server, seconds: limit.as_secs() })
        })
    }

    /// Stops all servers at the same time. What does not end in time is killed.
    pub async fn stop(&self) {
        let running = self.running();
        if running.is_empty() {
            return;
        }
        let all = join_all(running.iter().map(|server| server.stop(STOP_ONE)));
        if timeout(STOP_ALL, all).await.is_err() {
            tracing::warn!("some MCP servers did not stop in time");
        }
        for row in self.lock().iter_mut() {
            row.server = None;
        }
    }

    fn running(&self) -> Vec<Arc<ManagedServer>> {
        self.lock().iter().filter_map(|row| row.server.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Row>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The settings of a server that is to run.
fn enabled(entry: &ServerEntry) -> Option<Arc<ServerSettings>> {
    entry.settings.as_ref().ok().filter(|settings| settings.enabled).cloned()
}

fn row_status(row: &Row) -> ServerStatus {
    let mut status = ServerStatus {
        name: Arc::clone(&row.entry.name),
        transport: row.entry.settings.as_ref().map_or("", |settings| settings.transport.label()),
        state: match &row.entry.settings {
            Ok(settings) if settings.enabled => ServerState::Configured,
            Ok(_) => ServerState::Disabled,
            Err(_) => ServerState::Failed,
        },
        tools: 0,
        error: row.entry.settings.as_ref().err().map(ToString::to_string),
        warnings: row.entry.problems.iter().map(ToString::to_string).collect(),
        sampling: SamplingCounters::default(),
        server_info: None,
        instructions: None,
    };
    if let Some(server) = &row.server {
        if status.state != ServerState::Disabled {
            status.state = server.state();
        }
        status.sampling = server.lasting.sampling.counters();
        let facts = server.facts();
        status.tools = facts.names.len();
        status.error = facts.error.clone();
        status.warnings.extend(facts.warnings.iter().cloned());
        status.server_info = facts.server_info.clone();
        status.instructions = facts.instructions.clone();
    }
    status
}
