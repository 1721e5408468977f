//! Choosing from a list: arrow keys, typing to filter, a preview of what is marked.
//!
//! What is chosen becomes a line of the conversation (`/resume ID`, `/model NAME`), as if it had been typed. So a picker
//! can do nothing that a command cannot, and whoever used one knows the command afterwards.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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

    /// What it is a list of.
    pub(super) fn title(&self) -> &'static str {
        self.title
    }

    /// Whether there is nothing to choose.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
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
        let keys = format!("({count})  ↑↓ Enter · Esc · type to filter");
        let keys = cut(&keys, style.width.saturating_sub(columns(self.title) + 1));
        let keys = style.paint(Ink::DIM, &keys);
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
