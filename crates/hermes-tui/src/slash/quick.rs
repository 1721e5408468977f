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

use hermes_store::config::Config;
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
        let section = config.value()["quick_commands"].as_object();
        let mut all: Vec<Self> = section
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| one(name, value))
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

fn one(name: &str, value: &Value) -> Option<QuickCommand> {
    let name = name.trim().trim_start_matches('/').to_ascii_lowercase();
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let text = |key: &str| {
        let text = value[key].as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let does = match (value, value["type"].as_str()) {
        (Value::String(command), _) if !command.trim().is_empty() => {
            QuickAction::Exec(command.trim().to_owned())
        }
        (_, Some("alias")) => QuickAction::Alias(text("target")?),
        (_, Some("exec") | None) => QuickAction::Exec(text("command")?),
        _ => return None,
    };
    is_name.then_some(QuickCommand { name, does })
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
