//! What the person does.

use std::time::Instant;

use hermes_protocol::NoticeLevel;
use hermes_protocol::notes::is_note;
use hermes_protocol::{TurnMode, UserInput};

use super::outcome::ToldExtras;
use super::{ChatTerminal, Repl, SETTLED, TWICE};
use crate::ChatExit;
use crate::display::Ink;
use crate::display::fit::{cut, on_one_line};
use crate::input::{ComposerEvent, KeyAction};
use crate::quick;
use crate::slash::{self, BusyMode, CommandTiming, ParsedLine, SlashAction};
use crate::terminal::{DrawCommand, TerminalInput};

impl<S: ChatTerminal> Repl<S> {
    /// Something came from the terminal.
    pub(super) fn on_input(&mut self, input: TerminalInput) {
        match input {
            TerminalInput::Gone => self.leave(ChatExit::Done),
            TerminalInput::Logged(line) => self.notice(NoticeLevel::Warning, &line),
            TerminalInput::Resize(size) => {
                let is_other_width = size.columns != self.size.columns;
                self.size = size;
                self.terminal.order(DrawCommand::Resize(size));
                self.reflow_pager();
                if is_other_width || self.reflow_at.is_some() {
                    self.reflow_at = Some(Instant::now() + SETTLED);
                }
            }
            TerminalInput::Paste(_) if self.pager.is_some() => {}
            TerminalInput::Key(key) if self.pager.is_some() => self.on_pager_key(key),
            TerminalInput::Key(key) if self.is_picking() => {
                self.escaped = None;
                self.on_picker_key(key);
            }
            TerminalInput::Paste(text) if self.is_picking() => {
                if let Some(picker) = &mut self.picker {
                    picker.on_paste(&text);
                }
            }
            TerminalInput::Paste(text) => match &mut self.open {
                Some(open) => open.on_paste(&text),
                None => self.composer.on_paste(&text),
            },
            TerminalInput::Key(key) => {
                let Some(key) = self.settings.keys.translate(key) else { return };
                if self.is_late_enter(key) {
                    return;
                }
                let outcome = match &mut self.open {
                    Some(open) => open.on_key(key),
                    None => Some(self.composer.on_key(key)),
                };
                let Some(outcome) = outcome else { return };
                if outcome != ComposerEvent::Interrupted {
                    // Two Ctrl-C are only one after the other with nothing in between.
                    self.interrupted = None;
                }
                if outcome != ComposerEvent::Escaped {
                    // Nor are two Escapes, one before and one after something else.
                    self.escaped = None;
                }
                self.on_outcome(outcome);
            }
        }
    }

    /// Whether a list has the keys; a question of the agent comes first.
    pub(super) fn is_picking(&self) -> bool {
        self.picker.is_some() && self.open.is_none()
    }

    fn on_outcome(&mut self, outcome: ComposerEvent) {
        match outcome {
            ComposerEvent::Changed => {}
            ComposerEvent::Escaped => self.on_escape(),
            ComposerEvent::ModeCycled if self.open.is_none() => self.cycle_mode(),
            ComposerEvent::EditorWanted if self.open.is_none() => self.edit_line(),
            ComposerEvent::KeysWanted => self.show_keys(),
            ComposerEvent::ModeCycled | ComposerEvent::EditorWanted => {}
            ComposerEvent::Sent { text, .. } if self.open.is_some() => self.answer(&text),
            ComposerEvent::Sent { line, text } => self.on_line(&line, &text),
            ComposerEvent::Interrupted => self.on_interrupt(),
            ComposerEvent::Ended if self.open.is_some() => self.refuse(),
            ComposerEvent::Ended => self.leave(ChatExit::Done),
            ComposerEvent::Expanded => self.expand(None),
            ComposerEvent::Cleared => {
                self.printed.clear();
                self.terminal.order(DrawCommand::Clear);
            }
            ComposerEvent::Suspended => {
                self.printed.clear();
                if let Err(problem) = self.terminal.suspend() {
                    self.notice(
                        NoticeLevel::Warning,
                        &format!("Cannot go to the background: {problem}"),
                    );
                }
            }
        }
    }

    /// Escape: stops the turn; twice in a row with nothing going on, the last message is edited.
    fn on_escape(&mut self) {
        let now = Instant::now();
        if self.open.is_some() {
            self.refuse();
        } else if self.is_busy() {
            self.conversation.interrupt();
            self.give_back_queue();
            self.flash("Stopping.");
        } else if !self.outputs.is_empty() {
            self.outputs.clear();
            self.flash("The output does not go along.");
        } else if !self.composer.text().is_empty() {
            // What is typed is never thrown away by a slip.
        } else if self.escaped.is_some_and(|before| now.duration_since(before) < TWICE) {
            self.escaped = None;
            self.flash = None;
            self.act(SlashAction::Undo(1));
        } else if self.conversation.status().messages > 0 {
            self.escaped = Some(now);
            let key = self.settings.keys.first(KeyAction::Stop);
            self.flash(&format!("{key} once more edits your last message."));
        }
    }

