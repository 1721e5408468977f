//! Putting what a plugin brings into the runtime, and keeping the books on it.
//!
//! May happen more than once: from the record of an earlier run, then from the plugin's own words,
//! then whenever it registers something later. What is there already stays as it is; tools that are
//! no longer there are taken away. What could not be taken up is written down with the reason, and
//! never credited to the plugin.

use std::collections::HashSet;
use std::sync::Arc;

use hermes_runtime::hooks::HookEvent;

use super::skill_files::document;
use super::{Plugin, hooks, middleware, tools};
use crate::protocol::{CommandEntry, Registrations};

/// Most tools one plugin may bring.
pub(crate) const MAX_TOOLS: usize = 500;

/// What is known about a plugin.
#[derive(Debug, Default)]
pub(crate) struct PluginState {
    /// What it says it brings.
    pub(crate) brings: Registrations,
    /// Whether that is certain enough to begin without asking it.
    pub(crate) is_current: bool,
    /// What runs it, in its own words.
    pub(crate) runs_on: Option<String>,
    /// Why it does not work.
    pub(crate) error: Option<String>,
    /// The tools that are its own in the registry.
    pub(crate) tools: Vec<String>,
    /// Slash commands in force.
    pub(crate) commands: Vec<CommandEntry>,
    /// What was not taken up, and why.
    pub(crate) refused: Vec<String>,
    hooks: HashSet<(String, String)>,
    middleware: HashSet<String>,
}

/// Takes up what a plugin brings.
pub(super) fn attach(plugin: &Arc<Plugin>, mut brings: Registrations) {
    let mut refused = Vec::new();
    if brings.tools.len() > MAX_TOOLS {
        refused
            .push(format!("{} tools beyond the first {MAX_TOOLS}", brings.tools.len() - MAX_TOOLS));
        brings.tools.truncate(MAX_TOOLS);
    }
    let tools = tools::attach(plugin, &brings.tools, &mut refused);
    attach_hooks(plugin, &brings, &mut refused);
    attach_middleware(plugin, &brings, &mut refused);
    let commands = commands(plugin, &brings, &mut refused);
    for skill in brings.skills.iter().filter(|skill| document(&plugin.found, &skill.path).is_none())
    {
        refused.push(format!("skill {}: no .md file in the plugin's folder", skill.name));
    }
    let mut book = plugin.book();
    book.brings = brings;
    book.tools = tools;
    book.commands = commands;
    book.refused = refused;
}

/// The same for the plugin's own words: what is not taken up is told in its log.
pub(super) fn attach_and_tell(plugin: &Arc<Plugin>, brings: Registrations) {
    attach(plugin, brings);
    for reason in &plugin.book().refused {
        plugin.log.line("hermes", &format!("not taken up: {reason}"));
        tracing::info!("plugin '{}': not taken up: {reason}", plugin.key());
    }
}

fn attach_hooks(plugin: &Arc<Plugin>, brings: &Registrations, refused: &mut Vec<String>) {
    for hook in &brings.hooks {
        let Some(event) = HookEvent::from_name(&hook.event) else {
            refused.push(format!("hook {}: no such event", hook.event));
            continue;
        };
        if plugin.book().hooks.insert((hook.id.clone(), hook.event.clone())) {
            plugin.shared.runtime.hooks().on(event, hooks::hook(plugin, event, &hook.id));
        }
    }
}

fn attach_middleware(plugin: &Arc<Plugin>, brings: &Registrations, refused: &mut Vec<String>) {
    for layer in &brings.middleware {
        let add = match layer.kind.as_str() {
            "tool_request" => middleware::on_request,
            "tool_execution" => middleware::on_execution,
            "llm_request" | "llm_execution" => {
                refused.push(format!("middleware {}: not raised by this build yet", layer.kind));
                continue;
            }
            other => {
                refused.push(format!("middleware {other}: no such kind"));
                continue;
            }
        };
        if plugin.book().middleware.insert(layer.id.clone()) {
            add(plugin, &layer.id);
        }
    }
}

fn commands(
    plugin: &Plugin,
    brings: &Registrations,
    refused: &mut Vec<String>,
) -> Vec<CommandEntry> {
    let mut taken: Vec<CommandEntry> = Vec::new();
    for command in &brings.commands {
        let name = command_name(&command.name);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_word) {
            refused.push(format!("command /{name}: not a name one could type"));
        } else if plugin.shared.reserved_commands.contains(&name) {
            refused.push(format!("command /{name}: Hermes has one of that name"));
        } else if taken.iter().all(|known| known.name != name) {
            taken.push(CommandEntry { name, ..command.clone() });
        }
    }
    taken
}

/// A name as it is typed: lower case, no slash, hyphens for spaces.
pub(crate) fn command_name(name: &str) -> String {
    let name = name.trim().trim_start_matches('/').to_lowercase();
    name.split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_named_as_it_is_typed() {
        assert_eq!(command_name("/My Cmd"), "my-cmd");
        assert_eq!(command_name(" weather "), "weather");
        assert_eq!(command_name("//"), "");
    }
}
