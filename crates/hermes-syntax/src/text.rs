//! From offsets in a text to errors that a reader can act on.

use super::SyntaxError;

/// Longest message of one error, in characters.
const MAX_MESSAGE: usize = 200;
/// Longest kept part of the line in error, in characters.
const MAX_EXCERPT: usize = 200;
/// Longest quotation inside a message, in characters.
const MAX_QUOTE: usize = 40;

/// An error at a byte offset of `text` (clamped to it).
pub(super) fn error_at(
    kind: &'static str,
    text: &str,
    offset: usize,
    message: impl AsRef<str>,
) -> SyntaxError {
    let offset = floor_boundary(text, offset);
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    SyntaxError {
        kind,
        message: one_line(message.as_ref(), MAX_MESSAGE),
        line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        excerpt: one_line(line_from(text, line_start), MAX_EXCERPT),
    }
}

/// The byte offset of a 1-based line and a 1-based column in characters (clamped to the text).
pub(super) fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.max(1) - 1).map(str::len).sum();
    let rest = line_from(text, start);
    let within = rest.char_indices().nth(column.max(1) - 1).map_or(rest.len(), |(at, _)| at);
    start + within
}

/// The line that begins at `start`, without its end.
fn line_from(text: &str, start: usize) -> &str {
    text[start..].lines().next().unwrap_or_default()
}

/// What stands at `offset`, short enough for a message: the rest of the word, or one character.
pub(super) fn quote_at(text: &str, offset: usize) -> Option<String> {
    let rest = text[floor_boundary(text, offset)..].trim_start_matches([' ', '\t']);
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let end = if word > 0 { word } else { rest.chars().next()?.len_utf8() };
    match &rest[..end] {
        "\n" | "\r" => Some("end of line".to_string()),
        found => Some(format!("`{}`", one_line(found, MAX_QUOTE))),
    }
}

/// `text` trimmed, without control characters, at most `limit` characters.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut chars = text.trim().chars().map(clean);
    let mut line: String = chars.by_ref().take(limit).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let error = error_at("E", "a\n  ü = x\n", "a\n  ü ".len(), "bad\nthing");
        assert_eq!((error.line, error.column), (2, 5));
        assert_eq!(error.excerpt, "ü = x");
        assert_eq!(error.to_string(), "E: bad thing (line 2, column 5)");
    }

    #[test]
    fn offsets_beyond_the_text_or_inside_a_character_are_clamped() {
        assert_eq!(error_at("E", "ab", 99, "m").column, 3);
        assert_eq!(error_at("E", "ü", 1, "m").column, 1);
        assert_eq!(error_at("E", "", 0, "m").line, 1);
    }

    #[test]
    fn line_and_column_turn_back_into_an_offset() {
        let text = "a\r\nüb\nc";
        for (line, column, expected) in [(1, 1, 0), (2, 2, 5), (3, 1, 7), (9, 9, 8), (0, 0, 0)] {
            assert_eq!(offset_of(text, line, column), expected, "{line}:{column}");
        }
    }

    #[test]
    fn quotes_a_word_or_one_character() {
        assert_eq!(quote_at("let fn_x = 1", 4).unwrap(), "`fn_x`");
        assert_eq!(quote_at("a )", 1).unwrap(), "`)`");
        assert_eq!(quote_at("a\n", 1).unwrap(), "end of line");
        assert_eq!(quote_at("a", 1), None);
    }
}
