//! Disregarding blanks: runs of them as one space, and lines by what is left of them.

use super::blank::trim;
use super::view::{Copyist, NormalizedView};

/// The text with every run of spaces and tabs as one space. Line breaks stay.
pub(super) fn single_spaced(text: &[u8]) -> NormalizedView<'_> {
    let mut copyist = Copyist::new(text);
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b' ', b'\t', &text[at..]) {
        let start = at + found;
        let run = text[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if run > 1 || text[start] == b'\t' {
            copyist.replace(start..start + run, b" ");
        }
        at = start + run;
    }
    copyist.finish()
}

/// What of a line is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKey {
    /// The line without blanks at its ends.
    Trimmed,
    /// Also, every run of blanks is one space.
    Collapsed,
    /// Also, there are no blanks beside punctuation: only those between words are left.
    Tight,
}

impl LineKey {
    /// The part or rendering of the line that is compared. Its first and last bytes are those
    /// of the trimmed line.
    pub(super) fn of<'a>(self, line: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        let line = trim(line);
        if self == Self::Trimmed {
            return line;
        }
        buffer.clear();
        let mut rest = line;
        while !rest.is_empty() {
            let word = rest.iter().position(|byte| begins_blank(*byte)).unwrap_or(rest.len());
            buffer.extend_from_slice(&rest[..word]);
            let tail = super::blank::trim_start(&rest[word..]);
            let gap = tail.len() < rest.len() - word;
            if !gap && word < rest.len() {
                // A byte that only looked like the beginning of a blank character.
                buffer.push(rest[word]);
                rest = &rest[word + 1..];
                continue;
            }
            if gap && (self == Self::Collapsed || (ends_word(buffer) && begins_word(tail))) {
                buffer.push(b' ');
            }
            rest = tail;
        }
        buffer
    }
}

/// Whether a blank character may begin with this byte.
fn begins_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1c..=0x20 | 0xc2 | 0xe1..=0xe3)
}

/// Whether the last character belongs to a word. All bytes beyond ASCII do: too strict for
/// foreign punctuation, but never wrong.
fn ends_word(text: &[u8]) -> bool {
    text.last().is_some_and(|byte| is_word(*byte))
}

fn begins_word(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| is_word(*byte))
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(kind: LineKey, line: &str) -> String {
        String::from_utf8(kind.of(line.as_bytes(), &mut Vec::new()).to_vec()).unwrap()
    }

    #[test]
    fn keys_go_from_strict_to_loose() {
        let line = "\t foo (a ,  b) =  bar \u{3000}baz ";
        assert_eq!(key(LineKey::Trimmed, line), "foo (a ,  b) =  bar \u{3000}baz");
        assert_eq!(key(LineKey::Collapsed, line), "foo (a , b) = bar baz");
        assert_eq!(key(LineKey::Tight, line), "foo(a,b)=bar baz");
        assert_eq!(key(LineKey::Tight, "é ü \u{2014} x"), "é ü \u{2014} x");
        assert_eq!(key(LineKey::Collapsed, "â€™\u{e000} \u{2603}"), "â€™\u{e000} \u{2603}");
    }

    #[test]
    fn single_spacing_leads_back_to_whole_runs() {
        let view = single_spaced(b"a \t b\n\tc d");
        assert_eq!(view.bytes(), b"a b\n c d");
        assert_eq!(view.source(1..2), Some(1..4));
        assert_eq!(view.source(4..6), Some(6..8));
        assert_eq!(view.source(6..8), Some(8..10));
    }
}
