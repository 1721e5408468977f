//! Markdown as it arrives, made into rows of a terminal.
//!
//! A model writes Markdown bit by bit, and whoever reads along wants to see it at once. So the unit
//! is the line: [`Markdown::push`] takes more text and gives the rows of every line that is whole;
//! [`Markdown::tail`] gives what the unfinished rest looks like for now; [`Markdown::finish`] ends
//! the text. Only tables wait for their last row, because their columns depend on it. A line break
//! in the text is a line break on the screen: models mean it that way, and joining lines would make
//! the reader wait for whole paragraphs.
//!
//! What never happens here: text gets lost. Marks that mean nothing stay as they are, lines too
//! long are broken, control sequences (which could steer the terminal) are the only thing removed.

mod block;
mod inline;
mod maths;
mod table;
#[cfg(test)]
mod tests;

use self::block::{Fence, formula_rows, is_table_row, line_rows, table_rows};
use super::fit::{shown, split_at_columns};
use super::style::{Colour, Style};

/// How the formatting of an answer is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, hermes_tool::settings::SettingWords)]
pub enum MarkdownMode {
    /// It is drawn.
    #[default]
    Render,
    /// Its marks are taken out, and nothing is drawn in their place.
    Strip,
    /// It stays as the model wrote it.
    Raw,
}

/// A text that is still being written.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    mode: MarkdownMode,
    /// The line that has no end yet.
    line: String,
    fence: Option<Fence>,
    /// Lines that may become a table.
    table: Vec<String>,
    /// The line that ends the formula whose lines come now.
    formula: Option<&'static str>,
}

impl Markdown {
    /// A text that is empty so far.
    pub(crate) fn new(mode: MarkdownMode) -> Self {
        Self { mode, ..Self::default() }
    }

    /// Takes more text and gives the rows of what is whole.
    pub(crate) fn push(&mut self, text: &str, style: &Style) -> Vec<String> {
        let style = &self.style(style);
        self.line.push_str(text);
        let mut rows = Vec::new();
        let Some(end) = self.line.rfind('\n') else { return rows };
        let rest = self.line.split_off(end + 1);
        let whole = std::mem::replace(&mut self.line, rest);
        for line in whole.lines() {
            self.take(line, style, &mut rows);
        }
        rows
    }

    /// What is not whole yet, as it looks now.
    pub(crate) fn tail(&self, style: &Style) -> Vec<String> {
        let style = &self.style(style);
        let mut rows = Vec::new();
        match (self.mode, &self.fence) {
            (MarkdownMode::Raw, _) => rows.extend(broken(&shown(&self.line), style.width)),
            (_, Some(fence)) if !self.line.is_empty() => {
                // What is still being written changes nothing for the lines after it.
                rows.extend(fence.clone().line(&self.line, style, self.mode));
            }
            (_, Some(_)) => {}
            (_, None) => {
                if !self.table.is_empty() {
                    rows.extend(table_rows(&self.table, style));
                }
                if !self.line.is_empty() {
                    rows.extend(line_rows(&self.line, style));
                }
            }
        }
        rows
    }

    /// Gives the rows of what is left, and is empty again.
    pub(crate) fn finish(&mut self, style: &Style) -> Vec<String> {
        let mut rows = Vec::new();
        let drawn = self.style(style);
        let rest = std::mem::take(&mut self.line);
        if !rest.is_empty() {
            self.take(&rest, &drawn, &mut rows);
        }
        self.end_table(&drawn, &mut rows);
        if let Some(fence) = self.fence.take() {
            rows.extend(fence.bottom(&drawn, self.mode));
        }
        rows
    }

    fn take(&mut self, line: &str, style: &Style, rows: &mut Vec<String>) {
        if self.mode == MarkdownMode::Raw {
            rows.push(shown(line));
            return;
        }
        if let Some(mut fence) = self.fence.take() {
            if fence.is_closed_by(line) {
                rows.extend(fence.bottom(style, self.mode));
            } else {
                rows.extend(fence.line(line, style, self.mode));
                self.fence = Some(fence);
            }
            return;
        }
        if let Some(end) = self.formula {
            // A formula holds no empty line: somebody has forgotten to end it.
            if line.trim() == end || line.trim().is_empty() {
                self.formula = None;
            } else {
                rows.extend(formula_rows(line, style));
            }
            return;
        }
        if is_table_row(line) {
            self.table.push(line.to_owned());
            return;
        }
        self.end_table(style, rows);
        self.formula = match line.trim() {
            "$$" => Some("$$"),
            "\\[" => Some("\\]"),
            _ => None,
        };
        if self.formula.is_some() {
            return;
        }
        match Fence::opened_by(line) {
            Some(fence) => {
                rows.extend(fence.top(style, self.mode));
                self.fence = Some(fence);
            }
            None => rows.extend(line_rows(line, style)),
        }
    }

    fn end_table(&mut self, style: &Style, rows: &mut Vec<String>) {
        let lines = std::mem::take(&mut self.table);
        if !lines.is_empty() {
            rows.extend(table_rows(&lines, style));
        }
    }

    /// Stripped text has no colour.
    fn style(&self, style: &Style) -> Style {
        match self.mode {
            MarkdownMode::Render => *style,
            MarkdownMode::Strip | MarkdownMode::Raw => Style { colour: Colour::Off, ..*style },
        }
    }
}

/// A whole text at once.
pub(crate) fn render(text: &str, mode: MarkdownMode, style: &Style) -> Vec<String> {
    let mut markdown = Markdown::new(mode);
    let mut rows = markdown.push(text, style);
    rows.extend(markdown.finish(style));
    rows
}

/// A line in pieces of at most `width` columns.
fn broken(line: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (piece, more) = split_at_columns(rest, width);
        rows.push(piece.to_owned());
        rest = more;
    }
    rows
}
