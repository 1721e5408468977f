//! The text of a memory file, and the entries in it.
//!
//! Entries are separated by a line that holds nothing but `§`. A `§` inside a line is ordinary text; an
//! entry with such a line of its own would come back as two, so it is never written.

use std::collections::HashSet;

/// Separates entries: a line of its own.
pub const DELIMITER: &str = "\n§\n";

/// The entries of a file: trimmed, blank ones and repetitions left out. CRLF reads as LF.
#[must_use]
pub fn parse(text: &str) -> Vec<String> {
    let mut entries = raw_entries(&normalised(text));
    let mut seen = HashSet::new();
    entries.retain(|entry| seen.insert(entry.clone()));
    entries
}

/// The file of some entries, without a final line break.
#[must_use]
pub fn render(entries: &[String]) -> String {
    entries.join(DELIMITER)
}

/// How many characters the file of some entries has.
#[must_use]
pub fn size(entries: &[String]) -> usize {
    let texts: usize = entries.iter().map(|entry| entry.chars().count()).sum();
    texts + entries.len().saturating_sub(1) * DELIMITER.chars().count()
}

/// Whether the text is not one we could have written, so that somebody else has.
///
/// Repetitions are no sign of that: we collapse them when we read.
#[must_use]
pub fn is_foreign(text: &str) -> bool {
    let text = normalised(text);
    render(&raw_entries(&text)) != text.trim()
}

/// Whether an entry would come back as several.
#[must_use]
pub fn holds_delimiter(entry: &str) -> bool {
    entry.lines().any(|line| line.trim() == "§")
}

/// The text with plain line ends, however many returns stood before them: what is read from what was
/// written must be the same.
pub(super) fn normalised(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    lines.join("\n")
}

fn raw_entries(text: &str) -> Vec<String> {
    text.trim()
        .split(DELIMITER)
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn entries_are_trimmed_and_repetitions_collapse() {
        let text = "\u{feff}one\r\n§\r\ntwo § half\n§\n\n§\n one \n";
        assert_eq!(parse(text), ["one", "two § half"]);
        assert_eq!(parse(" \n "), Vec::<String>::new());
    }

    #[test]
    fn text_we_did_not_write_is_recognised() {
        assert!(!is_foreign("a\n§\nb\n"));
        assert!(!is_foreign("a\r\n§\r\nb"));
        assert!(!is_foreign("a\n§\na"));
        assert!(!is_foreign(""));
        assert!(is_foreign("a\n§\n\n§\nb"));
        assert!(is_foreign("a \n§\nb"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(entries in prop::collection::vec("[ab§\r\n ]{0,8}", 0..5)) {
            let kept: Vec<String> = parse(&entries.join("\n§\n"));
            // What a file gives is only written again if no entry holds the delimiter.
            prop_assume!(!kept.iter().any(|entry| holds_delimiter(entry)));
            let text = render(&kept);
            prop_assert_eq!(parse(&text), kept.clone());
            prop_assert_eq!(size(&kept), text.chars().count());
            prop_assert!(!is_foreign(&text));
        }
    }
}
