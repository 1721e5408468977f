//! Text of strangers for a terminal: one line, no control characters, columns that fit.

use crate::hub::record::HubRecord;

/// Longest description in a table.
const DESCRIPTION: usize = 60;

/// A text as it may be printed: on one line, without characters that move a cursor or turn text around, cut.
pub(super) fn shown(text: &str, most: usize) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !c.is_control() && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .collect();
    let plain = plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if plain.chars().count() <= most {
        return plain;
    }
    let mut cut: String = plain.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Rows under each other, the last column as it is.
pub(super) fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|title| title.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let head: Vec<String> = head.iter().map(|title| (*title).to_owned()).collect();
    for row in std::iter::once(&head).chain(rows) {
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

/// Skills of sources as a table.
pub(super) fn records(records: &[HubRecord]) -> String {
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|record| {
            vec![
                shown(&record.name, 40),
                shown(&record.description, DESCRIPTION),
                record.source.clone(),
                record.trust_level.as_str().to_owned(),
                shown(&record.identifier, 200),
            ]
        })
        .collect();
    columns(&["NAME", "DESCRIPTION", "SOURCE", "TRUST", "IDENTIFIER"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_strangers_cannot_move_the_cursor_or_turn_itself_around() {
        assert_eq!(shown("a\u{1b}[2Jb\r\nc\u{202e}d\te", 20), "a[2Jb cd e");
        assert_eq!(shown("abcdef", 4), "abc…");
    }
}
