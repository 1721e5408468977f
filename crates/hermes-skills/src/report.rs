//! What a verb has to say: data, remarks and how it ended, for whoever prints it.
//!
//! A terminal, a chat and a program show the same report in different ways: tables are as wide as there is room, JSON
//! is compact where nobody reads it. So a verb gives parts, and no text that is laid out already.

use serde::Serialize;
use serde_json::Value;

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbStatus {
    /// Everything was done.
    Done,
    /// Something failed.
    Failed,
    /// A part was done.
    Partly,
    /// A rule said no.
    Blocked,
    /// The words make no sense.
    Usage,
}

/// A piece of what goes to stdout.
#[derive(Clone, Debug, PartialEq)]
pub enum ReportPart {
    /// Lines as they are.
    Text(String),
    /// Rows under each other.
    Table(ReportTable),
    /// What changed in files; where colours are seen, added lines are green and removed ones red.
    Diff(String),
    /// A value for programs.
    Json(Value),
}

/// Rows of text under a head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportTable {
    /// Titles of the columns.
    pub head: Vec<&'static str>,
    /// One text a column.
    pub rows: Vec<Vec<String>>,
    /// Columns with numbers.
    pub numbers: Vec<usize>,
    /// Columns that matter less and are shown so.
    pub minor: Vec<usize>,
    /// Whether the last column goes on below where it does not fit, because what it says is found nowhere else.
    pub is_wrapped: bool,
}

/// What a verb has to say.
#[derive(Clone, Debug)]
pub struct VerbReport {
    /// For stdout.
    pub parts: Vec<ReportPart>,
    /// For stderr, line by line.
    pub notes: Vec<String>,
    /// What is wrong, for stderr too.
    pub warnings: Vec<String>,
    /// For the exit code.
    pub status: VerbStatus,
}

impl VerbReport {
    /// Nothing to print, and this end.
    #[must_use]
    pub fn ended(status: VerbStatus) -> Self {
        Self { parts: Vec::new(), notes: Vec::new(), warnings: Vec::new(), status }
    }

    /// Everything was done; this is for stdout.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::ended(VerbStatus::Done).with(ReportPart::Text(text.into()))
    }

    /// Everything was done; these are the rows.
    #[must_use]
    pub fn table(table: ReportTable) -> Self {
        Self::ended(VerbStatus::Done).with(ReportPart::Table(table))
    }

    /// Everything was done; this is for programs.
    #[must_use]
    pub fn json(value: &impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or_default();
        Self::ended(VerbStatus::Done).with(ReportPart::Json(value))
    }

    /// The same with more on stdout.
    #[must_use]
    pub fn with(mut self, part: ReportPart) -> Self {
        self.parts.push(part);
        self
    }

    /// The same with remarks.
    #[must_use]
    pub fn noted(mut self, notes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.notes.extend(notes.into_iter().map(Into::into));
        self
    }

    /// The same with warnings.
    #[must_use]
    pub fn warned(mut self, warnings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.warnings.extend(warnings.into_iter().map(Into::into));
        self
    }

    /// The same with another end.
    #[must_use]
    pub fn ending(mut self, status: VerbStatus) -> Self {
        self.status = status;
        self
    }

    /// What goes to stdout, as it is in a pipe: columns padded, JSON on lines of its own.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                ReportPart::Text(lines) | ReportPart::Diff(lines) => text.push_str(lines),
                ReportPart::Table(table) => text.push_str(&table.plain()),
                ReportPart::Json(value) => text.push_str(&value.to_string()),
            }
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }
}

impl ReportTable {
    /// A table without rows.
    #[must_use]
    pub fn new<const N: usize>(head: [&'static str; N]) -> Self {
        Self { head: head.to_vec(), ..Self::default() }
    }

    /// The same with columns that matter less.
    #[must_use]
    pub fn minor(mut self, columns: &[usize]) -> Self {
        self.minor = columns.to_vec();
        self
    }

    /// The same with nothing of the last column left out.
    #[must_use]
    pub fn wrapped(mut self) -> Self {
        self.is_wrapped = true;
        self
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(Vec::from(cells));
    }

    /// The rows with every column padded to its widest cell.
    #[must_use]
    pub fn plain(&self) -> String {
        let head: Vec<String> = self.head.iter().map(|title| title.to_uppercase()).collect();
        let mut widths: Vec<usize> = head.iter().map(|title| title.chars().count()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = String::new();
        for row in std::iter::once(&head).chain(&self.rows) {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(width + 2 - cell.chars().count()));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_on_lines_of_their_own() {
        let mut table = ReportTable::new(["name", "n"]);
        table.row(["abcde".to_owned(), "1".to_owned()]);
        let report = VerbReport::text("one").with(ReportPart::Table(table));
        assert_eq!(report.plain(), "one\nNAME   N\nabcde  1\n");
        assert_eq!(VerbReport::json(&[1, 2]).plain(), "[1,2]\n");
        assert_eq!(VerbReport::ended(VerbStatus::Failed).plain(), "");
    }
}
