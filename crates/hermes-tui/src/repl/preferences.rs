//! How the agent speaks and thinks, commands of one's own, the clipboard, settings read anew, and
//! what a report of a fault needs.

use hermes_llm::model::Effort;
use hermes_protocol::NoticeLevel;
use hermes_protocol::{PersonalitySummary, ReloadedSettings};

use super::outcome::CommandOutcome;
use super::picker::{Picker, PickerItem};
use super::{ChatTerminal, Repl};
use crate::clipboard::Clip;
use crate::display::fit::{shown, wrap_text};
use crate::display::{DisplayOptions, Ink, Theme};
use crate::quick::{QuickAction, QuickCommand};
use crate::settings::ChatSettings;
use crate::slash::{brought_commands, command_words};

impl<S: ChatTerminal> Repl<S> {
    /// Shows the ways to speak, or chooses one.
    pub(super) fn personality(&mut self, name: Option<String>) {
        self.ask_agent(move |agent| async move {
            match name {
                Some(name) => agent.choose_personality(name).await.map(CommandOutcome::Line),
                None => {
                    let mut items: Vec<PickerItem> =
                        agent.personalities().await?.into_iter().map(personality_item).collect();
                    items.push(PickerItem {
                        name: "none".to_owned(),
                        about: "the usual way".to_owned(),
                        line: "/personality none".to_owned(),
                        is_current: !items.iter().any(|item| item.is_current),
                        ..PickerItem::default()
                    });
                    Ok(CommandOutcome::Pick(Picker::new("Personalities", items)))
                }
            }
        });
    }

    /// Uses other shades from now on, also in later sessions.
    pub(super) fn theme(&mut self, name: Option<String>) {
        let Some(name) = name else {
            let item = |(theme, name, about): &(Theme, &str, &str)| PickerItem {
                name: (*name).to_owned(),
                about: (*about).to_owned(),
                line: format!("/theme {name}"),
                is_current: *theme == self.style.theme,
                ..PickerItem::default()
            };
            self.pick(Picker::new("Themes", Theme::ALL.iter().map(item).collect()));
            return;
        };
        let Some(theme) = Theme::named(&name) else {
            let known: Vec<&str> = Theme::ALL.iter().map(|(_, name, _)| *name).collect();
            let text = format!("There is no theme `{name}`; there are {}.", known.join(", "));
            self.notice(NoticeLevel::Warning, &text);
            return;
        };
        self.style.theme = theme;
        self.settings.theme = Some(theme);
        let words = ["config", "set", "display.theme", &name].map(str::to_owned).to_vec();
        self.run_command(words);
    }

    /// Thinks as little as possible, or as before.
    pub(super) fn toggle_fast(&mut self) {
        let (effort, line) = match self.before_fast.take() {
            Some(before) => (before, "The model thinks as before."),
            None => {
                self.before_fast = Some(self.conversation.status().effort);
                (
                    Some(Effort::None),
                    "The model thinks as little as it can. /fast again: as before.",
                )
            }
        };
        self.ask_agent(move |agent| async move {
            agent.set_effort(effort).await?;
            Ok(CommandOutcome::Line(line.to_owned()))
        });
    }

    /// Runs a command of one's own; one that stands for another line gives that line.
    pub(super) fn run_quick(&mut self, quick: &QuickCommand, rest: &str) -> Option<String> {
        let command = match quick.with(rest) {
            QuickAction::Alias(line) => return Some(line),
            QuickAction::Exec(command) => command,
        };
        if self.is_busy() {
            let text = format!("/{} has to wait for the end of the turn.", quick.name);
            self.notice(NoticeLevel::Warning, &text);
            return None;
        }
        let style = self.style();
        self.ask_agent(move |agent| async move {
            let text = shown(&agent.run_quick(command).await?);
            let rows = text.lines().flat_map(|line| wrap_text(line, style.width)).collect();
            Ok(CommandOutcome::Rows(rows))
        });
        None
    }

    /// Takes what lies in the clipboard.
    pub(super) fn paste(&mut self) {
        let clipboard = self.terminal.clipboard();
        self.ask_agent(move |_| async move { clipboard.await.map(CommandOutcome::Pasted) });
    }

    pub(super) fn pasted(&mut self, clip: Clip) {
        match clip {
            Clip::Image(file) => self.images.push(file),
            Clip::Text(text) => self.composer.on_paste(&text),
        }
    }

    /// Puts settings into force that were read anew.
    pub(super) fn reloaded(&mut self, reloaded: &ReloadedSettings) {
        let tools = self.transcript.shown.tools;
        self.settings = ChatSettings::read(&reloaded.config, self.settings.redactor);
        self.transcript.shown = DisplayOptions { tools, ..self.settings.shown };
        self.composer.set_style(self.settings.editing);
        self.quick = QuickCommand::read(&reloaded.config);
        let commands = command_words(&self.quick, brought_commands(&*self.conversation));
        self.composer.set_commands(commands);
        self.notice(NoticeLevel::Info, &reloaded.lines.join("\n"));
    }

    /// What a report of a fault needs: no secrets, nothing that was said.
    pub(super) fn debug(&mut self) {
        let run = self.terminal.command_line();
        let (style, status) = (self.style(), self.conversation.status());
        let facts = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
            ("terminal", format!("{} columns, {} rows", self.size.columns, self.size.rows)),
            ("home", self.home.display().to_string()),
            ("model", format!("{} ({})", status.model, status.provider)),
            ("session", format!("{}, {} messages", status.session_id, status.messages)),
            ("tools", status.tools.to_string()),
        ];
        self.ask_agent(move |_| async move {
            let mut rows = vec![style.paint(Ink::BOLD, "For a report of a fault")];
            rows.extend(super::reports::pairs(&facts, &style));
            let parts = [("Settings", ["config", "show"].as_slice()), ("Checks", &["doctor"])];
            let more = move || {
                let mut rows = Vec::new();
                for (title, words) in parts {
                    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                    rows.push(String::new());
                    rows.push(style.paint(Ink::BOLD, title));
                    rows.extend(run(&words, &style));
                }
                rows
            };
            rows.extend(tokio::task::spawn_blocking(more).await?);
            Ok(CommandOutcome::Rows(rows))
        });
    }
}

fn personality_item(way: PersonalitySummary) -> PickerItem {
    PickerItem {
        line: format!("/personality {}", way.name),
        preview: "From the next session on. Your own: agent.personalities".to_owned(),
        name: way.name,
        about: way.about,
        is_current: way.is_chosen,
    }
}
