//! The part of the configuration that decides about a platform's toolsets.

use serde_json::Value;

/// The context engine that needs no tools of its own.
const DEFAULT_CONTEXT_ENGINE: &str = "compressor";

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
        let engine = config["context"]["engine"].as_str().map(str::trim);
        let listed = match &config["platform_toolsets"][platform] {
            Value::Array(items) => Some(texts(items)),
            _ => None,
        };
        Self {
            listed,
            known_plugins: list(&config["known_plugin_toolsets"][platform]),
            context_engine: engine
                .filter(|name| !name.is_empty() && *name != DEFAULT_CONTEXT_ENGINE)
                .map(str::to_owned),
            disabled: list(&config["agent"]["disabled_toolsets"]),
        }
    }
}

/// Names of the MCP servers in a configuration document that are not switched off.
pub fn enabled_mcp_servers(config: &Value) -> Vec<String> {
    let servers = config["mcp_servers"].as_object();
    let enabled = servers
        .into_iter()
        .flatten()
        .filter(|(_, server)| server.is_object() && !is_off(&server["enabled"]));
    enabled.map(|(name, _)| name.clone()).collect()
}

fn is_off(value: &Value) -> bool {
    match value {
        Value::Bool(on) => !on,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => {
            matches!(text.trim().to_lowercase().as_str(), "false" | "no" | "off" | "0")
        }
        _ => false,
    }
}

/// A list of names, or a single one.
pub(super) fn list(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => texts(items),
        Value::String(name) if !name.trim().is_empty() => vec![name.clone()],
        _ => Vec::new(),
    }
}

/// Names as text: a server called `365` is a number to YAML.
fn texts(items: &[Value]) -> Vec<String> {
    let text = |item: &Value| match item {
        Value::String(name) => Some(name.clone()),
        Value::Number(_) | Value::Bool(_) => Some(item.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    items.iter().filter_map(text).collect()
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
