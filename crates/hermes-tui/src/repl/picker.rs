//! Choosing from a list: arrow keys, typing to filter, a preview of what is marked.
//!
//! What is chosen becomes a line of the conversation (`/resume ID`, `/model NAME`), as if it had been typed. So a picker
//! can do nothing that a command cannot, and whoever used one knows the command afterwards.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hermes_protocol::NoticeLevel;
use serde_json::Value;

use super::actions::CommandOutcome;
use super::{ChatTerminal, Repl};
use crate::display::fit::{columns, cut, on_one_line, padded, shown, wrap_text};
use crate::display::{Ink, Style};
use crate::input::ranked;
use crate::terminal::Frame;

/// Rows of the list.
const MAX_ROWS: usize = 10;
/// Rows of the preview.
const MAX_PREVIEW: usize = 3;

/// Something that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PickerItem {
    /// By which it is known.
    pub(crate) name: String,
    /// A few words beside it.
    pub(crate) about: String,
    /// More on it, below the list while it is marked.
    pub(crate) preview: String,
    /// The line that choosing it stands for.
    pub(crate) line: String,
    /// It is what counts now.
    pub(crate) is_current: bool,
}

/// A list to choose from.
#[derive(Debug)]
pub(crate) struct Picker {
    title: &'static str,
    items: Vec<PickerItem>,
    filter: String,
    /// Which of those that fit the filter is marked.
    marked: usize,
}

/// What a key came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PickerEvent {
    Moved,
    Closed,
    Chosen(String),
}

impl Picker {
    pub(crate) fn new(title: &'static str, items: Vec<PickerItem>) -> Self {
        let marked = items.iter().position(|item| item.is_current).unwrap_or(0);
        Self { title, items, filter: String::new(), marked }
    }

    fn fitting(&self) -> Vec<&PickerItem> {
        let texts: Vec<String> =
            self.items.iter().map(|item| format!("{} {}", item.name, item.about)).collect();
        let order = ranked(&self.filter, texts.iter().map(String::as_str));
        order.into_iter().map(|at| &self.items[at]).collect()
    }

    pub(super) fn on_key(&mut self, key: KeyEvent) -> PickerEvent {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let fitting = self.fitting();
        let last = fitting.len().saturating_sub(1);
        let marked = match key.code {
            KeyCode::Esc => return PickerEvent::Closed,
            KeyCode::Char('c' | 'd') if control => return PickerEvent::Closed,
            KeyCode::Enter => {
                return match fitting.get(self.marked) {
                    Some(item) => PickerEvent::Chosen(item.line.clone()),
                    None => PickerEvent::Moved,
                };
            }
            KeyCode::Up if self.marked == 0 => last,
            KeyCode::Down if self.marked == last => 0,
            KeyCode::Up => self.marked - 1,
            KeyCode::Char('p') if control => self.marked.saturating_sub(1),
            KeyCode::Down => self.marked + 1,
            KeyCode::Char('n') if control => self.marked + 1,
            KeyCode::PageUp => self.marked.saturating_sub(MAX_ROWS),
            KeyCode::PageDown => self.marked + MAX_ROWS,
            KeyCode::Home => 0,
            KeyCode::End => last,
            KeyCode::Backspace => {
                self.filter.pop();
                0
            }
            KeyCode::Char('u') if control => {
                self.filter.clear();
                0
            }
            KeyCode::Char(letter) if !control => {
                self.filter.push(letter);
                0
            }
            _ => self.marked,
        };
        self.marked = marked.min(self.fitting().len().saturating_sub(1));
        PickerEvent::Moved
    }

    pub(super) fn on_paste(&mut self, text: &str) {
        self.filter.push_str(&on_one_line(text));
        self.marked = 0;
    }

    /// The rows of the moment, with the cursor behind the filter.
    pub(super) fn frame(&self, most: usize, style: &Style) -> Frame {
        let fitting = self.fitting();
        let count = match self.filter.is_empty() {
            true => format!("{}", self.items.len()),
            false => format!("{} of {}", fitting.len(), self.items.len()),
        };
        let keys = style.paint(Ink::DIM, &format!("({count})  ↑↓ Enter · Esc · type to filter"));
        let mut rows = vec![format!("{} {keys}", style.paint(Ink::BOLD, self.title))];
        let filter = cut(&shown(&self.filter), style.width.saturating_sub(3));
        rows.push(format!("{}{filter}", style.paint(Ink::YELLOW, "? ")));
        let cursor = (1, 2 + columns(&filter));
        let room = most.saturating_sub(2 + MAX_PREVIEW).clamp(1, MAX_ROWS);
        let from = (self.marked + 1).saturating_sub(room);
        let seen = fitting.iter().enumerate().skip(from).take(room);
        let widest = seen.clone().map(|(_, item)| columns(&item.name)).max().unwrap_or(0);
        let widest = widest.min(style.width / 2);
        for (at, item) in seen {
            let (mark, ink) = match at == self.marked {
                true => ("› ", Ink::CYAN.and(Ink::BOLD)),
                false => ("  ", Ink::PLAIN),
            };
            let sign = if item.is_current { "✓ " } else { "  " };
            let name = padded(&cut(&on_one_line(&item.name), widest), widest);
            let about = on_one_line(&item.about);
            let row = cut(format!("{mark}{sign}{name}  {about}").trim_end(), style.width - 1);
            rows.push(style.paint(ink, &row));
        }
        if fitting.is_empty() {
            rows.push(style.paint(Ink::DIM, "  nothing fits"));
        }
        if let Some(item) = fitting.get(self.marked) {
            let preview = shown(&item.preview);
            let lines = preview.lines().flat_map(|line| wrap_text(line, style.width - 4));
            let lines: Vec<String> = lines.take(MAX_PREVIEW).collect();
            rows.extend(lines.iter().map(|row| style.paint(Ink::DIM, &format!("    {row}"))));
        }
        Frame { rows, cursor }
    }
}

