//! A text too long for the conversation, on a screen of its own.
//!
//! The terminal's second screen is used, so that the conversation stands as it was when the pager is closed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::outcome::CommandOutcome;
use super::printed::RowSource;
use super::{ChatTerminal, Repl};
use crate::display::fit::{columns, cut};
use crate::display::{DiffExtent, Ink, Style, diff_rows};
use crate::input::key_help;
use crate::terminal::{DrawCommand, Size};

/// What the keys do, in the last row.
const KEYS: &str = "↑↓ scroll · q closes";
const CALL_KEYS: &str = "↑↓ scroll · ←→ other calls · q closes";

/// What a pager shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageSubject {
    /// A tool call, by its number.
    Call(usize),
    /// What the keys of the chat do, or another text that is there once.
    Text,
}

/// The text that is looked at.
#[derive(Debug)]
pub(super) struct Pager {
    subject: PageSubject,
    title: String,
    rows: Vec<String>,
    /// What draws the rows for another width, unless that is the call's own.
    source: Option<RowSource>,
    top: usize,
}

/// What a key came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PagerEvent {
    Moved,
    Other(isize),
    Closed,
}

impl Pager {
    pub(super) fn new(subject: PageSubject, title: String, rows: Vec<String>) -> Self {
        Self { subject, title, rows, source: None, top: 0 }
    }

    pub(super) fn on_key(&mut self, key: KeyEvent, size: Size) -> PagerEvent {
        let page = self.room(size);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.rows.len().saturating_sub(page);
        self.top = match key.code {
            KeyCode::Char('c' | 'o' | 'd') if control => return PagerEvent::Closed,
            KeyCode::Char('q') | KeyCode::Esc => return PagerEvent::Closed,
            KeyCode::Left | KeyCode::Char('h') => return PagerEvent::Other(-1),
            KeyCode::Right | KeyCode::Char('l') => return PagerEvent::Other(1),
            KeyCode::Up | KeyCode::Char('k') => self.top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => self.top + 1,
            KeyCode::PageUp | KeyCode::Char('b') => self.top.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Char(' ' | 'f') => self.top + page,
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            _ => self.top,
        }
        .min(last);
        PagerEvent::Moved
    }

    /// Rows of the text that fit.
    fn room(&self, size: Size) -> usize {
        size.rows.saturating_sub(2).max(1)
    }

    /// The whole screen.
    pub(super) fn screen(&self, size: Size, style: &Style) -> Vec<String> {
        let room = self.room(size);
        let top = self.top.min(self.rows.len().saturating_sub(room));
        let mut rows = vec![style.paint(Ink::BOLD, &cut(&self.title, style.width))];
        rows.extend(self.rows.iter().skip(top).take(room).cloned());
        rows.resize(room + 1, String::new());
        let seen = (top + room).min(self.rows.len());
        let place = format!("{seen}/{} ", self.rows.len());
        let keys = match self.subject {
            PageSubject::Call(_) => CALL_KEYS,
            PageSubject::Text => KEYS,
        };
        let keys = cut(keys, style.width.saturating_sub(columns(&place)));
        rows.push(style.paint(Ink::DIM, &format!("{place}{keys}")));
        rows
    }
}

impl<S: ChatTerminal> Repl<S> {
    /// Shows a tool call whole; the newest without a number.
    pub(super) fn expand(&mut self, number: Option<usize>) {
        let calls = &self.transcript.calls;
        let Some(call) = calls.get(number) else {
            let text = match calls.numbers() {
                None => "No tool was called yet.".to_owned(),
                Some((first, last)) => format!("Calls {first} to {last} can be shown."),
            };
            self.notice(hermes_protocol::NoticeLevel::Info, &text);
            return;
        };
        let redactor = &self.transcript.activity.redactor;
        let rows = call.rows(redactor, &self.style());
        self.pager = Some(Pager::new(PageSubject::Call(call.number), call.title(), rows));
    }

