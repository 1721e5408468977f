//! Fields that say when a skill is offered and what it needs.

use super::frontmatter::{Frontmatter, text_list};
use super::yaml::{YamlNode, YamlValue};

/// When a skill may be offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Gates {
    /// Systems it works on; none stands for all. As written.
    pub platforms: Vec<String>,
    /// Surroundings it is of use in; none stands for all. As written.
    pub environments: Vec<String>,
    /// Tools without which it is not shown.
    pub requires_tools: Vec<String>,
    /// Toolsets without which it is not shown.
    pub requires_toolsets: Vec<String>,
    /// Tools beside which it is not shown.
    pub fallback_for_tools: Vec<String>,
    /// Toolsets beside which it is not shown.
    pub fallback_for_toolsets: Vec<String>,
}

/// A secret or setting that a skill needs in its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentVariable {
    /// As a shell would spell it, see [`is_variable_name`].
    pub name: String,
    /// What to ask a person for.
    pub prompt: String,
    /// Where to get it.
    pub help: Option<String>,
    /// What it is needed for.
    pub required_for: Option<String>,
    /// Whether the skill works without it.
    pub optional: bool,
}

/// A setting of a skill, kept below `skills.config` in the settings.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigField {
    /// Its name.
    pub key: String,
    /// Shown to whoever sets it.
    pub description: String,
    /// What counts when it is not set.
    pub default: Option<String>,
    /// What to ask a person for.
    pub prompt: String,
}

impl Frontmatter {
    /// When the skill may be offered.
    #[must_use]
    pub fn gates(&self) -> Gates {
        let top = |name: &str| self.field(name).map(text_list).unwrap_or_default();
        let own = |name: &str| self.own_field(name).map(text_list).unwrap_or_default();
        Gates {
            platforms: top("platforms"),
            environments: top("environments"),
            requires_tools: own("requires_tools"),
            requires_toolsets: own("requires_toolsets"),
            fallback_for_tools: own("fallback_for_tools"),
            fallback_for_toolsets: own("fallback_for_toolsets"),
        }
    }

    /// What the skill needs in its environment: its own list, then what its setup collects, then the old spelling.
    /// The first mention of a name counts.
    #[must_use]
    pub fn environment_variables(&self) -> Vec<EnvironmentVariable> {
        let setup = self.field("setup");
        let general_help = setup.and_then(|setup| setup.get("help")).and_then(YamlNode::text);
        let lists = [
            self.field("required_environment_variables"),
            setup.and_then(|setup| setup.get("collect_secrets")),
            self.field("prerequisites").and_then(|old| old.get("env_vars")),
        ];
        let mut found: Vec<EnvironmentVariable> = Vec::new();
        for node in lists.into_iter().flatten().flat_map(several) {
            let Some(variable) = variable(node, general_help) else { continue };
            if found.iter().all(|known| known.name != variable.name) {
                found.push(variable);
            }
        }
        found
    }

    /// Commands an older document says it needs; good to know, no more.
    #[must_use]
    pub fn commands(&self) -> Vec<String> {
        self.field("prerequisites")
            .and_then(|old| old.get("commands"))
            .map(text_list)
            .unwrap_or_default()
    }

    /// What a person is told about setting the skill up.
    #[must_use]
    pub fn setup_help(&self) -> Option<&str> {
        self.field("setup")?.get("help")?.text().map(str::trim).filter(|help| !help.is_empty())
    }

    /// Files below the home that remote surroundings need; those with a path that could lead elsewhere are left out.
    #[must_use]
    pub fn credential_files(&self) -> Vec<String> {
        let node = self.field("required_credential_files");
        let path =
            |node: &YamlNode| node.text().or_else(|| node.get("path")?.text()).map(str::to_owned);
        let paths = node.into_iter().flat_map(several).filter_map(path);
        paths.filter(|path| is_inside(path)).collect()
    }

    /// Settings of the skill: those with a key and a description, the first of each key.
    #[must_use]
    pub fn config_fields(&self) -> Vec<ConfigField> {
        let Some(node) = self.own_field("config") else { return Vec::new() };
        let mut found: Vec<ConfigField> = Vec::new();
        for node in several(node) {
            let text = |key: &str| {
                let text = node.get(key)?.text()?.trim();
                (!text.is_empty()).then(|| text.to_owned())
            };
            let (Some(key), Some(description)) = (text("key"), text("description")) else {
                continue;
            };
            if found.iter().any(|known| known.key == key) {
                continue;
            }
            let prompt = text("prompt").unwrap_or_else(|| description.clone());
            found.push(ConfigField { key, description, default: text("default"), prompt });
        }
        found
    }
}

