//! Slash commands: what they are called, what they take, and what they ask for.
//!
//! Each command is one `SlashCommand` in the table; the parser, `/help`, completion and the rule which
//! of them have to wait for a running turn all derive from it. Reading a command gives an
//! `SlashAction`, which is plain data; doing it is up to the chat.

mod action;
mod arguments;
mod help;
pub mod quick;
mod table;
#[cfg(test)]
mod tests;

use hermes_protocol::text::nearest;
use hermes_protocol::{ChatSession, PluginCommand};

use self::quick::QuickCommand;
use super::input::CommandWords;
pub use action::BusyMode;
pub(crate) use action::{HelpTopic, PlanRequest, ReasoningChange, SlashAction, effort_name};
pub(crate) use help::{help, help_on, names, plugin_help};
pub(crate) use table::COMMANDS;

/// One slash command.
pub(crate) struct SlashCommand {
    /// Without the slash.
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    /// What it takes, for people.
    pub(crate) takes: &'static str,
    /// Words that may follow, for completion.
    pub(crate) words: &'static [&'static str],
    pub(crate) group: CommandGroup,
    pub(crate) help: &'static str,
    pub(crate) when: CommandTiming,
    /// Reads what follows the name.
    pub(crate) read: fn(&str) -> Result<SlashAction, String>,
}

/// Whether a command can be used while the agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandTiming {
    /// At any time.
    Any,
    /// Only between turns: it changes what the turn builds on.
    Idle,
}

/// What commands are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandGroup {
    Session,
    Running,
    Settings,
    Tools,
    Writing,
    Program,
}

impl CommandGroup {
    /// In the order in which they are shown.
    pub(crate) const ALL: [Self; 6] =
        [Self::Session, Self::Running, Self::Settings, Self::Tools, Self::Writing, Self::Program];

    /// The heading.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Session => "Session",
            Self::Running => "While it works",
            Self::Settings => "Settings",
            Self::Tools => "Tools and knowledge",
            Self::Writing => "Writing",
            Self::Program => "Program",
        }
    }
}

/// What a line is.
pub(crate) enum ParsedLine<'a> {
    /// Something said to the agent.
    Text,
    /// A command and what follows it.
    Command(&'static SlashCommand, &'a str),
    /// It looks like a command and is none; this is the way out.
    Mistaken(String),
}

/// Tells whether a line is a command.
pub(crate) fn read(line: &str) -> ParsedLine<'_> {
    let Some(typed) = line.trim().strip_prefix('/') else { return ParsedLine::Text };
    let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let looks_like_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !looks_like_name {
        // A path, a comment, a pattern.
        return ParsedLine::Text;
    }
    let name = name.to_ascii_lowercase();
    match find(&name) {
        Ok(command) => ParsedLine::Command(command, rest.trim()),
        Err(mistake) => ParsedLine::Mistaken(mistake),
    }
}

/// Whether a name is one of ours.
pub(crate) fn is_taken(name: &str) -> bool {
    COMMANDS.iter().any(|command| command.name == name || command.aliases.contains(&name))
}

/// The command of a name, an alias, or the only one that begins like this.
fn find(name: &str) -> Result<&'static SlashCommand, String> {
    let names = |command: &'static SlashCommand| {
        std::iter::once(command.name).chain(command.aliases.iter().copied())
    };
    if let Some(command) = COMMANDS.iter().find(|command| names(command).any(|own| own == name)) {
        return Ok(command);
    }
    let beginning: Vec<&'static SlashCommand> =
        COMMANDS.iter().filter(|command| names(command).any(|own| own.starts_with(name))).collect();
    match beginning.as_slice() {
        [only] => Ok(only),
        [] => {
            let near = nearest(name, COMMANDS.iter().flat_map(names));
            let near = near.map(|near| format!("Did you mean /{near}? ")).unwrap_or_default();
            Err(format!("There is no command /{name}.\n{near}/help lists them all."))
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|command| format!("/{}", command.name)).collect();
            Err(format!("/{name} could be any of these:\n{}", names.join(", ")))
        }
    }
}

/// A command of a plugin and what follows it, if the line is one. Its whole name has to be typed.
pub(crate) fn of_plugin(line: &str, commands: &[PluginCommand]) -> Option<(String, String)> {
    let typed = line.trim().strip_prefix('/')?;
    let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let name = name.to_lowercase();
    commands.iter().any(|command| command.name == name).then(|| (name, rest.trim().to_owned()))
}

/// Whether a line calls a skill: by its whole name, which is none of our own commands. Telegram and habit write `_`
/// for `-`.
pub(crate) fn calls_skill(line: &str, commands: &[PluginCommand]) -> bool {
    let Some(typed) = line.trim().strip_prefix('/') else { return false };
    let name = typed.split(char::is_whitespace).next().unwrap_or_default();
    let name = name.to_lowercase().replace('_', "-");
    !is_taken(&name) && commands.iter().any(|command| command.name == name)
}

/// Names that commands of plugins cannot have.
#[must_use]
pub fn reserved_names() -> Vec<String> {
    COMMANDS
        .iter()
        .flat_map(|command| std::iter::once(&command.name).chain(command.aliases))
        .map(|name| (*name).to_owned())
        .collect()
}

/// The commands that plugins and skills bring to a conversation.
pub(crate) fn brought_commands(conversation: &dyn ChatSession) -> Vec<PluginCommand> {
    let mut all = conversation.plugin_commands();
    all.extend(
        conversation.skill_commands().into_iter().filter(|command| !is_taken(&command.name)),
    );
    all
}

/// What completion has to know, commands of one's own and of plugins included.
pub(crate) fn command_words(
    quick: &[QuickCommand],
    of_plugins: Vec<PluginCommand>,
) -> Vec<CommandWords> {
    let mut words: Vec<CommandWords> = COMMANDS
        .iter()
        .map(|command| CommandWords {
            name: command.name.into(),
            words: command.words,
            help: command.help.into(),
            takes: command.takes.into(),
            aliases: command.aliases,
        })
        .chain(quick.iter().map(|quick| CommandWords {
            name: quick.name.clone().into(),
            words: &[],
            help: quick.about().into(),
            takes: "".into(),
            aliases: &[],
        }))
        .collect();
    words.extend(of_plugins.into_iter().map(|command| CommandWords {
        name: command.name.into(),
        words: &[],
        help: command.help.into(),
        takes: command.takes.into(),
        aliases: &[],
    }));
    words.sort_by(|one, other| one.name.cmp(&other.name));
    words
}
