//! Tables for people: aligned, no wider than the terminal, readable without colour.

use std::io::{self, Write};

use owo_colors::{OwoColorize, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A piece of text with a style.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text in a style.
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// Dim text, for what matters less.
    pub(crate) fn dim(text: impl Into<String>) -> Self {
        Self::styled(text, Style::new().dimmed())
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::new())
    }
}

/// Rows under a header; the last column takes what room is left and is cut to it.
#[derive(Debug, Default)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<Cell>>,
    right: Vec<usize>,
}

const GAP: usize = 2;
/// The last column is not cut below this.
const MIN_LAST: usize = 20;

impl Table {
    /// A table with these columns.
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        Self { header: header.map(str::to_owned).to_vec(), ..Self::default() }
    }

    /// Aligns these columns (numbers) to the right.
    #[must_use]
    pub(crate) fn right(mut self, columns: &[usize]) -> Self {
        self.right = columns.to_vec();
        self
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    /// Writes header and rows.
    pub(crate) fn write(&self, out: &mut dyn Write, width: usize) -> io::Result<()> {
        let columns = self.header.len();
        let mut widths: Vec<usize> = self.header.iter().map(|text| text.width()).collect();
        for row in &self.rows {
            for (index, cell) in row.iter().enumerate() {
                widths[index] = widths[index].max(cell.text.width());
            }
        }
        if let Some((last, fixed)) = widths.split_last_mut() {
            let taken: usize = fixed.iter().map(|width| width + GAP).sum();
            *last = (*last).min(width.saturating_sub(taken).max(MIN_LAST));
        }
        let bold = Style::new().bold();
        let header: Vec<Cell> =
            self.header.iter().map(|text| Cell::styled(text.to_uppercase(), bold)).collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            for (index, cell) in row.iter().enumerate() {
                let text = cut(&cell.text, widths[index]);
                let space = " ".repeat(widths[index] - text.width());
                let is_last = index + 1 == columns;
                let text = text.style(cell.style);
                match (self.right.contains(&index), is_last) {
                    (true, true) => write!(out, "{space}{text}")?,
                    (true, false) => write!(out, "{space}{text}{:GAP$}", "")?,
                    (false, true) => write!(out, "{text}")?,
                    (false, false) => write!(out, "{text}{space}{:GAP$}", "")?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The text in at most `width` columns, with an ellipsis where something is missing.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let mut kept = String::new();
    for character in text.chars() {
        let wide = character.width().unwrap_or(0);
        if wide > room {
            break;
        }
        room -= wide;
        kept.push(character);
    }
    kept.push('…');
    kept
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
        assert!(plain(&table, 40).lines().all(|line| line.width() <= 40));
    }
}
