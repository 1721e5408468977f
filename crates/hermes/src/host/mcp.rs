//! The MCP servers of the configuration, in the runtime of this process.

use std::sync::Arc;
use std::time::Duration;

use hermes_mcp::client::{Servers, ServersParts};
use hermes_runtime::Runtime;

use super::Host;

/// How long somebody who names a server's tool waits for the servers.
const CALLED_PATIENCE: Duration = Duration::from_secs(90);

impl Host {
    /// What servers are made of; nobody answers their questions yet.
    pub(crate) fn mcp_parts(&self, runtime: &Runtime) -> ServersParts {
        let registry = Arc::clone(runtime.registry());
        ServersParts::new(self.home.clone(), self.vars.clone(), self.config.value(), registry)
    }

    /// Whether servers are configured at all. Where there are none, nothing of them costs anything.
    pub(crate) fn has_mcp_servers(&self) -> bool {
        self.config.value()["mcp_servers"].as_object().is_some_and(|servers| !servers.is_empty())
    }

    /// Starts the servers for a call by hand, if `name` is not a tool that is here already, and waits
    /// until each has answered or failed. The name as it is registered then.
    pub(crate) async fn mcp_for_call(
        &self,
        runtime: &Runtime,
        name: &str,
        parts: impl FnOnce(ServersParts) -> ServersParts,
    ) -> Option<(Servers, String)> {
        if !self.has_mcp_servers() || runtime.registry().get(name).is_some() {
            return None;
        }
        let servers = Servers::new(parts(self.mcp_parts(runtime)));
        servers.start();
        servers.wait_ready(CALLED_PATIENCE).await;
        let name = servers.names().look_up(name).unwrap_or_else(|| name.to_owned());
        Some((servers, name))
    }
}