    /// Ctrl-C: ends the turn, or empties the line; twice in a row it ends the program.
    fn on_interrupt(&mut self) {
        let now = Instant::now();
        if self.interrupted.is_some_and(|before| now.duration_since(before) < TWICE) {
            self.leave(ChatExit::Interrupted);
            return;
        }
        if self.open.is_some() {
            self.refuse();
        }
        if self.in_turn {
            self.interrupted = Some(now);
            self.conversation.interrupt();
            self.give_back_queue();
            self.flash("Stopping. Ctrl-C once more leaves.");
        } else if self.commands > 0 {
            self.interrupted = Some(now);
            self.conversation.interrupt();
            self.flash("Stopping. Ctrl-C once more leaves.");
        } else if !self.composer.text().is_empty() {
            // It may have been a slip; the history has it.
            let line = self.composer.take();
            self.composer.remember(&line);
        } else {
            self.interrupted = Some(now);
            let too = match self.settings.keys.first(KeyAction::Leave) {
                key if key.is_empty() => String::new(),
                key => format!("; so does {key}"),
            };
            self.flash(&format!("Ctrl-C once more leaves{too}."));
        }
    }

    /// What was queued is put back into the line: whoever stops everything does not want the next
    /// thing to begin, and does not want to lose it either.
    fn give_back_queue(&mut self) {
        if self.queue.is_empty() {
            return;
        }
        let (mut texts, mut way) = (Vec::new(), TurnMode::Alone);
        for ask in self.queue.drain(..).filter(|ask| !is_note(&ask.text)) {
            texts.push(ask.text);
            self.images.extend(ask.images);
            if ask.way != TurnMode::Alone {
                way = ask.way;
            }
        }
        texts.extend(Some(self.composer.take()).filter(|text| !text.is_empty()));
        let line = texts.join("\n");
        self.composer.set(match way {
            TurnMode::Alone => line,
            // The command says again who is to think about it.
            TurnMode::MixtureOfAgents => format!("/moa {line}"),
        });
    }

    /// What was said last was taken back: what went with it lies ready again.
    pub(super) fn take_back_extras(&mut self) {
        let ToldExtras { outputs, images } = std::mem::take(&mut self.told);
        self.outputs.splice(0..0, outputs);
        self.images.splice(0..0, images);
    }

    pub(super) fn flash(&mut self, text: &str) {
        self.flash = Some((text.to_owned(), Instant::now() + TWICE));
    }

    /// A line was sent.
    fn on_line(&mut self, line: &str, text: &str) {
        if text.trim().is_empty() && self.images.is_empty() {
            return;
        }
        if let Some(command) = text.trim().strip_prefix('!').map(str::trim)
            && !command.is_empty()
        {
            self.echo_command(line);
            self.run_own(command.to_owned());
            return;
        }
        if let Some((quick, rest)) = quick::find(&self.quick, text) {
            let (quick, rest) = (quick.clone(), rest.to_owned());
            self.echo_command(line);
            if let Some(line) = self.run_quick(&quick, &rest) {
                self.on_plain_line(&line, &line);
            }
            return;
        }
        if let Some((name, args)) = slash::of_plugin(text, &self.conversation.plugin_commands()) {
            self.echo_command(line);
            self.run_plugin_command(name, args);
            return;
        }
        self.on_plain_line(line, text);
    }

    /// A line that is none of the person's own commands.
    pub(super) fn on_plain_line(&mut self, line: &str, text: &str) {
        if slash::calls_skill(text, &self.conversation.skill_commands()) {
            self.say(line, text);
            return;
        }
        match slash::read(text) {
            ParsedLine::Text => self.say(line, text),
            ParsedLine::Mistaken(mistake) => self.notice(NoticeLevel::Warning, &mistake),
            ParsedLine::Command(command, rest) => {
                self.echo_command(line);
                if command.when == CommandTiming::Idle && self.is_busy() {
                    let text = format!(
                        "/{} has to wait for the end of the turn.\n/stop ends it now.",
                        command.name
                    );
                    self.notice(NoticeLevel::Warning, &text);
                    return;
                }
                match (command.read)(rest) {
                    Ok(action) => self.act(action),
                    Err(problem) => {
                        let usage = format!("{problem}\n/{} {}", command.name, command.takes);
                        self.notice(NoticeLevel::Warning, usage.trim_end());
                    }
                }
            }
        }
    }

    fn echo_command(&mut self, line: &str) {
        // What was pasted may hold breaks and control sequences.
        let line = on_one_line(line);
        // One empty row stands above it, and a turn leaves one.
        let gap = if self.printed.ends_blank() { None } else { Some(String::new()) };
        self.show(move |style| {
            let echo = format!("❯ {}", cut(&line, style.width - 2));
            gap.iter().cloned().chain([style.paint(Ink::DIM, &echo)]).collect()
        });
    }

    /// Something is said to the agent.
    pub(super) fn say(&mut self, line: &str, text: &str) {
        let images = std::mem::take(&mut self.images);
        let ask = UserInput { images, ..UserInput::from(text.to_owned()) };
        if !self.is_busy() {
            self.start_turn(ask, line);
            return;
        }
        match self.settings.busy {
            BusyMode::Steer if self.in_turn => {
                // Words alone reach a turn that runs.
                self.images = ask.images;
                self.steer(text);
            }
            BusyMode::Interrupt if self.in_turn => {
                self.queue.push_back(ask);
                self.conversation.interrupt();
                self.flash("Stopping, to go on with what you said.");
            }
            _ => self.queue.push_back(ask),
        }
    }

    pub(super) fn steer(&mut self, text: &str) {
        self.conversation.steer(text);
        self.notice(NoticeLevel::Info, &format!("told the agent: {text}"));
    }
}
