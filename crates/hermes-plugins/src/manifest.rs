//! `plugin.yaml`: what a plugin says about itself before it runs.

use std::fmt;
use std::path::Path;

use hermes_store::config::{Config, ConfigError, as_text};
use serde_json::{Map, Value};

/// The names a manifest may have; the first one found counts.
pub const FILE_NAMES: [&str; 2] = ["plugin.yaml", "plugin.yml"];

/// What sort of plugin it is, which decides when it is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PluginKind {
    /// Loaded when it is enabled.
    #[default]
    Standalone,
    /// Serves a built-in tool; one that comes with Hermes is always loaded.
    Backend,
    /// A messaging platform; one that comes with Hermes is only noted until somebody uses it.
    Platform,
    /// One of several, chosen by a setting of its category; noted here, never loaded.
    Exclusive,
    /// A provider of models; noted here, never loaded.
    ModelProvider,
}

impl PluginKind {
    /// The kind of this name; unknown ones are standalone.
    fn read(name: &str) -> Self {
        match name {
            "backend" => Self::Backend,
            "platform" => Self::Platform,
            "exclusive" => Self::Exclusive,
            "model-provider" => Self::ModelProvider,
            _ => Self::Standalone,
        }
    }

    /// The word in manifests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standalone => "standalone",
            Self::Backend => "backend",
            Self::Platform => "platform",
            Self::Exclusive => "exclusive",
            Self::ModelProvider => "model-provider",
        }
    }
}

impl fmt::Display for PluginKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A manifest, as read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The plugin's name.
    pub name: String,
    /// Its version, as written.
    pub version: String,
    /// A line on what it does.
    pub description: String,
    /// Who made it.
    pub author: String,
    /// Which decides whether it is loaded, and by whom.
    pub kind: PluginKind,
    /// Variables it wants to see. It gets those somebody has agreed to.
    pub requires_env: Vec<String>,
    /// Tools it promises; for listings, before it ran for the first time.
    pub provides_tools: Vec<String>,
    /// Hooks it promises, likewise.
    pub provides_hooks: Vec<String>,
    /// The program to run, with its arguments; a Python package has none.
    pub command: Vec<String>,
    /// Everything, as written; the plugin gets to see it.
    pub raw: Map<String, Value>,
}

impl Manifest {
    /// The manifest in a folder, if it has one.
    ///
    /// # Errors
    /// When it cannot be read or is not YAML.
    pub fn find(folder: &Path) -> Option<Result<Self, ConfigError>> {
        let file = FILE_NAMES.iter().map(|name| folder.join(name)).find(|file| file.is_file())?;
        let fallback = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        Some(Self::load(&file, &fallback.unwrap_or_default()))
    }

    fn load(file: &Path, fallback: &str) -> Result<Self, ConfigError> {
        Ok(Self::read(Config::load_unexpanded(file)?.into_value(), fallback))
    }

    /// Reads a manifest; a missing name is replaced.
    #[must_use]
    pub fn read(value: Value, fallback: &str) -> Self {
        let Value::Object(raw) = value else {
            return Self { name: fallback.to_owned(), ..Self::default() };
        };
        let text = |key: &str| {
            raw.get(key).and_then(as_text).map(|text| text.trim().to_owned()).unwrap_or_default()
        };
        let name = Some(text("name")).filter(|name| !name.is_empty());
        Self {
            name: name.unwrap_or_else(|| fallback.to_owned()),
            version: text("version"),
            description: text("description"),
            author: text("author"),
            kind: PluginKind::read(&text("kind")),
            requires_env: names(raw.get("requires_env")),
            provides_tools: names(raw.get("provides_tools")),
            provides_hooks: names(raw.get("provides_hooks")),
            command: command(raw.get("command")),
            raw,
        }
    }
}

/// Names, given as texts or as objects with a name.
fn names(value: Option<&Value>) -> Vec<String> {
    let one = |value: &Value| as_text(value.get("name").unwrap_or(value));
    match value {
        Some(Value::Array(values)) => values.iter().filter_map(one).collect(),
        Some(value @ Value::String(_)) => one(value).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A command: a list of words, or a text that is split as a shell would.
fn command(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(words)) => words.iter().filter_map(as_text).collect(),
        Some(Value::String(text)) => shlex::split(text).unwrap_or_default(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_read_in_every_form_people_write_them() {
        let manifest = Manifest::read(
            json!({"version": 1.5, "kind": "backend", "command": "node 'my main.js'",
                "requires_env": ["A", {"name": "B", "description": "x"}], "provides_tools": "one"}),
            "folder",
        );
        assert_eq!(manifest.name, "folder");
        assert_eq!(manifest.version, "1.5");
        assert_eq!(manifest.kind, PluginKind::Backend);
        assert_eq!(manifest.command, ["node", "my main.js"]);
        assert_eq!(manifest.requires_env, ["A", "B"]);
        assert_eq!(manifest.provides_tools, ["one"]);
        assert_eq!(Manifest::read(json!({"kind": "surprise"}), "x").kind, PluginKind::Standalone);
        assert_eq!(Manifest::read(json!([1]), "x").name, "x");
    }
}
