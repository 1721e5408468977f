//! How the agent speaks and thinks, commands of one's own, the clipboard, settings read anew, and
//! what a report of a fault needs.

use hermes_agent::Level;
use hermes_llm::model::Effort;

use super::actions::Outcome;
use super::{Repl, Stage};
use crate::chat::clipboard::Clip;
use crate::chat::conversation::{PersonalityLine, Reloaded};
use crate::chat::display::fit::{columns, cut, on_one_line, padded, shown, wrap_text};
use crate::chat::display::{Ink, Shown, Style};
use crate::chat::quick::{Does, QuickCommand};
use crate::chat::slash::command_words;

impl<S: Stage> Repl<S> {
    /// Shows the ways to speak, or chooses one.
    pub(super) fn personality(&mut self, name: Option<String>) {
        let style = self.style();
        self.ask_agent(move |agent| async move {
            match name {
                Some(name) => agent.choose_personality(name).await.map(Outcome::Line),
                None => Ok(Outcome::Rows(personalities(&agent.personalities().await?, &style))),
            }
        });
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
            Ok(Outcome::Line(line.to_owned()))
        });
    }

    /// Runs a command of one's own; one that stands for another line gives that line.
    pub(super) fn run_quick(&mut self, quick: &QuickCommand, rest: &str) -> Option<String> {
        let command = match quick.with(rest) {
            Does::Alias(line) => return Some(line),
            Does::Exec(command) => command,
        };
        if self.is_busy() {
            let text = format!("/{} has to wait for the end of the turn.", quick.name);
            self.notice(Level::Warning, &text);
            return None;
        }
        let style = self.style();
        self.ask_agent(move |agent| async move {
            let text = shown(&agent.run_quick(command).await?);
            let rows = text.lines().flat_map(|line| wrap_text(line, style.width)).collect();
            Ok(Outcome::Rows(rows))
        });
        None
    }

    /// Takes what lies in the clipboard.
    pub(super) fn paste(&mut self) {
        let clipboard = self.stage.clipboard();
        self.ask_agent(move |_| async move { clipboard.await.map(Outcome::Pasted) });
    }

    pub(super) fn pasted(&mut self, clip: Clip) {
        match clip {
            Clip::Image(file) => self.images.push(file),
            Clip::Text(text) => self.editor.on_paste(&text),
        }
    }

    /// Puts settings into force that were read anew.
    pub(super) fn reloaded(&mut self, reloaded: Reloaded) {
        let tools = self.transcript.shown.tools;
        self.transcript.shown = Shown { tools, ..reloaded.settings.shown };
        self.settings = reloaded.settings;
        self.editor
            .set_commands(command_words(&reloaded.quick, self.conversation.plugin_commands()));
        self.quick = reloaded.quick;
        self.notice(Level::Info, &reloaded.lines.join("\n"));
    }

    /// What a report of a fault needs: no secrets, nothing that was said.
    pub(super) fn debug(&mut self) {
        let run = self.stage.command_line();
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
            Ok(Outcome::Rows(rows))
        });
    }
}

/// The ways to speak, the one in force marked.
fn personalities(lines: &[PersonalityLine], style: &Style) -> Vec<String> {
    let widest = lines.iter().map(|line| columns(&line.name)).max().unwrap_or(0);
    let mut rows: Vec<String> = lines
        .iter()
        .map(|line| {
            let mark = if line.is_chosen { "✓ " } else { "  " };
            let about = cut(&on_one_line(&line.about), style.width.saturating_sub(widest + 4));
            format!("{mark}{}  {about}", style.paint(Ink::CYAN, &padded(&line.name, widest)))
        })
        .collect();
    rows.push(style.paint(
        Ink::DIM,
        "  /personality NAME chooses one, none the usual one. Your own: agent.personalities",
    ));
    rows
}
