//! The list of commands and keys.

use hermes_protocol::PluginCommand;

use super::quick::QuickCommand;
use super::{COMMANDS, CommandGroup, CommandTiming, SlashCommand};
use crate::display::fit::{StyledSpan, columns, padded, wrap};
use crate::display::{Ink, Style};

/// Longer names and arguments stand on a row of their own.
const MAX_LEFT: usize = 32;

/// In front of what also works while the agent does.
const ANY_TIME: &str = "· ";
const IDLE: &str = "  ";

/// The names of all commands, group by group: what fits a page.
pub(crate) fn names(
    quick: &[QuickCommand],
    brought: &[PluginCommand],
    style: &Style,
) -> Vec<String> {
    let widest = CommandGroup::ALL.iter().map(|group| columns(group.title())).max().unwrap_or(0);
    let mut rows = vec![String::new()];
    let mut add = |title: &str, names: Vec<String>| {
        if names.is_empty() {
            return;
        }
        let room = style.width.saturating_sub(widest + 4);
        for (at, line) in wrap(&[StyledSpan::plain(names.join(" "))], room).iter().enumerate() {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            let title = padded(if at == 0 { title } else { "" }, widest);
            rows.push(format!(
                "  {}  {}",
                style.paint(Ink::BOLD, &title),
                style.paint(Ink::CYAN, &text)
            ));
        }
    };
    for group in CommandGroup::ALL {
        let of_group = COMMANDS.iter().filter(|command| command.group == group);
        add(group.title(), of_group.map(|command| format!("/{}", command.name)).collect());
    }
    add("Your own", quick.iter().map(|quick| format!("/{}", quick.name)).collect());
    add("From plugins", brought.iter().map(|command| format!("/{}", command.name)).collect());
    rows.push(String::new());
    for line in [
        "/help COMMAND says what one does, /help all pages through all of them, ? shows the keys.",
        "The beginning of a name is enough. @ names files, ! runs a command of yours.",
    ] {
        let lines = wrap(&[StyledSpan::plain(line)], style.width.saturating_sub(2));
        rows.extend(lines.iter().map(|line| {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            style.paint(Ink::DIM, &format!("  {text}"))
        }));
    }
    rows
}

/// What one command takes and does.
pub(crate) fn help_on(name: &str, style: &Style) -> Vec<String> {
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return Vec::new();
    };
    let left = format!("/{} {}", command.name, command.takes);
    let mut rows = vec![format!("  {}", style.paint(Ink::CYAN, left.trim_end()))];
    let aliases: Vec<String> = command.aliases.iter().map(|alias| format!("/{alias}")).collect();
    let also = (!aliases.is_empty()).then(|| format!("also {}", aliases.join(", ")));
    let waits =
        (command.when == CommandTiming::Idle).then(|| "waits for the end of a turn".to_owned());
    for line in std::iter::once(command.help.to_owned()).chain(also).chain(waits) {
        rows.push(format!("  {line}"));
    }
    rows
}

/// The commands, group by group, and the keys.
pub(crate) fn help(quick: &[QuickCommand], keys: &[(String, &str)], style: &Style) -> Vec<String> {
    let left = |command: &SlashCommand| {
        let takes = if command.takes.is_empty() { "" } else { " " };
        format!("/{}{takes}{}", command.name, command.takes)
    };
    let widest = COMMANDS.iter().map(|command| columns(&left(command))).max().unwrap_or(0);
    let widest = widest.min(MAX_LEFT).min(style.width / 2);
    let mut rows = Vec::new();
    for group in CommandGroup::ALL {
        rows.push(String::new());
        rows.push(style.paint(Ink::BOLD, group.title()));
        for command in COMMANDS.iter().filter(|command| command.group == group) {
            let aliases: Vec<String> =
                command.aliases.iter().map(|alias| format!("/{alias}")).collect();
            let aliases = match aliases.is_empty() {
                true => String::new(),
                false => format!(" (also {})", aliases.join(", ")),
            };
            let lead = if command.when == CommandTiming::Any { ANY_TIME } else { IDLE };
            let about = format!("{}{aliases}", command.help);
            rows.extend(row(lead, (&left(command), &about), widest, style));
        }
    }
    if !quick.is_empty() {
        rows.push(String::new());
        rows.push(style.paint(Ink::BOLD, "Your own"));
        for quick in quick {
            let name = format!("/{}", quick.name);
            rows.extend(row(IDLE, (&name, &quick.about()), widest, style));
        }
    }
    rows.push(String::new());
    rows.push(style.paint(Ink::BOLD, "Keys"));
    for (key, does) in keys {
        rows.extend(row(IDLE, (key, does), widest, style));
    }
    rows.push(String::new());
    rows.push(
        style.paint(
            Ink::DIM,
            "· also works while the agent does. The beginning of a name is enough.",
        ),
    );
    rows
}

/// The commands of plugins, if there are any.
pub(crate) fn plugin_help(commands: &[PluginCommand], style: &Style) -> Vec<String> {
    if commands.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![String::new(), style.paint(Ink::BOLD, "From plugins")];
    let widest = MAX_LEFT.min(style.width / 2);
    for command in commands {
        let takes = if command.takes.is_empty() { "" } else { " " };
        let left = format!("/{}{takes}{}", command.name, command.takes);
        rows.extend(row(ANY_TIME, (&left, &command.help), widest, style));
    }
    rows
}

fn row(mark: &str, (left, right): (&str, &str), widest: usize, style: &Style) -> Vec<String> {
    let lead = 2 + widest + 2;
    let lines = wrap(&[StyledSpan::plain(right)], style.width.saturating_sub(lead));
    let text = |line: &[StyledSpan]| line.iter().map(|span| span.text.as_str()).collect::<String>();
    let mut rows = Vec::new();
    let mut lines = lines.iter();
    if columns(left) > widest {
        rows.push(format!("{mark}{}", style.paint(Ink::CYAN, left)));
    } else if let Some(first) = lines.next() {
        let gap = " ".repeat(columns(&padded(left, widest)) - columns(left) + 2);
        rows.push(format!("{mark}{}{gap}{}", style.paint(Ink::CYAN, left), text(first)));
    }
    rows.extend(lines.map(|line| format!("{}{}", " ".repeat(lead), text(line))));
    rows
}
