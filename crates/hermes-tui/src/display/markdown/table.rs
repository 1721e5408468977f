//! Tables: columns as wide as they need, narrowed together where there is no room.

use super::super::fit::{StyledSpan, columns_of, padded, painted, wrap};
use super::super::style::{Ink, Style};
use super::inline::inline;

/// A column is never narrower than this.
const MIN_COLUMN: usize = 4;
const BAR: &str = " │ ";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Centre,
    Right,
}

/// The rows of a table; nothing if the lines are none, or it has more columns than there is room.
pub(super) fn render(lines: &[String], style: &Style) -> Option<Vec<String>> {
    let (header, rest) = lines.split_first()?;
    let (delimiter, body) = rest.split_first()?;
    let aligns: Vec<Align> =
        cells(delimiter).iter().map(|cell| alignment(cell)).collect::<Option<_>>()?;
    let count = aligns.len().max(cells(header).len());
    let room = style.width.checked_sub(BAR.chars().count() * count.saturating_sub(1))?;
    if count == 0 || room < count * MIN_COLUMN {
        return None;
    }
    let read = |line: &String| -> Vec<Vec<StyledSpan>> {
        let mut row: Vec<Vec<StyledSpan>> = cells(line).iter().map(|cell| inline(cell)).collect();
        // Cells too many are joined to the last one: nothing is lost.
        while row.len() > count {
            if let (Some(surplus), Some(last)) = (row.pop(), row.last_mut()) {
                last.push(StyledSpan::plain(" | "));
                last.extend(surplus);
            }
        }
        row.resize(count, Vec::new());
        row
    };
    let bold = |cell: Vec<StyledSpan>| {
        cell.into_iter().map(|span| StyledSpan::new(span.text, Ink::BOLD.and(span.ink))).collect()
    };
    let header: Vec<Vec<StyledSpan>> = read(header).into_iter().map(bold).collect();
    let body: Vec<Vec<Vec<StyledSpan>>> = body.iter().map(read).collect();
    let natural: Vec<usize> = (0..count)
        .map(|column| {
            let widest = body.iter().chain([&header]).map(|row| columns_of(&row[column])).max();
            widest.unwrap_or(0).max(MIN_COLUMN)
        })
        .collect();
    let widths = narrowed(&natural, room);
    let drawing = Drawing { style, widths: &widths, aligns: &aligns };
    let mut rows = drawing.row(&header);
    let line: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    rows.push(style.paint(Ink::DIM, &line.join("─┼─")));
    rows.extend(body.iter().flat_map(|row| drawing.row(row)));
    Some(rows)
}

struct Drawing<'a> {
    style: &'a Style,
    widths: &'a [usize],
    aligns: &'a [Align],
}

impl Drawing<'_> {
    fn row(&self, cells: &[Vec<StyledSpan>]) -> Vec<String> {
        let wrapped: Vec<Vec<Vec<StyledSpan>>> =
            cells.iter().zip(self.widths).map(|(cell, width)| wrap(cell, *width)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        let bar = self.style.paint(Ink::DIM, BAR);
        (0..height)
            .map(|row| {
                let pieces: Vec<String> = wrapped
                    .iter()
                    .enumerate()
                    .map(|(column, lines)| {
                        self.cell(column, lines.get(row).map_or(&[][..], Vec::as_slice))
                    })
                    .collect();
                pieces.join(&bar).trim_end().to_owned()
            })
            .collect()
    }

    fn cell(&self, column: usize, line: &[StyledSpan]) -> String {
        let spare = self.widths[column].saturating_sub(columns_of(line));
        let before = match self.aligns.get(column) {
            Some(Align::Right) => spare,
            Some(Align::Centre) => spare / 2,
            _ => 0,
        };
        let text = painted(self.style, line);
        format!("{}{text}{}", " ".repeat(before), padded("", spare - before))
    }
}

/// The widths, the widest cut back until all fit.
fn narrowed(natural: &[usize], room: usize) -> Vec<usize> {
    let total = |most: usize| natural.iter().map(|width| (*width).min(most)).sum::<usize>();
    let mut most = natural.iter().copied().max().unwrap_or(MIN_COLUMN);
    while most > MIN_COLUMN && total(most) > room {
        most -= 1;
    }
    natural.iter().map(|width| (*width).min(most)).collect()
}

/// The cells of a row: bars split, unless they are escaped or in code.
fn cells(line: &str) -> Vec<String> {
    let text = line.trim();
    let text = text.strip_prefix('|').unwrap_or(text);
    let mut cells = vec![String::new()];
    let mut in_code = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match character {
            '\\' if characters.next_if_eq(&'|').is_some() => cell.push('|'),
            '`' => {
                in_code = !in_code;
                cell.push('`');
            }
            '|' if !in_code => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| super::super::fit::shown(cell.trim())).collect()
}

fn alignment(cell: &str) -> Option<Align> {
    let dashes = cell.trim_matches(':');
    if dashes.is_empty() || !dashes.bytes().all(|sign| sign == b'-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Align::Centre,
        (false, true) => Align::Right,
        _ => Align::Left,
    })
}
