//! Which toolsets a platform gets, and how a choice is written back.
//!
//! A platform is a place where people talk to the agent: the terminal, a messenger, a web hook.
//! The configuration key `platform_toolsets.<platform>` may list toolsets for it. That list is
//! written by people and by `hermes tools`, over years and versions, and so may hold toolsets,
//! presets, plugins' toolsets, MCP servers and names nobody knows any more. [`Toolsets::for_platform`]
//! makes one sorted list of toolset names out of it; [`Toolsets::save_platform`] and
//! [`Toolsets::toggle`] say which keys to change when somebody chooses differently.
//!
//! Everything here is a pure function: what is configured, registered and present in the
//! environment comes in as values ([`PlatformRequest`]), what should change in the file goes out
//! as [`ConfigEdit`]s. Nothing is read or written here.

mod infer;
mod save;
mod settings;
mod toggle;

pub use save::ConfigEdit;
pub use settings::{PlatformSettings, enabled_mcp_servers, is_configured_platform};
pub use toggle::{Switch, ToggleOutcome, ToggleProblem};

use super::{MCP_PREFIX, Toolsets, means_everything};

/// What platform resolution depends on.
#[derive(Debug, Clone, Copy)]
pub struct PlatformRequest<'a> {
    /// The platform's key, such as `cli` or `telegram`.
    pub platform: &'a str,
    /// What the configuration says, read with [`PlatformSettings::read`].
    pub settings: &'a PlatformSettings,
    /// Toolsets that plugins have registered.
    pub plugin_toolsets: &'a [String],
    /// MCP servers that are configured and enabled; see [`enabled_mcp_servers`].
    pub mcp_servers: &'a [String],
    /// Toolsets off by default for which all that they need is there: a key, a sign-in, models.
    pub set_up: &'a [&'static str],
}

/// The entry of a platform's list that keeps all MCP servers away from it.
pub const NO_MCP: &str = "no_mcp";

impl PlatformRequest<'_> {
    fn is_set_up(&self, toolset: &str) -> bool {
        self.set_up.contains(&toolset)
    }

    /// Whether a toolset is one that people switch on and off: a fixed list and all of the
    /// plugins' own.
    fn is_selectable(&self, toolsets: &Toolsets, name: &str) -> bool {
        toolsets.catalog().choices.contains(&name) || self.is_plugin(toolsets, name)
    }

    /// Whether a toolset is a plugin's own, and not one of ours that a plugin merely extends.
    fn is_plugin(&self, toolsets: &Toolsets, name: &str) -> bool {
        toolsets.definition(name).is_none() && self.plugin_toolsets.iter().any(|own| own == name)
    }

    /// The toolset that holds a server's tools, as a list of toolsets names it: the server's own name,
    /// or with the prefix of all servers where something else is called so.
    fn server_toolset(&self, toolsets: &Toolsets, server: &str) -> String {
        let is_taken = toolsets.definition(server).is_some()
            || toolsets.catalog().platform_of(server).is_some()
            || self.plugin_toolsets.iter().any(|own| own == server)
            || means_everything(server)
            || server == NO_MCP;
        if is_taken { format!("{MCP_PREFIX}{server}") } else { server.to_owned() }
    }

    /// Whether an entry of a list means this server. The prefixed name always does.
    fn means_server(&self, toolsets: &Toolsets, entry: &str, server: &str) -> bool {
        entry.strip_prefix(MCP_PREFIX) == Some(server)
            || entry == server && self.server_toolset(toolsets, server) == server
    }

    /// Whether an entry of a list means any server.
    fn is_server(&self, toolsets: &Toolsets, entry: &str) -> bool {
        self.mcp_servers.iter().any(|server| self.means_server(toolsets, entry, server))
    }

    fn allows(&self, toolsets: &Toolsets, name: &str) -> bool {
        let native = toolsets.catalog().native_platform(name);
        native.is_none_or(|native| native == self.platform)
    }
}
