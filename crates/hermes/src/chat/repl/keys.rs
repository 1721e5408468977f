//! What the person does.

use std::time::Instant;

use hermes_agent::Level;

use super::{Repl, Stage, TWICE};
use crate::chat::conversation::Ask;
use crate::chat::display::Ink;
use crate::chat::input::Outcome;
use crate::chat::quick;
use crate::chat::slash::{self, BusyMode, Line, When};
use crate::chat::terminal::{Input, Order};
use crate::exit::Exit;

impl<S: Stage> Repl<S> {
    /// Something came from the terminal.
    pub(super) fn on_input(&mut self, input: Input) {
        match input {
            Input::Gone => self.leave(Exit::Done),
            Input::Logged(line) => self.notice(Level::Warning, &line),
            Input::Resize(size) => {
                self.size = size;
                self.stage.order(Order::Resize(size));
            }
            Input::Paste(text) => match &mut self.open {
                Some(open) => open.on_paste(&text),
                None => self.editor.on_paste(&text),
            },
            Input::Key(key) => {
                let outcome = match &mut self.open {
                    Some(open) => open.on_key(key),
                    None => Some(self.editor.on_key(key)),
                };
                let Some(outcome) = outcome else { return };
                if outcome != Outcome::Interrupted {
                    // Two Ctrl-C are only one after the other with nothing in between.
                    self.interrupted = None;
                }
                self.on_outcome(outcome);
            }
        }
    }

    fn on_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Changed | Outcome::Escaped => {}
            Outcome::Sent { text, .. } if self.open.is_some() => self.answer(&text),
            Outcome::Sent { line, text } => self.on_line(&line, &text),
            Outcome::Interrupted => self.on_interrupt(),
            Outcome::Ended if self.open.is_some() => self.refuse(),
            Outcome::Ended => self.leave(Exit::Done),
            Outcome::Cleared => self.stage.order(Order::Clear),
            Outcome::Suspended => {
                if let Err(problem) = self.stage.suspend() {
                    self.notice(Level::Warning, &format!("Cannot go to the background: {problem}"));
                }
            }
        }
    }

    /// Ctrl-C: ends the turn, or empties the line; twice in a row it ends the program.
    fn on_interrupt(&mut self) {
        let now = Instant::now();
        if self.interrupted.is_some_and(|before| now.duration_since(before) < TWICE) {
            self.leave(Exit::Interrupted);
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
        } else if !self.editor.text().is_empty() {
            // It may have been a slip; the history has it.
            let line = self.editor.take();
            self.editor.remember(&line);
        } else {
            self.interrupted = Some(now);
            self.flash("Ctrl-C once more leaves; so does Ctrl-D.");
        }
    }

    /// What was queued is put back into the line: whoever stops everything does not want the next
    /// thing to begin, and does not want to lose it either.
    fn give_back_queue(&mut self) {
        let mut texts: Vec<String> = self.queue.drain(..).map(|ask| ask.text).collect();
        if texts.is_empty() {
            return;
        }
        texts.extend(Some(self.editor.take()).filter(|text| !text.is_empty()));
        self.editor.set(texts.join("\n"));
    }

    pub(super) fn flash(&mut self, text: &str) {
        self.flash = Some((text.to_owned(), Instant::now() + TWICE));
    }

    /// A line was sent.
    fn on_line(&mut self, line: &str, text: &str) {
        if text.trim().is_empty() && self.images.is_empty() {
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
    fn on_plain_line(&mut self, line: &str, text: &str) {
        match slash::read(text) {
            Line::Text => self.say(line, text),
            Line::Mistaken(mistake) => self.notice(Level::Warning, &mistake),
            Line::Command(command, rest) => {
                self.echo_command(line);
                if command.when == When::Idle && self.is_busy() {
                    let text = format!(
                        "/{} has to wait for the end of the turn.\n/stop ends it now.",
                        command.name
                    );
                    self.notice(Level::Warning, &text);
                    return;
                }
                match (command.read)(rest) {
                    Ok(action) => self.act(action),
                    Err(problem) => {
                        let usage = format!("{problem}\n/{} {}", command.name, command.takes);
                        self.notice(Level::Warning, usage.trim_end());
                    }
                }
            }
        }
    }

    fn echo_command(&self, line: &str) {
        let style = self.style();
        let echo = format!("❯ {}", crate::chat::display::fit::cut(line, style.width - 2));
        self.print(vec![String::new(), style.paint(Ink::DIM, &echo)]);
    }

    /// Something is said to the agent.
    pub(super) fn say(&mut self, line: &str, text: &str) {
        let ask = Ask { images: std::mem::take(&mut self.images), ..Ask::from(text.to_owned()) };
        if !self.is_busy() {
            self.start_turn(ask, line);
            return;
        }
        match self.settings.busy {
            BusyMode::Steer if self.in_turn => self.steer(text),
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
        self.notice(Level::Info, &format!("told the agent: {text}"));
    }
}