impl<S: ChatTerminal> Repl<S> {
    /// Opens a list; says so where there is nothing to choose.
    pub(super) fn pick(&mut self, picker: Picker) {
        if picker.items.is_empty() {
            let text = format!("{}: there is nothing to choose from.", picker.title);
            self.notice(NoticeLevel::Info, &text);
            return;
        }
        self.picker = Some(picker);
    }

    pub(super) fn on_picker_key(&mut self, key: KeyEvent) {
        let Some(picker) = &mut self.picker else { return };
        match picker.on_key(key) {
            PickerEvent::Moved => {}
            PickerEvent::Closed => self.picker = None,
            PickerEvent::Chosen(line) => {
                self.picker = None;
                self.on_plain_line(&line, &line);
            }
        }
    }

    /// Opens a list of what a command of the command line prints as JSON.
    pub(super) fn pick_from(
        &mut self,
        title: &'static str,
        words: &'static [&'static str],
        item: fn(&Value) -> Option<PickerItem>,
    ) {
        let run = self.terminal.command_line();
        let style = Style { colour: crate::display::Colour::Off, ..self.style() };
        self.ask_agent(move |_| async move {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let printed = tokio::task::spawn_blocking(move || run(&words, &style)).await?;
            let listed: Vec<Value> = match serde_json::from_str(&printed.join("\n")) {
                Ok(listed) => listed,
                // It said something else, such as why there is no list.
                Err(_) => return Ok(CommandOutcome::Rows(printed)),
            };
            let items = listed.iter().filter_map(item).collect();
            Ok(CommandOutcome::Pick(Picker::new(title, items)))
        });
    }
}

/// A tool, in the list of `/tools`.
pub(super) fn tool_item(listed: &Value) -> Option<PickerItem> {
    let text = |key: &str| listed.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("name");
    Some(PickerItem {
        about: format!("{} · {}", text("toolset"), text("status")),
        preview: text("description"),
        line: format!("/tools show {name}"),
        name: Some(name).filter(|name| !name.is_empty())?,
        is_current: false,
    })
}

/// A checkpoint, in the list of `/rollback`.
pub(super) fn checkpoint_item(listed: &Value) -> Option<PickerItem> {
    let text = |key: &str| listed.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let hash = text("hash");
    Some(PickerItem {
        about: format!("{} · {}", text("time"), text("reason")),
        preview: format!(
            "{} files changed, +{} −{}. Enter puts the project's files back to this state.",
            listed["files_changed"], listed["insertions"], listed["deletions"]
        ),
        line: format!("/rollback {hash}"),
        name: Some(text("short")).filter(|name| !name.is_empty())?,
        is_current: false,
    })
}

/// An MCP server, in the list of `/mcp`.
pub(super) fn server_item(listed: &Value) -> Option<PickerItem> {
    let text = |key: &str| listed.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("name");
    Some(PickerItem {
        about: format!("{} · {}", text("transport"), text("state")),
        preview: text("target"),
        line: format!("/mcp test {name}"),
        name: Some(name).filter(|name| !name.is_empty())?,
        is_current: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::Colour;

    fn picker() -> Picker {
        let item = |name: &str, about: &str| PickerItem {
            name: name.into(),
            about: about.into(),
            preview: format!("all about {name}"),
            line: format!("/take {name}"),
            is_current: name == "pear",
        };
        Picker::new(
            "Fruit",
            vec![item("apple", "red"), item("pear", "green"), item("plum", "blue")],
        )
    }

    fn press(picker: &mut Picker, code: KeyCode) -> PickerEvent {
        picker.on_key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn what_counts_now_is_marked_and_arrows_go_around() {
        let mut picker = picker();
        assert_eq!(press(&mut picker, KeyCode::Enter), PickerEvent::Chosen("/take pear".into()));
        press(&mut picker, KeyCode::Down);
        press(&mut picker, KeyCode::Down);
        assert_eq!(press(&mut picker, KeyCode::Enter), PickerEvent::Chosen("/take apple".into()));
        press(&mut picker, KeyCode::Up);
        assert_eq!(press(&mut picker, KeyCode::Enter), PickerEvent::Chosen("/take plum".into()));
    }

    #[test]
    fn typing_filters_by_name_and_words() {
        let mut picker = picker();
        for letter in "blu".chars() {
            press(&mut picker, KeyCode::Char(letter));
        }
        let frame = picker.frame(20, &Style::new(Colour::Off, 60));
        assert_eq!(
            frame.rows,
            [
                "Fruit (1 of 3)  ↑↓ Enter · Esc · type to filter",
                "? blu",
                "›   plum  blue",
                "    all about plum",
            ]
        );
        assert_eq!(frame.cursor, (1, 5));
        press(&mut picker, KeyCode::Char('x'));
        assert_eq!(press(&mut picker, KeyCode::Enter), PickerEvent::Moved);
        assert_eq!(press(&mut picker, KeyCode::Esc), PickerEvent::Closed);
    }
}
