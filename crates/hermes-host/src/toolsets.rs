//! Which toolsets a platform gets from the configuration.

use hermes_runtime::registry::{MCP_PREFIX, Snapshot};
use hermes_runtime::toolsets::platform::{
    PlatformRequest, PlatformSettings, enabled_mcp_servers, is_configured_platform,
};
use hermes_runtime::toolsets::{RegisteredTools, Toolsets};
use hermes_runtime::{Runtime, ToolScope};
use hermes_tool::settings::Settings;
use hermes_tool::{Origin, Tool};
use hermes_tools::product::set_up_toolsets;

use crate::{Host, HostError, PLATFORM};

/// The short way to choose toolsets.
#[derive(Settings)]
struct CommandLineToolsets {
    /// Toolsets of the command line, where platform_toolsets.cli is not set.
    toolsets: Option<Vec<String>>,
}

impl Host {
    /// The toolsets named, or else those the configuration gives the command line, with what should be
    /// known about them. A configured one that nobody knows may mean something later (a plugin, a
    /// server), so it is worth a warning and no more.
    ///
    /// # Errors
    /// If one was named that nobody knows.
    pub fn scope(
        &self,
        runtime: &Runtime,
        named: &[String],
    ) -> Result<(ToolScope, Vec<String>), HostError> {
        self.scope_on(PLATFORM, runtime, named)
    }

    /// The same for another platform than the command line.
    ///
    /// # Errors
    /// If one was named that nobody knows.
    pub fn scope_on(
        &self,
        platform: &str,
        runtime: &Runtime,
        named: &[String],
    ) -> Result<(ToolScope, Vec<String>), HostError> {
        let tables = runtime.registry().snapshot();
        let toolsets = runtime.toolsets().snapshot();
        let nearest = |name: &str| toolsets.suggestion(name, &*tables).map(|near| near.to_string());
        if !named.is_empty() {
            if let Some(name) = named.iter().find(|name| !toolsets.is_valid(name, &*tables)) {
                return Err(HostError::UnknownToolset {
                    name: name.clone(),
                    nearest: nearest(name),
                });
            }
            let scope = ToolScope { enabled: Some(named.to_vec()), disabled: Vec::new() };
            return Ok((scope, Vec::new()));
        }
        let enabled = self.platform_toolsets(runtime, platform);
        // A server's tools are known once it has answered.
        let servers = enabled_mcp_servers(self.config().value());
        let is_server = |name: &str| {
            let server = name.strip_prefix(MCP_PREFIX).unwrap_or(name);
            servers.iter().any(|known| known == server)
        };
        let is_known = |name: &&String| toolsets.is_valid(name, &*tables) || is_server(name);
        let warnings = enabled
            .iter()
            .filter(|name| !is_known(name))
            .map(|name| {
                let hint = nearest(name).map(|near| format!("; did you mean `{near}`?"));
                let hint = hint.unwrap_or_default();
                format!("unknown toolset `{name}` in the configuration{hint}")
            })
            .collect();
        Ok((ToolScope { enabled: Some(enabled), disabled: Vec::new() }, warnings))
    }

    /// Whether somebody has written down which toolsets a platform has.
    pub(crate) fn lists_toolsets(&self, platform: &str) -> bool {
        let config = self.config().value();
        PlatformSettings::read(config, platform).listed.is_some()
            || platform == PLATFORM
                && CommandLineToolsets::read(config, self.vars()).toolsets.is_some()
    }

    /// The toolsets the configuration gives a platform.
    #[must_use]
    pub fn platform_toolsets(&self, runtime: &Runtime, platform: &str) -> Vec<String> {
        self.with_platform(runtime, platform, |toolsets, request, tables| {
            toolsets.for_platform(request, tables)
        })
    }

    /// Hands everything platform resolution depends on to `act`.
    pub fn with_platform<T>(
        &self,
        runtime: &Runtime,
        platform: &str,
        act: impl FnOnce(&Toolsets, &PlatformRequest<'_>, &Snapshot) -> T,
    ) -> T {
        let config = self.config().value();
        let mut settings = PlatformSettings::read(config, platform);
        if platform == PLATFORM && settings.listed.is_none() {
            settings.listed = CommandLineToolsets::read(config, self.vars()).toolsets;
        }
        let tables = runtime.registry().snapshot();
        let toolsets = runtime.toolsets().snapshot();
        let request = PlatformRequest {
            platform,
            settings: &settings,
            plugin_toolsets: &unlisted_toolsets(&toolsets, &tables),
            mcp_servers: &enabled_mcp_servers(config),
            set_up: &set_up_toolsets(config, self.vars()),
        };
        act(&toolsets, &request, &tables)
    }

    /// Whether somebody has heard of a platform: it is built in, a plugin's, or configured.
    #[must_use]
    pub fn knows_platform(&self, runtime: &Runtime, name: &str) -> bool {
        self.has_platform(runtime, name) || is_configured_platform(self.config().value(), name)
    }

    /// Whether a platform is built in or a plugin's, and not only a name in the configuration.
    #[must_use]
    pub fn has_platform(&self, runtime: &Runtime, name: &str) -> bool {
        runtime.toolsets().snapshot().catalog().platforms.contains(&name)
            || runtime.registry().snapshot().is_platform(name)
    }
}

/// Toolsets that no table lists: those of plugins, and new ones among the linked tools. They are
/// on until somebody turns them off, so that a tool in a new folder is there without further ado.
fn unlisted_toolsets(toolsets: &Toolsets, tables: &Snapshot) -> Vec<String> {
    let is_unlisted = |tool: &&Tool| match tool.origin() {
        Origin::Plugin(_) => true,
        Origin::Linked => toolsets.definition(tool.toolset()).is_none(),
        Origin::Mcp(_) => false,
    };
    let mut names: Vec<String> = tables
        .tools()
        .into_iter()
        .filter(is_unlisted)
        .map(|tool| tool.toolset().to_string())
        .collect();
    names.sort();
    names.dedup();
    names
}
