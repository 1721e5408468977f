//! The MCP servers of the configuration, for whoever wants their tools.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_mcp::client::elicitation::Person;
use hermes_mcp::client::{Servers, ServersParts};
use hermes_mcp::oauth;
use hermes_runtime::registry::Registry;

use super::Host;
use crate::talk::Sources;
use crate::talk::sampler::ModelSampler;

impl Host {
    /// The servers, none of them started. They put their tools into this registry, their questions to
    /// this person, and their wishes for a model to the one of the settings. Nobody logs in here: a
    /// server that wants it says so, and `hermes mcp login` does it.
    pub(crate) fn mcp_servers(
        &self,
        registry: &Arc<Registry>,
        person: Option<Arc<dyn Person>>,
    ) -> Servers {
        let config = self.config.value();
        let mut parts = ServersParts::new(
            self.home.clone(),
            self.vars.clone(),
            config,
            Arc::clone(registry),
        );
        parts.sampler = Some(ModelSampler::new(Sources::of(self)));
        parts.person = person;
        parts.authorizer = Some(oauth::authorizer(self.mcp_logins(), None));
        Servers::new(parts)
    }

    /// Whether any server is configured.
    pub(crate) fn has_mcp_servers(&self) -> bool {
        self.config.section("mcp_servers").is_some_and(|servers| !servers.is_empty())
    }

    /// Where logins to servers are kept.
    pub(crate) fn mcp_logins(&self) -> PathBuf {
        self.home.mcp_tokens()
    }
}
