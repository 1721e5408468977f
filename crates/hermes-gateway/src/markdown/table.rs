//! Tables where there are none: in columns of equal letters if they are narrow, else a line for each cell.

use unicode_width::UnicodeWidthStr;

use super::document::words;
use super::{Inline, TableBlock};

/// The table in columns, if it is not wider than this.
pub(super) fn aligned(table: &TableBlock, most: usize) -> Option<String> {
    let row = |cells: &[Vec<Inline>]| cells.iter().map(|cell| words(cell)).collect::<Vec<_>>();
    let header = row(&table.header);
    let rows: Vec<Vec<String>> = table.rows.iter().map(|cells| row(cells)).collect();
    let columns = header.len();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).chain(header.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let total = widths.iter().sum::<usize>() + columns.saturating_sub(1) * 3;
    if total > most || columns == 0 {
        return None;
    }
    let line = |cells: &[String]| {
        let set = |(at, width): (usize, &usize)| {
            let cell = cells.get(at).map_or("", String::as_str);
            let blank = " ".repeat(width.saturating_sub(cell.width()));
            match table.right.get(at) {
                Some(true) => format!("{blank}{cell}"),
                _ => format!("{cell}{blank}"),
            }
        };
        let cells: Vec<String> = widths.iter().enumerate().map(set).collect();
        cells.join(" │ ").trim_end().to_owned()
    };
    let bar: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    let mut lines = vec![line(&header), bar.join("─┼─")];
    lines.extend(rows.iter().map(|row| line(row)));
    Some(lines.join("\n"))
}

/// The table as lines: the column's name and the cell; an empty line between rows.
pub(super) fn as_lines(table: &TableBlock) -> Vec<(Option<String>, Vec<Inline>)> {
    let mut lines = Vec::new();
    for (at, row) in table.rows.iter().enumerate() {
        if at > 0 {
            lines.push((None, Vec::new()));
        }
        for (column, cell) in row.iter().enumerate() {
            let head = table.header.get(column).map(|head| words(head));
            lines.push((head.filter(|head| !head.is_empty()), cell.clone()));
        }
    }
    lines
}