/// The items of a list, or the one thing that stands in for it.
fn several(node: &YamlNode) -> Vec<&YamlNode> {
    match &node.value {
        YamlValue::Sequence(items) => items.iter().collect(),
        _ if node.is_null() => Vec::new(),
        _ => vec![node],
    }
}

fn variable(node: &YamlNode, general_help: Option<&str>) -> Option<EnvironmentVariable> {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| node.get(key)?.text());
        found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let name =
        node.text().map(|name| name.trim().to_owned()).or_else(|| text(&["name", "env_var"]))?;
    if !is_variable_name(&name) {
        return None;
    }
    let is_true = |node: &YamlNode| node.to_json() == serde_json::Value::Bool(true);
    Some(EnvironmentVariable {
        prompt: text(&["prompt"]).unwrap_or_else(|| format!("Enter value for {name}")),
        help: text(&["help", "provider_url", "url"]).or_else(|| general_help.map(str::to_owned)),
        required_for: text(&["required_for"]),
        optional: node.get("optional").is_some_and(is_true),
        name,
    })
}

/// Whether a variable of the environment may have this name.
#[must_use]
pub fn is_variable_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a path stays below the folder it is joined to.
fn is_inside(path: &str) -> bool {
    let path = std::path::Path::new(path);
    let plain =
        |part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir);
    path.components().next().is_some() && path.components().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> Frontmatter {
        Frontmatter::read(block, 2).unwrap()
    }

    #[test]
    fn gates_are_lists_strings_or_nothing() {
        let gates = read(
            "platforms: linux\nenvironments: [docker, s6]\nmetadata:\n  hermes:\n    requires_tools: a, b\n\
             \x20   requires_toolsets: ~\n    fallback_for_tools: [c]\n    fallback_for_toolsets: web\n",
        )
        .gates();
        assert_eq!(gates.platforms, ["linux"]);
        assert_eq!(gates.environments, ["docker", "s6"]);
        assert_eq!(gates.requires_tools, ["a", "b"]);
        assert_eq!(gates.requires_toolsets, [""; 0]);
        assert_eq!(gates.fallback_for_tools, ["c"]);
        assert_eq!(gates.fallback_for_toolsets, ["web"]);
    }

    #[test]
    fn variables_come_from_three_places_and_the_first_mention_counts() {
        let block = read(
            "required_environment_variables:\n  - A\n  - {name: B, prompt: Your b, help: see b, optional: yes}\n\
             \x20 - {env_var: C, provider_url: 'https://c'}\n  - 9bad\n  - {prompt: nameless}\n\
             setup:\n  help: general\n  collect_secrets:\n    - {env_var: A, prompt: again}\n    - {env_var: D}\n\
             prerequisites:\n  env_vars: [E, D]\n  commands: [jq]\n",
        );
        let found = block.environment_variables();
        let names: Vec<&str> = found.iter().map(|variable| variable.name.as_str()).collect();
        assert_eq!(names, ["A", "B", "C", "D", "E"]);
        assert_eq!(found[0].prompt, "Enter value for A");
        assert_eq!(found[0].help.as_deref(), Some("general"));
        assert_eq!((found[1].prompt.as_str(), found[1].help.as_deref()), ("Your b", Some("see b")));
        assert!(found[1].optional && !found[2].optional);
        assert_eq!(found[2].help.as_deref(), Some("https://c"));
        assert_eq!(block.commands(), ["jq"]);
        assert_eq!(block.setup_help(), Some("general"));
    }

    #[test]
    fn one_variable_needs_no_list() {
        assert_eq!(
            read("required_environment_variables: A\n").environment_variables()[0].name,
            "A"
        );
        let one = read("required_environment_variables: {name: B, required_for: uploads}\n");
        assert_eq!(one.environment_variables()[0].required_for.as_deref(), Some("uploads"));
    }

    #[test]
    fn credential_files_stay_below_the_home() {
        let block =
            read("required_credential_files: [a/b.json, ../x, /etc/passwd, '', {path: c.json}]\n");
        assert_eq!(block.credential_files(), ["a/b.json", "c.json"]);
    }

    #[test]
    fn settings_need_a_key_and_a_description() {
        let block = read(
            "metadata:\n  hermes:\n    config:\n      - {key: a, description: b, default: 010}\n\
             \x20     - {key: a, description: again}\n      - {key: x}\n      - {description: y}\n",
        );
        let found = block.config_fields();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].prompt.as_str(), found[0].default.as_deref()), ("b", Some("010")));
        let one = read("metadata: {hermes: {config: {key: k, description: d, prompt: p}}}\n");
        assert_eq!(one.config_fields()[0].prompt, "p");
    }
}
