//! The MCP servers of the configuration, for whoever wants their tools.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_mcp::client::elicitation::Person;
use hermes_mcp::client::settings::{and_servers, read_servers, with_servers};
use hermes_mcp::client::{Servers, ServersParts};
use hermes_mcp::{names, oauth};
use hermes_runtime::registry::Registry;
use serde_json::{Map, Value};

use crate::Host;
use crate::models::ModelSources;
use crate::sampler::ModelSampler;

/// Which MCP servers a session has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum McpStart {
    /// None: whoever calls has servers of their own.
    #[default]
    None,
    /// All of the configuration. They start beside everything else and bring their tools when ready.
    All,
    /// Those that a tool of this name can come from, waited for this long.
    ForTool {
        /// The tool's name as the caller wrote it.
        tool: String,
        /// How long they may take to show their tools.
        wait: Duration,
    },
}

impl Host {
    /// The servers, none of them started. They put their tools into this registry, their questions to
    /// this person, and their wishes for a model to the one of the settings. Nobody logs in here: a
    /// server that wants it says so.
    #[must_use]
    pub fn mcp_servers(
        &self,
        registry: &Arc<Registry>,
        person: Option<Arc<dyn Person>>,
    ) -> Servers {
        self.mcp_servers_of(self.config().value(), registry, person)
    }

    /// The same with further servers of this session alone; they win over those of the same name.
    pub(crate) fn mcp_servers_with(
        &self,
        more: &Map<String, Value>,
        registry: &Arc<Registry>,
        person: Option<Arc<dyn Person>>,
    ) -> Servers {
        let config = self.config().value();
        let config = if more.is_empty() { config.clone() } else { and_servers(config, more) };
        self.mcp_servers_of(&config, registry, person)
    }

    fn mcp_servers_of(
        &self,
        config: &Value,
        registry: &Arc<Registry>,
        person: Option<Arc<dyn Person>>,
    ) -> Servers {
        let mut parts = ServersParts::new(
            self.home().clone(),
            self.vars().clone(),
            config,
            Arc::clone(registry),
        );
        parts.sampler = Some(ModelSampler::of(ModelSources::of(self)));
        parts.person = person;
        parts.authorizer = Some(oauth::authorizer(self.mcp_logins(), None));
        Servers::new(parts)
    }

    /// The servers a tool of this name can come from: the one it names, or all if that is not clear;
    /// none if it is no such name.
    pub(crate) fn mcp_servers_for(
        &self,
        tool: &str,
        registry: &Arc<Registry>,
        person: Option<Arc<dyn Person>>,
    ) -> Option<Servers> {
        let config = self.config().value();
        if !tool.starts_with("mcp") || read_servers(config, self.vars()).is_empty() {
            return None;
        }
        let of = |server: &str| tool.starts_with(&names::plain_name(server, ""));
        let named = with_servers(config, of);
        Some(self.mcp_servers_of(named.as_ref().unwrap_or(config), registry, person))
    }

    /// Where logins to servers are kept.
    #[must_use]
    pub fn mcp_logins(&self) -> PathBuf {
        self.home().mcp_tokens()
    }
}