    /// Shows what the keys do.
    pub(super) fn show_keys(&mut self) {
        let (keys, editing) = (self.settings.keys.clone(), self.settings.editing);
        let draw = move |style: &Style| key_help::rows(&keys, editing, style);
        self.page(PageSubject::Text, "Keys".to_owned(), draw);
    }

    /// Shows what this draws on a screen of its own.
    pub(super) fn page(
        &mut self,
        subject: PageSubject,
        title: String,
        draw: impl Fn(&Style) -> Vec<String> + Send + Sync + 'static,
    ) {
        let source = RowSource::new(draw);
        let rows = source.rows(&self.style());
        self.pager = Some(Pager { source: Some(source), ..Pager::new(subject, title, rows) });
    }

    /// Asks git what was changed.
    pub(super) fn show_change(&mut self) {
        let place = self.attachment_place();
        self.ask_agent(move |_| async move {
            let change = crate::attachments::change(&place).await;
            let change =
                change.ok_or_else(|| anyhow::anyhow!("this is no git repository with a commit"))?;
            Ok(match change.trim().is_empty() {
                true => {
                    CommandOutcome::Line("Nothing was changed since the last commit.".to_owned())
                }
                false => CommandOutcome::Change(change),
            })
        });
    }

    /// Shows a change on a screen of its own.
    pub(super) fn page_change(&mut self, diff: &str) {
        let diff = diff.to_owned();
        let draw = move |style: &Style| diff_rows(&diff, DiffExtent::Whole, style);
        self.page(PageSubject::Text, "Since the last commit".to_owned(), draw);
    }

    /// A key while a pager is open.
    pub(super) fn on_pager_key(&mut self, key: KeyEvent) {
        let Some(pager) = &mut self.pager else { return };
        match pager.on_key(key, self.size) {
            PagerEvent::Moved => {}
            PagerEvent::Closed => self.close_pager(),
            PagerEvent::Other(step) => {
                if let PageSubject::Call(number) = pager.subject
                    && let Some(next) = number.checked_add_signed(step)
                    && self.transcript.calls.get(Some(next)).is_some()
                {
                    self.expand(Some(next));
                }
            }
        }
    }

    pub(super) fn close_pager(&mut self) {
        if self.pager.take().is_some() {
            self.terminal.order(DrawCommand::EndPage);
        }
    }

    /// Breaks the text anew for a terminal of another size.
    pub(super) fn reflow_pager(&mut self) {
        let style = self.style();
        let Some(pager) = &mut self.pager else { return };
        // About the same part of the text stays in sight.
        let (top, before) = (pager.top, pager.rows.len().max(1));
        match (pager.subject, &pager.source) {
            (_, Some(source)) => pager.rows = source.rows(&style),
            (PageSubject::Call(number), None) => self.expand(Some(number)),
            (PageSubject::Text, None) => {}
        }
        if let Some(pager) = &mut self.pager {
            pager.top = top * pager.rows.len() / before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::Colour;

    #[test]
    fn a_long_text_is_walked_through_and_never_left() {
        let size = Size { columns: 40, rows: 6 };
        let rows = (1..=10).map(|number| format!("row {number}")).collect();
        let mut pager = Pager::new(PageSubject::Call(1), "title".into(), rows);
        let style = Style::new(Colour::Off, 40);
        let mut press = |code| {
            pager.on_key(KeyEvent::new(code, KeyModifiers::NONE), size);
            pager.screen(size, &style)
        };
        assert_eq!(press(KeyCode::Down)[..2], ["title", "row 2"]);
        assert_eq!(press(KeyCode::PageDown)[1], "row 6");
        let end = press(KeyCode::PageDown);
        assert_eq!((end[1].as_str(), end.len()), ("row 7", 6));
        assert!(end[5].starts_with("10/10 "), "{end:?}");
        assert_eq!(press(KeyCode::Home)[1], "row 1");
        let key = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
        assert_eq!(pager.on_key(key, size), PagerEvent::Closed);
    }
}
