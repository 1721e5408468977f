//! The `plugins` section of the settings.

use std::time::Duration;

use hermes_store::config::{as_bool, as_f64, as_text};
use serde_json::{Map, Value};

/// No time limit is longer: a week is for ever.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// What the user decided about plugins.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginSettings {
    /// Plugins to load, by key or name.
    pub enabled: Vec<String>,
    /// Plugins never to load; beats everything.
    pub disabled: Vec<String>,
    /// The Python that runs Python plugins, if not the usual one.
    pub python: Option<String>,
    /// How long a plugin may take to say what it brings.
    pub start_timeout: Duration,
    /// How long a hook or middleware may take.
    pub hook_timeout: Duration,
    /// How long a tool or command may take where the caller sets no limit.
    pub call_timeout: Duration,
    entries: Map<String, Value>,
}

impl Default for PluginSettings {
    fn default() -> Self {
        Self::read(&Value::Null)
    }
}

impl PluginSettings {
    /// Reads `plugins` from the configuration; what makes no sense counts as not set.
    #[must_use]
    pub fn read(config: &Value) -> Self {
        let section = &config["plugins"];
        let list = |key: &str| match &section[key] {
            Value::Array(names) => names.iter().filter_map(as_text).collect(),
            Value::String(name) => vec![name.clone()],
            _ => Vec::new(),
        };
        let seconds = |key: &str, default: u64| {
            let given = as_f64(&section[key]).filter(|seconds| *seconds > 0.0);
            given
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .unwrap_or(Duration::from_secs(default))
                .min(LONGEST)
        };
        Self {
            enabled: list("enabled"),
            disabled: list("disabled"),
            python: section["python"].as_str().map(str::to_owned).filter(|path| !path.is_empty()),
            start_timeout: seconds("start_timeout", 10),
            hook_timeout: seconds("hook_timeout", 30),
            call_timeout: seconds("call_timeout", 300),
            entries: section["entries"].as_object().cloned().unwrap_or_default(),
        }
    }

    /// The settings of one plugin, by key, else by name.
    #[must_use]
    pub fn entry(&self, key: &str, name: &str) -> Option<&Map<String, Value>> {
        self.entries.get(key).or_else(|| self.entries.get(name))?.as_object()
    }

    /// Whether a plugin may replace tools of others.
    #[must_use]
    pub fn allows_override(&self, key: &str, name: &str) -> bool {
        let entry = self.entry(key, name);
        entry.and_then(|entry| as_bool(entry.get("allow_tool_override")?)).unwrap_or(false)
    }

    /// The variables somebody agreed to hand to a plugin.
    #[must_use]
    pub fn granted_env(&self, key: &str, name: &str) -> Vec<String> {
        match self.entry(key, name).and_then(|entry| entry.get("env")) {
            Some(Value::Array(names)) => names.iter().filter_map(as_text).collect(),
            Some(Value::String(name)) => vec![name.clone()],
            _ => Vec::new(),
        }
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
        assert_eq!(settings.start_timeout, Duration::from_millis(500));
        assert_eq!(settings.hook_timeout, Duration::from_secs(30));
    }
}
