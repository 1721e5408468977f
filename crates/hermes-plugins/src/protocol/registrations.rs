//! What a plugin brings, as it says it.
//!
//! Every list may be left out, and fields nobody knows are ignored, so that a plugin for a later
//! version of Hermes still loads. What the host cannot use is kept for listings.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Everything a plugin brings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Registrations {
    /// What the model may call.
    #[serde(deserialize_with = "sound")]
    pub tools: Vec<ToolEntry>,
    /// Hooks, in the order in which they are called.
    #[serde(deserialize_with = "sound")]
    pub hooks: Vec<HookEntry>,
    /// Middleware, from the outside inwards.
    #[serde(deserialize_with = "sound")]
    pub middleware: Vec<MiddlewareEntry>,
    /// Slash commands.
    #[serde(deserialize_with = "sound")]
    pub commands: Vec<CommandEntry>,
    /// Commands for the shell.
    #[serde(deserialize_with = "sound")]
    pub cli_commands: Vec<CliCommand>,
    /// Folders with a `SKILL.md`.
    #[serde(deserialize_with = "sound")]
    pub skills: Vec<SkillEntry>,
    /// Whatever else it registered.
    #[serde(deserialize_with = "sound")]
    pub others: Vec<OtherEntry>,
}

impl Registrations {
    /// Adds what was registered later; things of the same name replace earlier ones.
    pub fn merge(&mut self, later: Self) {
        let is_new = |name: &str| later.tools.iter().all(|tool| tool.name != name);
        self.tools.retain(|tool| is_new(&tool.name));
        self.tools.extend(later.tools);
        self.hooks.extend(later.hooks);
        self.middleware.extend(later.middleware);
        self.commands.extend(later.commands);
        self.cli_commands.extend(later.cli_commands);
        self.skills.extend(later.skills);
        self.others.extend(later.others);
    }
}

/// The entries that can be read; one that cannot is no reason to lose the others.
fn sound<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let values = Option::<Vec<Value>>::deserialize(deserializer)?.unwrap_or_default();
    let read = |value: Value| {
        let shown = value.to_string();
        serde_json::from_value(value)
            .inspect_err(|problem| {
                let shown: String = shown.chars().take(200).collect();
                tracing::warn!("a plugin's registration is left out ({problem}): {shown}");
            })
            .ok()
    };
    Ok(values.into_iter().filter_map(read).collect())
}

/// A tool as a plugin describes it, before the registry has looked at it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ToolEntry {
    /// What the model calls.
    pub name: String,
    /// The toolset it belongs to; the plugin's name by default.
    #[serde(default)]
    pub toolset: Option<String>,
    /// What it is for, as the model reads it.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(default)]
    pub parameters: Value,
    /// For tables and progress lines.
    #[serde(default)]
    pub emoji: Option<String>,
    /// What it does to the world; the careful assumption by default.
    #[serde(default)]
    pub effects: Option<Vec<String>>,
    /// Variables it wants to see; for display.
    #[serde(default)]
    pub requires_env: Option<Vec<String>>,
    /// Whether it is to replace a tool of another toolset.
    #[serde(default, rename = "override")]
    pub replaces: Option<bool>,
    /// Whether calls do not disturb each other.
    #[serde(default)]
    pub parallel: Option<bool>,
    /// Longest result, in characters.
    #[serde(default)]
    pub max_result_chars: Option<usize>,
    /// Whether it can be asked if it is available.
    #[serde(default)]
    pub check: Option<bool>,
    /// Whether it was available when it was registered.
    #[serde(default)]
    pub available: Option<bool>,
    /// Why not.
    #[serde(default)]
    pub reason: Option<String>,
}

/// A hook: an event, and what the plugin calls its callback.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HookEntry {
    /// Names the callback in calls; the event's name by default.
    pub id: String,
    /// When it is called: one of the names of the hooks.
    pub event: String,
}

impl<'de> Deserialize<'de> for HookEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (id, event) = named(deserializer, "event")?;
        Ok(Self { id, event })
    }
}

/// Middleware: its kind, and what the plugin calls its callback.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MiddlewareEntry {
    /// Names the callback in calls; the kind's name by default.
    pub id: String,
    /// `tool_request` or `tool_execution`.
    pub kind: String,
}

impl<'de> Deserialize<'de> for MiddlewareEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (id, kind) = named(deserializer, "kind")?;
        Ok(Self { id, kind })
    }
}

/// A name, or an object with one and an id.
fn named<'de, D: Deserializer<'de>>(
    deserializer: D,
    key: &'static str,
) -> Result<(String, String), D::Error> {
    let value = Value::deserialize(deserializer)?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let name = text(Some(&value)).or_else(|| text(value.get(key)));
    let name = name.ok_or_else(|| serde::de::Error::missing_field(key))?;
    Ok((text(value.get("id")).unwrap_or_else(|| name.clone()), name))
}

/// A slash command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct CommandEntry {
    /// What is typed, with or without the slash.
    pub name: String,
    /// A line on what it does.
    #[serde(default)]
    pub description: String,
    /// What it takes, for people.
    #[serde(default)]
    pub args_hint: String,
}

/// A command for the shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct CliCommand {
    /// What stands behind `hermes` on the command line.
    pub name: String,
    /// A line on what it does.
    #[serde(default)]
    pub description: String,
}

/// A skill that comes with the plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct SkillEntry {
    /// Its name, `plugin:skill`.
    pub name: String,
    /// Where it is.
    #[serde(default)]
    pub path: String,
    /// A line on what it teaches.
    #[serde(default)]
    pub description: String,
}

/// Something the host has no use for yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct OtherEntry {
    /// What sort of thing, such as `platform` or `image_gen_provider`.
    pub kind: String,
    /// What the plugin calls it; only shown.
    #[serde(default)]
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn short_forms_are_read_and_a_bad_entry_loses_only_itself() {
        let read: Registrations = serde_json::from_value(json!({
            "tools": [{"name": "a"}, {"toolset": "nameless"}, 7],
            "hooks": ["pre_tool_call", {"id": "h", "event": "post_tool_call"}, {"id": "x"}],
            "middleware": null, "news": 1,
        }))
        .unwrap();
        assert_eq!(read.tools.len(), 1);
        assert_eq!(read.hooks.len(), 2);
        assert_eq!((&*read.hooks[0].id, &*read.hooks[1].id), ("pre_tool_call", "h"));
    }
}
