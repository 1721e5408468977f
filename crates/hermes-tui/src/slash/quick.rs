//! Commands of one's own: the section `quick_commands` of the settings.
//!
//! ```yaml
//! quick_commands:
//!   disk: { type: exec, command: df -h . }
//!   fix: { type: alias, target: /model small --provider local }
//! ```
//!
//! `/disk` runs a command line, past the same rules as the agent's commands; `/fix` stands for
//! another slash command, or for something said to the agent. What follows the name is added at the
//! end. A name that Hermes has itself keeps its meaning.

use std::collections::BTreeMap;

use hermes_store::config::Config;
use hermes_tool::Vars;
use hermes_tool::settings::{Kind, SettingValue, Settings, TextOr};
use serde_json::Value;

/// A command of one's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickCommand {
    /// Without the slash.
    pub name: String,
    /// A command line, or another slash command.
    pub does: QuickAction,
}

/// What it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuickAction {
    /// Runs a command line.
    Exec(String),
    /// Stands for another line.
    Alias(String),
}

impl QuickCommand {
    /// All that can be used, by name. `hermes config check` and `/reload` tell of others.
    pub fn read(config: &Config) -> Vec<Self> {
        let written = QuickKeys::read(config.value(), &Vars::default()).quick_commands;
        let mut all: Vec<Self> = written
            .into_iter()
            .filter_map(|(name, written)| one(&name, written))
            .filter(|quick| !super::is_taken(&quick.name))
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// A line on what it does.
    pub fn about(&self) -> String {
        match &self.does {
            QuickAction::Exec(command) => format!("runs `{command}`"),
            QuickAction::Alias(target) => format!("stands for {target}"),
        }
    }

    /// The line with what follows the name.
    pub fn with(&self, rest: &str) -> QuickAction {
        let joined = |line: &str| format!("{line} {rest}").trim_end().to_owned();
        match &self.does {
            QuickAction::Exec(command) => QuickAction::Exec(joined(command)),
            QuickAction::Alias(target) => QuickAction::Alias(joined(target)),
        }
    }
}

/// The one a line calls, and what follows its name.
pub(crate) fn find<'a, 'b>(
    all: &'a [QuickCommand],
    line: &'b str,
) -> Option<(&'a QuickCommand, &'b str)> {
    let typed = line.trim().strip_prefix('/')?;
    let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let found = all.iter().find(|quick| quick.name.eq_ignore_ascii_case(name))?;
    Some((found, rest.trim()))
}

fn one(name: &str, written: TextOr<QuickSection>) -> Option<QuickCommand> {
    let name = name.trim().trim_start_matches('/').to_ascii_lowercase();
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let QuickSection { kind, command, target } = written
        .into_parts(|command| QuickSection { command: Some(command), ..QuickSection::default() });
    let trimmed = |text: Option<String>| text.map(|text| text.trim().to_owned());
    let does = match kind {
        QuickKind::Alias => QuickAction::Alias(trimmed(target)?),
        QuickKind::Exec => QuickAction::Exec(trimmed(command)?),
        QuickKind::Unknown => return None,
    };
    is_name.then_some(QuickCommand { name, does })
}

/// The section as it is written.
#[derive(Settings)]
struct QuickKeys {
    /// Your own slash commands: a command line, or a section.
    quick_commands: BTreeMap<String, TextOr<QuickSection>>,
}

/// One command, written in full.
#[derive(Settings)]
#[settings(manual, about = "One slash command")]
struct QuickSection {
    /// Whether it runs a command line or stands for another slash command.
    #[setting(key = "type")]
    kind: QuickKind,
    /// The command line it runs.
    command: Option<String>,
    /// What it stands for.
    target: Option<String>,
}

#[derive(Clone, Copy, Default)]
enum QuickKind {
    #[default]
    Exec,
    Alias,
    /// Neither: the command does not count, for what was meant is not known.
    Unknown,
}

impl SettingValue for QuickKind {
    const KIND: Kind = Kind::OneOf(&["exec", "alias"]);

    fn from_config(value: &Value) -> Option<Self> {
        Some(match value.as_str() {
            Some("exec") => Self::Exec,
            Some("alias") => Self::Alias,
            _ => Self::Unknown,
        })
    }

    fn to_config(&self) -> String {
        "exec".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn commands_are_read_and_what_is_taken_or_wrong_is_left_out() {
        let config = Config::from_value(json!({"quick_commands": {
            "disk": {"type": "exec", "command": " df -h "},
            "/up": "uptime",
            "fix": {"type": "alias", "target": "/model small"},
            "help": {"type": "exec", "command": "echo no"},
            "two words": {"type": "exec", "command": "x"},
            "odd": {"type": "sing", "command": "x"},
            "empty": {"type": "exec"}}}));
        let all = QuickCommand::read(&config);
        let names: Vec<&str> = all.iter().map(|quick| quick.name.as_str()).collect();
        assert_eq!(names, ["disk", "fix", "up"]);
        let (found, rest) = find(&all, "/DISK /tmp  x").unwrap();
        assert_eq!(found.with(rest), QuickAction::Exec("df -h /tmp  x".into()));
        assert_eq!(all[1].with(""), QuickAction::Alias("/model small".into()));
        assert_eq!(all[2].does, QuickAction::Exec("uptime".into()));
        assert!(find(&all, "/dis").is_none() && find(&all, "disk").is_none());
    }
}
