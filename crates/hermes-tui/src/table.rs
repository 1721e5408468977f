//! Tables for people: aligned, no wider than the terminal, readable without colour.
//!
//! All columns but the last are as wide as their widest cell. The last one takes the room that is
//! left, and is cut there, one line a row; a table made with [`Table::wrapped`] continues it below
//! instead, because what it says is not to be found elsewhere. In a pipe there is room for
//! everything.
//!
//! What never happens here: colour is the only sign of something, or a line ends in spaces.

use std::io::{self, Write};

use hermes_protocol::text::{columns, cut};
use owo_colors::{OwoColorize, Style};

use crate::words::wrap_words;

/// A piece of text with a style.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text in a style.
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// Dim text, for what matters less.
    pub fn dim(text: impl Into<String>) -> Self {
        Self::styled(text, Style::new().dimmed())
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::new())
    }
}

/// What happens to the last column where it does not fit.
#[derive(Clone, Copy, Debug, Default)]
enum Overflow {
    /// It is cut: one line a row.
    #[default]
    Cut,
    /// It goes on in further lines: nothing is lost.
    Wrap,
}

/// Rows under a header; the last column takes what room is left.
#[derive(Debug, Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<Cell>>,
    right: Vec<usize>,
    overflow: Overflow,
}

const GAP: usize = 2;
/// With less room than this the last column overflows, or stands below the others if it may wrap.
const MIN_LAST: usize = 20;
/// How far a last column is set in that stands below the others.
const INDENT: usize = 4;

impl Table {
    /// A table with these columns.
    #[must_use]
    pub fn new<'a>(header: impl IntoIterator<Item = &'a str>) -> Self {
        Self { header: header.into_iter().map(str::to_uppercase).collect(), ..Self::default() }
    }

    /// Aligns these columns (numbers) to the right.
    #[must_use]
    pub fn right(mut self, columns: &[usize]) -> Self {
        self.right = columns.to_vec();
        self
    }

    /// Wraps the last column instead of cutting it.
    #[must_use]
    pub fn wrapped(mut self) -> Self {
        self.overflow = Overflow::Wrap;
        self
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    /// Adds many rows of plain text.
    #[must_use]
    pub fn rows(mut self, rows: &[Vec<String>]) -> Self {
        self.rows.extend(rows.iter().map(|row| row.iter().map(Cell::from).collect()));
        self
    }

    /// Dims these columns of the rows there are.
    #[must_use]
    pub fn dimmed(mut self, columns: &[usize]) -> Self {
        for row in &mut self.rows {
            for at in columns {
                if let Some(cell) = row.get_mut(*at) {
                    cell.style = cell.style.dimmed();
                }
            }
        }
        self
    }

    /// Writes header and rows.
    pub fn write(&self, out: &mut dyn Write, width: usize) -> io::Result<()> {
        let mut widths: Vec<usize> = self.header.iter().map(|text| columns(text)).collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(columns(&cell.text));
            }
        }
        let Some(widest_last) = widths.pop() else { return Ok(()) };
        let taken: usize = widths.iter().map(|width| width + GAP).sum();
        let room = width.saturating_sub(taken);
        let fits = widest_last <= room || room >= MIN_LAST;
        let bold = Style::new().bold();
        let header: Vec<Cell> = self.header.iter().map(|text| Cell::styled(text, bold)).collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            let Some((last, others)) = row.split_last() else { continue };
            let mut line = self.aligned(others, &widths);
            if matches!(self.overflow, Overflow::Wrap) && !fits {
                writeln!(out, "{}", line.trim_end())?;
                for piece in wrap_words(&last.text, width.saturating_sub(INDENT)) {
                    writeln!(out, "{:INDENT$}{}", "", piece.style(last.style))?;
                }
                continue;
            }
            let pieces = match self.overflow {
                Overflow::Cut => vec![cut(&last.text, room.max(MIN_LAST))],
                Overflow::Wrap => wrap_words(&last.text, room),
            };
            for piece in pieces {
                if self.right.contains(&others.len()) {
                    line += &" ".repeat(widest_last.saturating_sub(columns(&piece)));
                }
                // Styles are left out where there is nothing to show, so that no line ends in
                // invisible text.
                match piece.is_empty() {
                    true => writeln!(out, "{}", line.trim_end())?,
                    false => writeln!(out, "{line}{}", piece.style(last.style))?,
                }
                line = " ".repeat(taken);
            }
        }
        Ok(())
    }

    /// All cells but the last, each as wide as its column.
    fn aligned(&self, cells: &[Cell], widths: &[usize]) -> String {
        let mut line = String::new();
        for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let space = " ".repeat(width - columns(&cell.text));
            let styled = match cell.text.as_str() {
                "" => String::new(),
                text => text.style(cell.style).to_string(),
            };
            line += &match self.right.contains(&index) {
                true => format!("{space}{styled}{:GAP$}", ""),
                false => format!("{styled}{space}{:GAP$}", ""),
            };
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(table: &Table, width: usize) -> String {
        let mut out = Vec::new();
        table.write(&mut out, width).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn columns_line_up_even_with_wide_characters() {
        let mut table = Table::new(["", "name", "about"]);
        table.row(["📖".into(), "read".into(), "x".into()]);
        table.row(["a".into(), "be".into(), "y".into()]);
        assert_eq!(plain(&table, 80), "    NAME  ABOUT\n📖  read  x\na   be    y\n");
    }

    #[test]
    fn the_last_column_is_cut_to_the_terminal() {
        let mut table = Table::new(["name", "about"]);
        table.row(["x".into(), "word ".repeat(40).into()]);
        assert!(plain(&table, 40).lines().all(|line| columns(line) <= 40));
    }

    #[test]
    fn a_wrapped_last_column_goes_on_under_itself() {
        let mut table = Table::new(["name", "about"]).wrapped();
        table.row(["x".into(), "one two three four five".into()]);
        let expected = "NAME  ABOUT\nx     one two three four\n      five\n";
        assert_eq!(plain(&table, 26), expected);
    }

    #[test]
    fn a_wrapped_last_column_without_room_stands_below() {
        let mut table = Table::new(["name", "about"]).wrapped();
        table.row(["a.long.name".into(), "one two three four".into()]);
        let expected = "NAME\n    ABOUT\na.long.name\n    one two three\n    four\n";
        assert_eq!(plain(&table, 18), expected);
    }

    #[test]
    fn no_line_ends_in_spaces() {
        let mut table = Table::new(["name", "bytes", "about"]).right(&[1]);
        table.row(["x".into(), "1".into(), "".into()]);
        table.row(["xyz".into(), "10".into(), "y".into()]);
        assert_eq!(plain(&table, 80), "NAME  BYTES  ABOUT\nx         1\nxyz      10  y\n");
    }

    #[test]
    fn numbers_in_the_last_column_line_up_at_the_right() {
        let mut table = Table::new(["name", "tokens"]).right(&[1]);
        table.row(["x".into(), "5".into()]);
        table.row(["y".into(), "1234".into()]);
        assert_eq!(plain(&table, 80), "NAME  TOKENS\nx          5\ny       1234\n");
    }
}
