//! What the rows of the moment look like.

use std::time::{Duration, Instant};

use hermes_protocol::{Planning, TaskSummary, Yolo};

use super::{ChatTerminal, Repl};
use crate::display::fit::{cut, on_one_line};
use crate::display::spinner::{self, Doing};
use crate::display::status_line::{self, StatusFacts};
use crate::display::{Ink, Style};
use crate::input::{HintMode, InputPrompt};
use crate::place;
use crate::terminal::{DrawCommand, Frame};

/// A command that takes less is not worth a word.
const SOON: Duration = Duration::from_millis(300);
/// Messages in the queue that are shown.
const MAX_QUEUED: usize = 3;

impl<S: ChatTerminal> Repl<S> {
    /// Has the rows of the moment drawn.
    pub(super) fn draw(&mut self) {
        let now = Instant::now();
        self.flash.take_if(|(_, until)| *until <= now);
        if self.ending.is_some() {
            self.close_pager();
        }
        if let Some(pager) = &self.pager {
            self.terminal.order(DrawCommand::Page(pager.screen(self.size, &self.style())));
        }
        let frame = self.frame(now);
        self.terminal.order(DrawCommand::Show(frame));
    }

    fn frame(&self, now: Instant) -> Frame {
        let style = self.style();
        if self.ending.is_some() {
            return Frame::default();
        }
        let status = self.conversation.status();
        let half = (self.size.rows / 2).max(2);
        let mut rows = Vec::new();
        if self.in_turn && self.open.is_none() {
            rows.extend(self.transcript.live(now, half, &style));
        }
        let since = now.duration_since(self.commands_since);
        if self.commands > 0 && !self.in_turn && since >= SOON {
            rows.push(spinner::row(Doing::Named("working"), since, &style));
        }
        rows.extend(self.queued(&style));
        rows.extend(self.images.iter().map(|image| {
            let row = format!("  + image {}", image.display());
            style.paint(Ink::DIM, &cut(&row, style.width))
        }));
        rows.extend(self.outputs.iter().map(|ran| {
            let row = format!("  + output of {}", on_one_line(&ran.command));
            style.paint(Ink::DIM, &cut(&row, style.width))
        }));
        if let Some((flash, _)) = &self.flash {
            rows.push(style.paint(Ink::YELLOW, &cut(flash, style.width)));
        }
        let input = match (&self.open, &self.picker) {
            (Some(open), _) => open.frame(now, half, &style),
            (None, Some(picker)) => picker.frame(half.max(8), &style),
            (None, None) => {
                let ink = match (status.yolo, status.planning, self.is_busy()) {
                    (Yolo::On, ..) => Ink::BOLD.and(Ink::RED),
                    (Yolo::Off, Planning::On, _) => Ink::BOLD.and(Ink::CYAN),
                    (Yolo::Off, Planning::Off, true) => Ink::DIM,
                    (Yolo::Off, Planning::Off, false) => Ink::BOLD.and(Ink::GREEN),
                };
                // Turned round while letters are commands.
                let text = if self.composer.is_commanded() { "❮ " } else { "❯ " };
                let prompt = InputPrompt { text, ink, hints: HintMode::On };
                self.composer.frame(prompt, half, &style)
            }
        };
        let cursor = (rows.len() + input.cursor.0, input.cursor.1);
        rows.extend(input.rows);
        if let Some(format) = &self.settings.status_line {
            rows.push(status_line::row(format, &status, &self.status_facts(), &style));
        }
        Frame { rows, cursor }
    }

    fn status_facts(&self) -> StatusFacts {
        let running = |task: &TaskSummary| task.state == "running";
        StatusFacts {
            dir: place::folder_name(&self.place.folder, self.place.user_home.as_deref()),
            branch: self.branch.clone().unwrap_or_default(),
            tasks: self.conversation.tasks().iter().filter(|task| running(task)).count(),
            queue: self.queue.len(),
            modes: Vec::new(),
        }
    }

    fn queued(&self, style: &Style) -> Vec<String> {
        let row = |text: &str| {
            let row = format!("  next: {}", on_one_line(text));
            style.paint(Ink::DIM, &cut(&row, style.width))
        };
        let mut rows: Vec<String> =
            self.queue.iter().take(MAX_QUEUED).map(|ask| row(&ask.text)).collect();
        let more = self.queue.len().saturating_sub(MAX_QUEUED);
        if more > 0 {
            rows.push(style.paint(Ink::DIM, &format!("  and {more} more")));
        }
        rows
    }
}
