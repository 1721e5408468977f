//! Commands of the command line, used from within a conversation.

use clap::{CommandFactory, Parser};
use hermes_protocol::text::error_chain;
use hermes_tui::display::{Colour, Ink, Style};

use crate::args::GlobalFlags;
use crate::cli::Cli;
use crate::ui::Ui;

/// Commands that need the terminal for themselves.
const NEED_TERMINAL: &[[&str; 2]] = &[["config", "edit"], ["tools", "call"], ["cron", "daemon"]];

/// Runs the words after `hermes` and gives what would have been printed.
pub(crate) fn run(words: &[String], flags: &GlobalFlags, style: &Style) -> Vec<String> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    if !Cli::command().get_subcommands().any(|known| known.get_name() == first) {
        let text = format!("! `hermes {first}`: this build cannot do that yet.");
        return vec![style.paint(Ink::YELLOW, &text)];
    }
    let needs_terminal =
        NEED_TERMINAL.iter().any(|known| words.starts_with(&known.map(str::to_owned)));
    if needs_terminal {
        let text = format!("! `hermes {}` has to be run in a shell.", words.join(" "));
        return vec![style.paint(Ink::YELLOW, &text)];
    }
    let all = std::iter::once("hermes").chain(words.iter().map(String::as_str));
    let text = match Cli::try_parse_from(all) {
        Err(mistake) => mistake.render().ansi().to_string(),
        Ok(cli) => {
            let cli = Cli { flags: flags.clone(), ..cli };
            let (mut ui, printed) = Ui::captured(style.width);
            let failed = crate::run(&cli, &mut ui).err().map(crate::in_our_words);
            drop(ui);
            let mut text = printed.text();
            text.extend(failed.map(|problem| format!("! {}\n", error_chain(&*problem))));
            text
        }
    };
    let text = match style.colour {
        Colour::On => text,
        Colour::Off => anstream::adapter::strip_str(&text).to_string(),
    };
    text.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        run(&words, &GlobalFlags::default(), &Style::new(Colour::Off, 80)).join("\n")
    }

    #[test]
    fn toolsets_are_listed_as_on_the_command_line() {
        let listed = said(&["toolsets", "show", "todo"]);
        assert!(listed.contains("todo"), "{listed}");
    }

    #[test]
    fn what_is_missing_or_needs_the_terminal_says_so() {
        assert!(said(&["kanban"]).contains("cannot do that yet"));
        assert!(said(&["config", "edit"]).contains("in a shell"));
        assert!(said(&["tools", "call", "todo"]).contains("in a shell"));
        assert!(said(&["tools", "lisst"]).contains("unrecognized subcommand"));
    }
}
