//! The part of the configuration that decides about a platform's toolsets.

use std::collections::BTreeMap;

use hermes_tool::Vars;
use hermes_tool::settings::scalar::as_text;
use hermes_tool::settings::{Kind, SettingValue, Settings};
use serde_json::Value;

/// The context engine that needs no tools of its own.
const DEFAULT_CONTEXT_ENGINE: &str = "compressor";

/// What is written about platforms.
#[derive(Settings)]
struct PlatformKeys {
    /// Toolsets by platform (cli, cron, telegram, …).
    platform_toolsets: BTreeMap<String, ToolsetList>,
    /// Plugin toolsets already offered, by platform; kept by the program.
    known_plugin_toolsets: BTreeMap<String, Vec<String>>,
    /// Toolsets taken away on every platform.
    #[setting(path = "agent.disabled_toolsets")]
    disabled: Vec<String>,
}

/// What happens when the context window fills up.
#[derive(Settings)]
#[settings(path = "context", about = "What happens when the context window fills up", open)]
struct ContextSection {
    /// Who takes care of it.
    #[setting(default = DEFAULT_CONTEXT_ENGINE.to_owned())]
    engine: String,
}

/// A list of toolsets. Here a single name is no list: what was meant by it is not known.
struct ToolsetList(Vec<String>);

impl SettingValue for ToolsetList {
    const KIND: Kind = Kind::TextList;
    const ABOUT: &'static str = "Toolsets of one platform";

    fn from_config(value: &Value) -> Option<Self> {
        // Names as text: a server called `365` is a number to YAML.
        Some(Self(value.as_array()?.iter().filter_map(as_text).collect()))
    }

    fn to_config(&self) -> String {
        self.0.to_config()
    }
}

/// What the configuration says about one platform.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlatformSettings {
    /// The entries of `platform_toolsets.<platform>`; `None` when that is not a list.
    pub listed: Option<Vec<String>>,
    /// Plugins' toolsets that were there when the list was last written.
    pub known_plugins: Vec<String>,
    /// `context.engine`, when it is another than the default one.
    pub context_engine: Option<String>,
    /// `agent.disabled_toolsets`, which hold for every platform.
    pub disabled: Vec<String>,
}

impl PlatformSettings {
    /// Reads a whole configuration document. Parts of a wrong type count as absent.
    pub fn read(config: &Value, platform: &str) -> Self {
        let vars = Vars::default();
        let mut keys = PlatformKeys::read(config, &vars);
        let engine = ContextSection::read(config, &vars).engine.trim().to_owned();
        Self {
            listed: keys.platform_toolsets.remove(platform).map(|list| list.0),
            known_plugins: keys.known_plugin_toolsets.remove(platform).unwrap_or_default(),
            context_engine: Some(engine).filter(|name| name != DEFAULT_CONTEXT_ENGINE),
            disabled: keys.disabled,
        }
    }
}

/// Whether the configuration lists toolsets for a platform.
pub fn is_configured_platform(config: &Value, name: &str) -> bool {
    PlatformKeys::read(config, &Vars::default()).platform_toolsets.contains_key(name)
}

/// What toolsets have to know of the section that belongs to MCP, where it is declared.
#[derive(Settings)]
#[settings(manual)]
pub(super) struct ConfiguredServers {
    /// MCP servers by name.
    pub(super) mcp_servers: BTreeMap<String, ConfiguredServer>,
}

/// One server, as far as toolsets are concerned.
#[derive(Settings)]
#[settings(manual, open)]
pub(super) struct ConfiguredServer {
    /// Whether it is started.
    #[setting(default = true)]
    enabled: bool,
    /// The only tools it offers.
    #[setting(key = "tools.include")]
    pub(super) include: Vec<String>,
    /// Tools it does not offer.
    #[setting(key = "tools.exclude")]
    pub(super) exclude: Vec<String>,
}

impl ConfiguredServers {
    pub(super) fn of(config: &Value) -> Self {
        Self::read(config, &Vars::default())
    }
}

/// Names of the MCP servers in a configuration document that are not switched off.
pub fn enabled_mcp_servers(config: &Value) -> Vec<String> {
    let servers = ConfiguredServers::of(config).mcp_servers;
    servers.into_iter().filter(|(_, server)| server.enabled).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_every_part() {
        let config = json!({
            "platform_toolsets": {"cli": ["web", 365, true, null], "telegram": []},
            "known_plugin_toolsets": {"cli": ["weather"]},
            "context": {"engine": "tree"},
            "agent": {"disabled_toolsets": ["tts"]},
        });
        let settings = PlatformSettings::read(&config, "cli");
        assert_eq!(settings.listed.unwrap(), ["web", "365", "true"]);
        assert_eq!(settings.known_plugins, ["weather"]);
        assert_eq!(settings.context_engine.as_deref(), Some("tree"));
        assert_eq!(settings.disabled, ["tts"]);
        assert_eq!(PlatformSettings::read(&config, "telegram").listed, Some(vec![]));
        assert_eq!(PlatformSettings::read(&config, "slack").listed, None);
    }

    #[test]
    fn wrong_types_count_as_absent() {
        let config = json!({
            "platform_toolsets": {"cli": "web"},
            "known_plugin_toolsets": [],
            "context": {"engine": "compressor"},
            "agent": null,
        });
        assert_eq!(PlatformSettings::read(&config, "cli"), PlatformSettings::default());
        assert_eq!(PlatformSettings::read(&Value::Null, "cli"), PlatformSettings::default());
    }

    #[test]
    fn servers_are_enabled_unless_switched_off() {
        let config = json!({"mcp_servers": {
            "a": {}, "b": {"enabled": false}, "c": {"enabled": true}, "d": "nonsense",
            "e": {"enabled": "off"}, "f": {"enabled": 0},
        }});
        assert_eq!(enabled_mcp_servers(&config), ["a", "c"]);
        assert_eq!(enabled_mcp_servers(&json!({})), Vec::<String>::new());
    }
}
