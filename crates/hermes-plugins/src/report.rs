//! What became of a plugin, for people and programs.

use hermes_runtime::hooks::HookEvent;
use serde::Serialize;

use crate::plugin::Plugin;
use crate::plugin::skill_files::document;
use crate::protocol::{
    CliCommand, CommandEntry, HookEntry, MiddlewareEntry, OtherEntry, SkillEntry,
};

/// Events that no part of this build raises yet.
const NOT_RAISED: [HookEvent; 4] = [
    HookEvent::PreGatewayDispatch,
    HookEvent::KanbanTaskClaimed,
    HookEvent::KanbanTaskCompleted,
    HookEvent::KanbanTaskBlocked,
];

/// What a loaded plugin brings and how it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PluginReport {
    /// What it is called in the settings.
    pub key: String,
    /// What runs it, in its own words.
    pub runs_on: Option<String>,
    /// Why it does not work.
    pub error: Option<String>,
    /// Whether anything is known about it.
    pub has_run: bool,
    /// Whether that is certain: nothing it depends on has changed since.
    pub is_current: bool,
    /// Its tools in the registry.
    pub tools: Vec<String>,
    /// What it is told about, in the order in which it registered.
    pub hooks: Vec<HookEntry>,
    /// Where it stands between a call and its tool.
    pub middleware: Vec<MiddlewareEntry>,
    /// Slash commands in force.
    pub commands: Vec<CommandEntry>,
    /// Commands for the shell.
    pub cli_commands: Vec<CliCommand>,
    /// Skills it tells of.
    pub skills: Vec<SkillEntry>,
    /// What was not taken up, and why.
    pub refused: Vec<String>,
    /// What Hermes took note of and cannot use yet.
    pub unused: Vec<String>,
    /// Variables it asks for and does not get.
    pub missing_env: Vec<String>,
    /// Where what it writes to standard error goes.
    pub log: std::path::PathBuf,
}

impl PluginReport {
    pub(crate) fn of(plugin: &Plugin) -> Self {
        let granted = plugin.shared.granted(&plugin.found);
        let book = plugin.book();
        let brings = &book.brings;
        let wanted = brings.tools.iter().flat_map(|tool| tool.requires_env.iter().flatten());
        let mut missing_env: Vec<String> = plugin
            .found
            .manifest
            .requires_env
            .iter()
            .chain(wanted)
            .filter(|name| !granted.contains(name))
            .cloned()
            .collect();
        missing_env.sort();
        missing_env.dedup();
        let is_silent = |hook: &&HookEntry| {
            HookEvent::from_name(&hook.event).is_some_and(|event| NOT_RAISED.contains(&event))
        };
        let silent = brings.hooks.iter().filter(is_silent);
        let unused = silent
            .map(|hook| format!("hook {}: nothing in this build raises it yet", hook.event))
            .chain(brings.others.iter().map(|OtherEntry { kind, name }| format!("{kind} {name}")))
            .collect();
        Self {
            key: plugin.key().to_owned(),
            runs_on: book.runs_on.clone(),
            error: book.error.clone(),
            has_run: book.is_current || !book.tools.is_empty() || book.runs_on.is_some(),
            is_current: book.is_current,
            tools: book.tools.clone(),
            hooks: brings.hooks.clone(),
            middleware: brings.middleware.clone(),
            commands: book.commands.clone(),
            cli_commands: brings.cli_commands.clone(),
            skills: brings
                .skills
                .iter()
                .filter(|skill| document(&plugin.found, &skill.path).is_some())
                .cloned()
                .collect(),
            refused: book.refused.clone(),
            unused,
            missing_env,
            log: plugin.log.path().to_owned(),
        }
    }
}
