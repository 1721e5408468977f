//! One line of a file as it is shown: bounded, with the match in sight.

use std::ops::Range;

/// A shown line has at most this many characters, marks for what was cut included.
pub const ROW_CHARS: usize = 500;

/// Stands for text that was left out.
const CUT: char = '…';

/// No encoding needs more bytes for one character, so this much text surely fills a row.
const MOST_BYTES: usize = ROW_CHARS * 4;

/// The line without its line end, cut around the match when it is too long.
///
/// `find` is asked for the place of the match only when the line must be cut. Of a huge line only
/// the neighbourhood of the match is decoded.
pub(super) fn excerpt(line: &[u8], find: impl FnOnce(&[u8]) -> Option<Range<usize>>) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MOST_BYTES {
        let whole = String::from_utf8_lossy(line);
        if line.len() <= ROW_CHARS || whole.chars().count() <= ROW_CHARS {
            return whole.into_owned();
        }
    }
    let found = find(line).unwrap_or(0..0);
    let from = boundary(line, found.start.saturating_sub(MOST_BYTES));
    let to = boundary(line, found.start.saturating_add(MOST_BYTES));
    let before = String::from_utf8_lossy(&line[from..found.start]).chars().count();
    let inside = String::from_utf8_lossy(&line[found.start..found.end.min(to)]).chars().count();
    let near: Vec<char> = String::from_utf8_lossy(&line[from..to]).chars().collect();

    let room = ROW_CHARS - 2;
    let lead = room.saturating_sub(inside) / 2;
    let end = before.saturating_sub(lead).saturating_add(room).min(near.len());
    let start = end.saturating_sub(room);

    let mut shown = String::with_capacity(end - start + 8);
    if from > 0 || start > 0 {
        shown.push(CUT);
    }
    shown.extend(&near[start..end]);
    if end < near.len() || to < line.len() {
        shown.push(CUT);
    }
    shown
}

/// The nearest start of a character at or before `at`, as far as the bytes are UTF-8.
fn boundary(line: &[u8], at: usize) -> usize {
    let at = at.min(line.len());
    let continues = |index: usize| line.get(index).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|&index| !continues(index)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(line: &str, word: &str) -> String {
        excerpt(line.as_bytes(), |_| line.find(word).map(|at| at..at + word.len()))
    }

    #[test]
    fn keeps_short_lines_and_drops_the_line_end() {
        assert_eq!(around("abc\r\n", "b"), "abc");
        assert_eq!(around("abc\n", "b"), "abc");
        assert_eq!(around("a\rbc", "b"), "a\rbc");
    }

    #[test]
    fn counts_characters_not_bytes() {
        let line = "é".repeat(ROW_CHARS);
        assert_eq!(around(&line, "é"), line);
    }

    #[test]
    fn shows_a_match_at_the_start_middle_and_end_of_a_long_line() {
        let pad = "x".repeat(3_000);
        for (line, cut_before, cut_after) in [
            (format!("needle{pad}"), false, true),
            (format!("{pad}needle{pad}"), true, true),
            (format!("{pad}needle"), true, false),
        ] {
            let shown = around(&line, "needle");
            assert!(shown.contains("needle"), "{shown}");
            assert!(shown.chars().count() <= ROW_CHARS);
            assert_eq!(shown.starts_with(CUT), cut_before);
            assert_eq!(shown.ends_with(CUT), cut_after);
        }
    }

    #[test]
    fn shows_the_start_of_a_match_longer_than_the_row() {
        let line = format!("{}<{}>", "a".repeat(4_000), "b".repeat(4_000));
        let shown = excerpt(line.as_bytes(), |_| Some(4_000..8_002));
        assert!(shown.starts_with("…<bbb"), "{shown}");
        assert_eq!(shown.chars().count(), ROW_CHARS);
    }

    #[test]
    fn never_splits_a_character() {
        for shift in 0..4 {
            let line =
                format!("{}{}needle{}", "a".repeat(shift), "🦀".repeat(900), "🦀".repeat(900));
            assert!(!around(&line, "needle").contains('\u{FFFD}'));
        }
    }

    #[test]
    fn survives_bytes_that_are_not_text() {
        let line = [0x80_u8; 9_000];
        for at in [0, 1, 4_500, 8_999] {
            let shown = excerpt(&line, |_| Some(at..at + 1));
            assert!(shown.chars().count() <= ROW_CHARS);
        }
    }
}
