//! Turns: how they begin and end.

use std::sync::Arc;
use std::time::Instant;

use hermes_protocol::NoticeLevel;
use hermes_protocol::notes::is_note;
use hermes_protocol::{TurnEnd, TurnStatus, UserInput};

use super::outcome::{Completion, OwnOutput, ToldExtras};
use super::printed::PrintedSource;
use super::{ChatTerminal, Repl};
use crate::attachments::{AttachmentContext, with_attachments};
use crate::display::fit::{shown, wrap_text};
use crate::display::{Ink, Style, notices};
use crate::terminal::DrawCommand;

/// Rows of a message that are shown when it is sent.
const MAX_ECHO: usize = 20;

impl<S: ChatTerminal> Repl<S> {
    /// Begins a turn. `line` is what is shown of the message.
    pub(super) fn start_turn(&mut self, mut ask: UserInput, line: &str) {
        self.told = ToldExtras::default();
        // What the agent tells itself was announced in a line of its own.
        if !is_note(line) {
            let echoed = line.to_owned();
            self.show(move |style| echo(&echoed, style));
            let outputs = std::mem::take(&mut self.outputs);
            ask.attached.extend(outputs.iter().map(OwnOutput::told));
            self.told = ToldExtras { outputs, images: ask.images.clone() };
        }
        self.in_turn = true;
        let now = Instant::now();
        self.transcript.begin(now);
        self.put(PrintedSource::TurnBegun(self.transcript.shown, now), Vec::new());
        let conversation = Arc::clone(&self.conversation);
        let results = self.results.clone();
        let place = self.attachment_place();
        tokio::spawn(async move {
            // A turn that breaks must not take the prompt with it.
            let turn = tokio::spawn(async move {
                let ask = with_attachments(ask, &place, &*conversation).await;
                conversation.turn(ask).await
            });
            let end = turn.await.unwrap_or_else(|_| TurnEnd {
                outcome: TurnStatus::Failed(
                    "The turn broke off because of a fault in Hermes.\n\
                     The conversation is kept; run with -vv to see more."
                        .to_owned(),
                ),
                ..TurnEnd::default()
            });
            let _ = results.send(Completion::Turn(end));
        });
    }

    /// Where what a message names is looked up.
    pub(super) fn attachment_place(&self) -> AttachmentContext {
        AttachmentContext {
            folder: self.place.folder.clone(),
            user_home: self.place.user_home.clone(),
            redactor: self.settings.redactor,
        }
    }

    /// A turn is over.
    pub(super) fn end_turn(&mut self, end: TurnEnd) {
        self.in_turn = false;
        self.children.forget();
        self.flash = None;
        self.branch = crate::place::branch(&self.place.folder);
        let now = Instant::now();
        let (rows, mut cost) = self.transcript.end(now, &self.style());
        self.put(PrintedSource::TurnEnded(now), rows);
        match &end.outcome {
            TurnStatus::Done => {}
            TurnStatus::Interrupted => self.notice(NoticeLevel::Info, "stopped"),
            TurnStatus::Partial(why) | TurnStatus::Failed(why) => {
                self.print(vec![String::new()]);
                self.notice(NoticeLevel::Warning, why);
            }
        }
        if self.settings.cost {
            cost.dollars = end.dollars;
            cost.window = self.conversation.status().window;
            self.show(move |style| vec![notices::cost(&cost, style)]);
        }
        self.print(vec![String::new()]);
        if self.settings.bell {
            self.terminal.order(DrawCommand::Bell);
        }
        if let Some(steer) = end.pending_steer {
            self.queue.push_front(steer.into());
        }
        self.show_held();
        if !self.pursue_goal(&end.outcome) {
            self.ask_about_plan(&end.outcome);
            self.start_queued();
        }
    }

    /// Goes on with what waits, if nothing else is going on.
    pub(super) fn start_queued(&mut self) {
        if !self.is_busy()
            && self.ending.is_none()
            && let Some(next) = self.queue.pop_front()
        {
            let line = next.text.clone();
            self.start_turn(next, &line);
        }
    }
}

/// What was said, as it stays on the screen.
fn echo(line: &str, style: &Style) -> Vec<String> {
    let text = shown(line);
    let all: Vec<String> = text.lines().flat_map(|line| wrap_text(line, style.width - 2)).collect();
    let mut rows: Vec<String> = all
        .iter()
        .take(MAX_ECHO)
        .enumerate()
        .map(|(at, row)| {
            let lead = if at == 0 { "❯ " } else { "  " };
            format!("{}{}", style.paint(Ink::GREEN, lead), style.paint(Ink::BOLD, row))
        })
        .collect();
    let more = all.len().saturating_sub(MAX_ECHO);
    if more > 0 {
        rows.push(style.paint(Ink::DIM, &format!("  … {more} more rows")));
    }
    rows
}
