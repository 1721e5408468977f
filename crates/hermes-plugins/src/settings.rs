//! The `plugins` section of the settings.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{KeyInfo, Kind, Seconds, SettingValue, Settings};
use serde_json::{Map, Value};

/// No time limit is longer: a week is for ever.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
/// A limit of nothing would let no plugin start.
const SHORTEST: Seconds = Seconds::new(0.001);

/// What the user decided about plugins.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "plugins", about = "Plugins")]
pub struct PluginSettings {
    /// Plugins to load, by key or name.
    pub enabled: Vec<String>,
    /// Plugins never to load, even if enabled elsewhere.
    pub disabled: Vec<String>,
    /// The Python that runs Python plugins; that of the active environment, else python3.
    pub python: Option<String>,
    /// How long a plugin may take to start, in seconds.
    #[setting(default = Seconds::new(10.0), range = SHORTEST..)]
    start_timeout: Seconds,
    /// How long a plugin's hook or middleware may take, in seconds.
    #[setting(default = Seconds::new(30.0), range = SHORTEST..)]
    hook_timeout: Seconds,
    /// How long a plugin's tool or command may take, in seconds.
    #[setting(default = Seconds::new(300.0), range = SHORTEST..)]
    call_timeout: Seconds,
    /// Settings by plugin.
    entries: BTreeMap<String, PluginEntry>,
}

/// What stands in the configuration about one plugin.
#[derive(Clone, Debug, Default, PartialEq)]
struct PluginEntry {
    /// Everything, for the plugin to read.
    own: Map<String, Value>,
    grants: PluginGrants,
}

/// What the user allows one plugin. What else stands beside it is the plugin's own.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(open, manual)]
struct PluginGrants {
    /// Variables handed to it.
    env: Vec<String>,
    /// Whether it may replace tools of others.
    allow_tool_override: bool,
}

impl SettingValue for PluginEntry {
    const KIND: Kind = Kind::Map;

    fn from_config(value: &Value) -> Option<Self> {
        let grants = PluginGrants::from_config(value)?;
        Some(Self { own: value.as_object()?.clone(), grants })
    }

    fn to_config(&self) -> String {
        String::new()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        <PluginGrants as Settings>::keys_below(path)
    }
}

impl PluginSettings {
    /// Reads `plugins` from the configuration; what makes no sense counts as not set.
    #[must_use]
    pub fn read(config: &Value) -> Self {
        <Self as Settings>::read(config, &Vars::default())
    }

    /// How long a plugin may take to say what it brings.
    #[must_use]
    pub fn start_timeout(&self) -> Duration {
        self.start_timeout.duration().min(LONGEST)
    }

    /// How long a hook or middleware may take.
    #[must_use]
    pub fn hook_timeout(&self) -> Duration {
        self.hook_timeout.duration().min(LONGEST)
    }

    /// How long a tool or command may take where the caller sets no limit.
    #[must_use]
    pub fn call_timeout(&self) -> Duration {
        self.call_timeout.duration().min(LONGEST)
    }

    fn written(&self, key: &str, name: &str) -> Option<&PluginEntry> {
        self.entries.get(key).or_else(|| self.entries.get(name))
    }

    /// The settings of one plugin, by key, else by name.
    #[must_use]
    pub fn entry(&self, key: &str, name: &str) -> Option<&Map<String, Value>> {
        self.written(key, name).map(|entry| &entry.own)
    }

    /// Whether a plugin, found by key, else by name, may replace tools of others.
    #[must_use]
    pub fn allows_override(&self, key: &str, name: &str) -> bool {
        self.written(key, name).is_some_and(|entry| entry.grants.allow_tool_override)
    }

    /// The variables somebody agreed to hand to a plugin.
    #[must_use]
    pub fn granted_env(&self, key: &str, name: &str) -> Vec<String> {
        self.written(key, name).map(|entry| entry.grants.env.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_is_allowed_that_nobody_wrote_down() {
        let settings = PluginSettings::read(&json!({"plugins": {
            "enabled": ["a"], "start_timeout": 0.5, "hook_timeout": -1,
            "entries": {"a": {"allow_tool_override": "true", "env": ["KEY"]}, "b": 7}}}));
        assert!(settings.allows_override("a", "a"));
        assert!(settings.allows_override("category/a", "a"));
        assert!(!settings.allows_override("b", "b"));
        assert_eq!(settings.granted_env("a", "a"), ["KEY"]);
        assert!(settings.granted_env("c", "c").is_empty());
        assert_eq!(settings.start_timeout(), Duration::from_millis(500));
        assert_eq!(settings.hook_timeout(), Duration::from_secs(30));
    }
}
