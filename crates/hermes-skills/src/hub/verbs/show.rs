//! Text of strangers for a terminal: one line, no control characters.

use crate::hub::record::HubRecord;
use crate::report::ReportTable;

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

/// Skills of sources as a table.
pub(super) fn records(records: &[HubRecord]) -> ReportTable {
    let mut table = ReportTable::new(["name", "description", "source", "trust", "identifier"]);
    for record in records {
        table.row([
            shown(&record.name, 40),
            shown(&record.description, DESCRIPTION),
            record.source.clone(),
            record.trust_level.as_str().to_owned(),
            shown(&record.identifier, 200),
        ]);
    }
    table
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
