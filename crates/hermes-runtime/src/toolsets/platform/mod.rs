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
pub use settings::{PlatformSettings, enabled_mcp_servers};
pub use toggle::{Switch, ToggleOutcome, ToggleProblem};

use super::Toolsets;

/// Something in the environment that makes a toolset usable which is off by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// `HASS_TOKEN` is set.
    HomeAssistant,
    /// There is a key or a sign-in for xAI.
    Xai,
}

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
    /// What is present in the environment.
    pub credentials: &'a [Credential],
}

/// The entry of a platform's list that keeps all MCP servers away from it.
pub const NO_MCP: &str = "no_mcp";

impl PlatformRequest<'_> {
    fn has(&self, credential: Credential) -> bool {
        self.credentials.contains(&credential)
    }

    /// Whether a toolset is one that people switch on and off: a fixed list and all of the
    /// plugins' own.
    fn is_selectable(&self, toolsets: &Toolsets, name: &str) -> bool {
        super::builtin::CONFIGURABLE.contains(&name) || self.is_plugin(toolsets, name)
    }

    /// Whether a toolset is a plugin's own, and not one of ours that a plugin merely extends.
    fn is_plugin(&self, toolsets: &Toolsets, name: &str) -> bool {
        toolsets.definition(name).is_none() && self.plugin_toolsets.iter().any(|own| own == name)
    }

    fn allows(&self, toolset: &str) -> bool {
        super::builtin::native_platform(toolset).is_none_or(|native| native == self.platform)
    }
}

#[cfg(test)]
mod tests;
