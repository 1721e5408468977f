//! Calls that only looked, told together.
//!
//! An agent reads a dozen files before it does anything. A line for each pushes what matters off the screen, so calls
//! whose tools say what they are counted as wait until something else happens and then become one row with a list.

use std::time::Duration;

use hermes_protocol::text::seconds;
use hermes_tool::CountedAs;

use super::fit::{cut, on_one_line, wrap_text};
use super::style::{Ink, Style};

/// Rows of names below the count.
const MAX_NAME_ROWS: usize = 2;
const INDENT: &str = "    ";

/// A call that looked at something.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) counted_as: CountedAs,
    /// What it looked at.
    pub(crate) detail: String,
    pub(crate) took: Duration,
    /// Its line, if it stays alone.
    pub(crate) line: String,
}

/// Calls in a row that only looked.
#[derive(Debug, Default)]
pub(crate) struct Explored(Vec<Look>);

impl Explored {
    pub(crate) fn add(&mut self, look: Look) {
        self.0.push(look);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows of all of them; afterwards there are none.
    pub(crate) fn take(&mut self, style: &Style) -> Vec<String> {
        let rows = self.rows(style);
        self.0.clear();
        rows
    }

    /// The rows as they would be now.
    pub(crate) fn rows(&self, style: &Style) -> Vec<String> {
        if let [only] = self.0.as_slice() {
            return vec![only.line.clone()];
        }
        let mut kinds: Vec<(CountedAs, Vec<&str>)> = Vec::new();
        for look in &self.0 {
            let kind = match kinds.iter_mut().find(|(kind, _)| *kind == look.counted_as) {
                Some((_, names)) => names,
                None => {
                    kinds.push((look.counted_as, Vec::new()));
                    let Some((_, names)) = kinds.last_mut() else { continue };
                    names
                }
            };
            if !kind.contains(&look.detail.as_str()) {
                kind.push(&look.detail);
            }
        }
        let counts: Vec<String> = kinds
            .iter()
            .map(|(kind, names)| match names.len() {
                1 => format!("1 {}", kind.one),
                count => format!("{count} {}", kind.many),
            })
            .collect();
        if counts.is_empty() {
            return Vec::new();
        }
        let took = seconds(self.0.iter().map(|look| look.took).sum());
        let head = format!("┊ Explored {}  {took}", counts.join(", "));
        let mut rows = vec![style.paint(Ink::DIM, &cut(&head, style.width))];
        let names: Vec<String> =
            kinds.iter().flat_map(|(_, names)| names).map(|name| on_one_line(name)).collect();
        let listed = wrap_text(&names.join(", "), style.width.saturating_sub(INDENT.len() + 2));
        let is_cut = listed.len() > MAX_NAME_ROWS;
        for (at, row) in listed.iter().take(MAX_NAME_ROWS).enumerate() {
            let more = if is_cut && at + 1 == MAX_NAME_ROWS { " …" } else { "" };
            rows.push(style.paint(Ink::DIM, &format!("{INDENT}{row}{more}")));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::style::Colour;

    fn look(one: &'static str, many: &'static str, detail: &str) -> Look {
        Look {
            counted_as: CountedAs { one, many },
            detail: detail.to_owned(),
            took: Duration::from_millis(100),
            line: format!("┊ {detail}"),
        }
    }

    #[test]
    fn several_are_counted_and_one_stays_as_it_is() {
        let style = Style::new(Colour::Off, 40);
        let mut explored = Explored::default();
        explored.add(look("file", "files", "a.rs"));
        assert_eq!(explored.rows(&style), ["┊ a.rs"]);
        explored.add(look("search", "searches", "fn main"));
        explored.add(look("file", "files", "b.rs"));
        explored.add(look("file", "files", "a.rs"));
        assert_eq!(
            explored.take(&style),
            ["┊ Explored 2 files, 1 search  0.4s", "    a.rs, b.rs, fn main"]
        );
        assert!(explored.is_empty() && explored.rows(&style).is_empty());
        for number in 0..40 {
            explored.add(look("file", "files", &format!("source-{number}.rs")));
        }
        let rows = explored.rows(&style);
        assert_eq!(rows.len(), 3);
        assert!(rows[2].ends_with(" …"), "{rows:?}");
    }
}
