//! Switching toolsets of a platform, or single tools of an MCP server, on and off.
//!
//! This is what `hermes tools enable` and `hermes tools disable` do. Names are checked one by
//! one: those that can be switched become [`ConfigEdit`]s, each of the others a [`ToggleProblem`]
//! that says what to do instead, and one bad name does not hold up the rest.
//!
//! Switching starts from what the platform has at the moment, not from what happens to be written
//! in its list, so the first `disable` on a platform without a list takes one toolset away from the
//! preset and keeps the rest. A tool of a server goes into that server's list of excluded
//! tools and so is switched on every platform at once.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::suggest::closest;
use super::super::{MCP_PREFIX, RegisteredTools, Toolsets, means_everything};
use super::settings::ConfiguredServers;
use super::{ConfigEdit, PlatformRequest};

/// Which way to switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Offer it.
    On,
    /// Stop offering it.
    Off,
}

/// Why a name was not switched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToggleProblem {
    /// Nobody knows the name.
    #[error("unknown toolset `{name}`{}", hint(suggestion.as_deref()))]
    UnknownToolset {
        /// The name given.
        name: String,
        /// A known name that looks much like it.
        suggestion: Option<String>,
    },
    /// The toolset belongs to another platform.
    #[error("toolset `{name}` does not work on platform `{platform}`")]
    OtherPlatform {
        /// The toolset.
        name: String,
        /// The platform it was wanted for.
        platform: String,
    },
    /// A whole preset, or everything.
    #[error("`{name}` is not one toolset but a whole preset; name the toolsets one by one")]
    WholePreset {
        /// The name given.
        name: String,
    },
    /// The platform always has it.
    #[error(
        "`{name}` comes with the platform; add it to `agent.disabled_toolsets` to turn it off everywhere"
    )]
    ComesWithPlatform {
        /// The toolset.
        name: String,
    },
    /// A server, not a toolset.
    #[error(
        "`{name}` is an MCP server; set `mcp_servers.{name}.enabled`, or switch single tools as `{name}:TOOL`"
    )]
    WholeServer {
        /// The server.
        name: String,
    },
    /// The server of a `server:tool` is not configured.
    #[error("there is no MCP server `{server}` in the configuration{}", hint(suggestion.as_deref()))]
    UnknownServer {
        /// The server named.
        server: String,
        /// A configured server that looks much like it.
        suggestion: Option<String>,
    },
    /// The server's tools are listed one by one, so excluding has no effect.
    #[error(
        "`mcp_servers.{server}.tools.include` lists the tools of this server; change `{tool}` there"
    )]
    IncludeListDecides {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// What switching comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToggleOutcome {
    /// Keys to change.
    pub edits: Vec<ConfigEdit>,
    /// Names that were switched, as given. Some may have been so already.
    pub switched: Vec<String>,
    /// Names that were not, and why.
    pub problems: Vec<ToggleProblem>,
}

impl Toolsets {
    /// The edits that switch some names on or off for a platform. A name is a toolset, or
    /// `server:tool` for one tool of an MCP server. `config` is the whole document.
    pub fn toggle(
        &self,
        switch: Switch,
        names: &[String],
        config: &Value,
        request: &PlatformRequest<'_>,
        registered: &dyn RegisteredTools,
    ) -> ToggleOutcome {
        let servers = ConfiguredServers::of(config);
        let mut outcome = ToggleOutcome::default();
        let mut toolsets = Vec::new();
        let mut tools = Vec::new();
        for name in names {
            let checked = match server_and_tool(name, &servers) {
                Some((server, tool)) => {
                    check_tool(server, tool, &servers).map(|()| tools.push((server, tool)))
                }
                None => self
                    .check_toolset(switch, name, &servers, request, registered)
                    .map(|()| toolsets.push(name.clone())),
            };
            match checked {
                Ok(()) => outcome.switched.push(name.clone()),
                Err(problem) => outcome.problems.push(problem),
            }
        }
        if !toolsets.is_empty() {
            outcome.edits = self.switch_toolsets(switch, &toolsets, request, registered);
        }
        outcome.edits.extend(switch_tools(switch, &tools, &servers));
        outcome
    }

