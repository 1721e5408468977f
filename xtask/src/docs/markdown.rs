//! The few pieces of Markdown that the pages are made of.

use std::fmt::Write;

/// A table, written row by row.
pub(super) struct Table {
    text: String,
    columns: usize,
}

impl Table {
    /// A table with these headings.
    pub(super) fn new<const N: usize>(headings: [&str; N]) -> Self {
        let mut table = Self { text: String::new(), columns: N };
        table.line(headings.map(str::to_owned));
        table.text.push_str(&"|---".repeat(N));
        table.text.push_str("|\n");
        table
    }

    /// Adds a row of finished Markdown. Bars and line breaks, which would end a cell, are taken care
    /// of here.
    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.columns, "a row has as many cells as the table");
        self.line(cells.map(|cell| cell.replace('|', r"\|").replace('\n', " ")));
    }

    fn line<const N: usize>(&mut self, cells: [String; N]) {
        for cell in cells {
            let space = if cell.is_empty() { "" } else { " " };
            self.text.push_str("| ");
            self.text.push_str(&cell);
            self.text.push_str(space);
        }
        self.text.push_str("|\n");
    }

    /// The table, ending in a newline.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Something to be typed or read exactly so.
pub(super) fn code(text: &str) -> String {
    // A backtick inside needs more of them outside.
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Several of them, separated by commas.
pub(super) fn codes<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    texts.into_iter().map(|text| code(text.as_ref())).collect::<Vec<_>>().join(", ")
}

/// A block of text to be shown as it is.
pub(super) fn block(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n", text.trim_end())
}

/// Text written for a terminal or a model: what is between backticks stays, and the rest is kept
/// from being read as markup.
pub(super) fn prose(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // Every second piece is between backticks; an odd backtick at the end opens nothing.
    let pieces: Vec<&str> = text.split('`').collect();
    for (index, piece) in pieces.iter().enumerate() {
        let is_code = index % 2 == 1 && index + 1 < pieces.len();
        if index > 0 {
            escaped.push('`');
        }
        for letter in piece.chars() {
            match letter {
                '<' if !is_code => escaped.push_str("&lt;"),
                '*' if !is_code => escaped.push_str(r"\*"),
                other => escaped.push(other),
            }
        }
    }
    escaped
}

/// The same as a sentence, with a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = prose(text.trim());
    if text.is_empty() || text.ends_with(['.', '!', '?', '…']) {
        text
    } else {
        format!("{text}.")
    }
}

/// A link to a heading, the way GitHub names them.
pub(super) fn link_to_heading(shown: &str, page: &str, heading: &str) -> String {
    format!("[{shown}]({page}#{})", anchor(heading))
}

/// The name under which a heading can be linked to.
pub(crate) fn anchor(heading: &str) -> String {
    let mut anchor = String::new();
    for letter in heading.trim().chars() {
        match letter {
            ' ' | '-' => anchor.push('-'),
            '_' => anchor.push('_'),
            other if other.is_alphanumeric() => anchor.extend(other.to_lowercase()),
            _ => {}
        }
    }
    anchor
}

/// Adds a paragraph, table or block with an empty line after it.
pub(super) fn push(page: &mut String, part: &str) {
    // Writing to a String cannot fail.
    let _ = write!(page, "{}\n\n", part.trim_end());
}

/// The finished page: one newline at its end.
pub(super) fn finish(page: &str) -> String {
    format!("{}\n", page.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_ends_it() {
        let mut table = Table::new(["a", "b"]);
        table.row([code("x|y"), "two\nlines".into()]);
        table.row([String::new(), "z".into()]);
        assert_eq!(table.finish(), "| a | b |\n|---|---|\n| `x\\|y` | two lines |\n| | z |\n");
    }

    #[test]
    fn prose_keeps_code_and_disarms_the_rest() {
        assert_eq!(prose("a <b> `<c> *`, 2 * 3"), "a &lt;b> `<c> *`, 2 \\* 3");
        assert_eq!(prose("one ` <x>"), "one ` &lt;x>");
        assert_eq!(sentence("done"), "done.");
        assert_eq!(sentence("done?"), "done?");
    }

    #[test]
    fn anchors_are_those_of_github() {
        assert_eq!(anchor("hermes tools call"), "hermes-tools-call");
        assert_eq!(anchor("The `todo_list` tool: what's new?"), "the-todo_list-tool-whats-new");
    }

    #[test]
    fn code_with_a_backtick_stays_code() {
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