    fn check_toolset(
        &self,
        switch: Switch,
        name: &str,
        servers: &ConfiguredServers,
        request: &PlatformRequest<'_>,
        registered: &dyn RegisteredTools,
    ) -> Result<(), ToggleProblem> {
        let listed = request.settings.listed.as_deref().unwrap_or_default();
        let owned = || name.to_owned();
        if request.is_selectable(self, name) {
            if switch == Switch::On && !request.allows(self, name) {
                let platform = request.platform.to_owned();
                return Err(ToggleProblem::OtherPlatform { name: owned(), platform });
            }
            return Ok(());
        }
        let server = name.strip_prefix(MCP_PREFIX).unwrap_or(name);
        if servers.mcp_servers.contains_key(server) && self.definition(name).is_none() {
            return Err(ToggleProblem::WholeServer { name: server.to_owned() });
        }
        if means_everything(name) || self.is_preset(name, registered) {
            return Err(ToggleProblem::WholePreset { name: owned() });
        }
        let implied = self.always_on(request, registered).iter().any(|own| own == name);
        if implied && switch == Switch::Off {
            return Err(ToggleProblem::ComesWithPlatform { name: owned() });
        }
        let removable = switch == Switch::Off && listed.iter().any(|entry| entry == name);
        if removable || self.is_valid(name, registered) {
            return Ok(());
        }
        let suggestion = self.suggestion(name, registered);
        Err(ToggleProblem::UnknownToolset { name: owned(), suggestion })
    }

    fn switch_toolsets(
        &self,
        switch: Switch,
        names: &[String],
        request: &PlatformRequest<'_>,
        registered: &dyn RegisteredTools,
    ) -> Vec<ConfigEdit> {
        // Servers are on by default and must not become an allow-list by being written down;
        // those already listed stay as names that cannot be chosen here.
        let without_servers = PlatformRequest { mcp_servers: &[], ..*request };
        let now = self.for_platform(&without_servers, registered);
        let mut chosen: BTreeSet<String> = now.into_iter().collect();
        let mut dropped = BTreeSet::new();
        match switch {
            Switch::On => chosen.extend(names.iter().cloned()),
            Switch::Off => {
                chosen.retain(|name| !names.contains(name));
                dropped.extend(names.iter().cloned());
            }
        }
        self.save_without(request, &chosen, &dropped, registered)
    }
}

/// Splits `server:tool`. Both parts may contain colons, so a split at a configured server's name
/// is preferred to one at the first colon.
fn server_and_tool<'a>(name: &'a str, servers: &ConfiguredServers) -> Option<(&'a str, &'a str)> {
    let splits = || name.match_indices(':').map(|(at, _)| (&name[..at], &name[at + 1..]));
    splits()
        .find(|(server, _)| servers.mcp_servers.contains_key(*server))
        .or_else(|| splits().next())
}

fn check_tool(server: &str, tool: &str, servers: &ConfiguredServers) -> Result<(), ToggleProblem> {
    let Some(known) = servers.mcp_servers.get(server) else {
        let known = servers.mcp_servers.keys();
        let suggestion = closest(server, known.map(String::as_str)).map(str::to_owned);
        return Err(ToggleProblem::UnknownServer { server: server.to_owned(), suggestion });
    };
    if !known.include.is_empty() {
        let (server, tool) = (server.to_owned(), tool.to_owned());
        return Err(ToggleProblem::IncludeListDecides { server, tool });
    }
    Ok(())
}

/// One edit for each server whose list of excluded tools changes.
fn switch_tools(
    switch: Switch,
    tools: &[(&str, &str)],
    servers: &ConfiguredServers,
) -> Vec<ConfigEdit> {
    let mut edits = Vec::new();
    let names: BTreeSet<&str> = tools.iter().map(|(server, _)| *server).collect();
    for server in names {
        let before =
            servers.mcp_servers.get(server).map(|known| known.exclude.clone()).unwrap_or_default();
        let mut excluded = before.clone();
        for (_, tool) in tools.iter().filter(|(of, _)| *of == server) {
            excluded.retain(|name| name != tool);
            if switch == Switch::Off {
                excluded.push((*tool).to_owned());
            }
        }
        excluded.sort();
        let mut sorted = before;
        sorted.sort();
        if excluded != sorted {
            let path = ["mcp_servers", server, "tools", "exclude"];
            edits.push(ConfigEdit::new(path, json!(excluded)));
        }
    }
    edits
}
