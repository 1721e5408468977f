//! How two lines may differ and still be the same line.
//!
//! Each strategy maps a line to a normal form; lines are the same when their normal forms are
//! equal. That makes sameness transitive, which the linear search for a block of lines relies on.

use super::needle::Needle;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A way of comparing the lines of a hunk with those of a file, strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineStrategy {
    /// Byte for byte, apart from the line ending.
    Exact,
    /// Blanks at the end of a line do not count.
    TrailingWhitespace,
    /// Blanks at both ends do not count; added lines follow the file's indentation.
    Trimmed,
    /// As before, and typographic look-alikes equal their plain forms.
    Unicode,
}

impl LineStrategy {
    /// All of them, in the order they are tried.
    pub const ALL: [Self; 4] =
        [Self::Exact, Self::TrailingWhitespace, Self::Trimmed, Self::Unicode];

    /// The name shown to callers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingWhitespace => "trailing_whitespace",
            Self::Trimmed => "line_trimmed",
            Self::Unicode => "unicode_normalized",
        }
    }

    /// The form in which lines are compared.
    pub(super) fn normal(self, line: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Exact => Cow::Borrowed(line),
            Self::TrailingWhitespace => Cow::Borrowed(trim_end(line)),
            Self::Trimmed => Cow::Borrowed(trim(line)),
            Self::Unicode => folded(trim(line)),
        }
    }

    /// Places of a block of lines among others.
    pub(super) fn find<'h>(
        self,
        block: &[&str],
        hay: impl Iterator<Item = &'h [u8]>,
    ) -> Vec<usize> {
        let block = block.iter().map(|line| self.normal(line.as_bytes())).collect();
        Needle::new(block).find_in(hay.map(|line| self.normal(line)))
    }

    /// A number that is equal for lines which the most forgiving strategy takes for the same, and
    /// so for those of all stricter ones.
    pub(super) fn kind(line: &[u8]) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(&Self::Unicode.normal(line));
        hasher.finish()
    }
}

/// Blank as people see it: Unicode whitespace and the separator controls, not zero-width marks.
pub(super) fn is_blank_char(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Whether a line shows nothing.
pub(super) fn is_blank(line: &[u8]) -> bool {
    trim_end(line).is_empty()
}

/// The line without blanks at its ends.
pub(super) fn trim(line: &[u8]) -> &[u8] {
    let mut rest = trim_end(line);
    while let Some((c, width)) = first_char(rest)
        && is_blank_char(c)
    {
        rest = &rest[width..];
    }
    rest
}

fn trim_end(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let Some((c, width)) = last_char(rest)
        && is_blank_char(c)
    {
        rest = &rest[..rest.len() - width];
    }
    rest
}

/// First character and its width, `None` for stray bytes.
fn first_char(bytes: &[u8]) -> Option<(char, usize)> {
    let lead = *bytes.first()?;
    let width = match lead {
        0..0x80 => return Some((char::from(lead), 1)),
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    let c = std::str::from_utf8(bytes.get(..width)?).ok()?.chars().next()?;
    Some((c, width))
}

/// Last character and its width, `None` for stray bytes.
fn last_char(bytes: &[u8]) -> Option<(char, usize)> {
    let last = *bytes.last()?;
    if last.is_ascii() {
        return Some((char::from(last), 1));
    }
    let width = bytes.iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80)? + 1;
    first_char(&bytes[bytes.len() - width..]).filter(|&(_, found)| found == width)
}

/// Composed characters with look-alikes replaced; bytes that are no text stay as they are.
pub(super) fn folded(line: &[u8]) -> Cow<'_, [u8]> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let Ok(text) = std::str::from_utf8(line) else { return Cow::Borrowed(line) };
    let composed = is_nfc_quick(text.chars()) == IsNormalized::Yes;
    if composed && !text.chars().any(|c| look_alike(c).is_some()) {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.nfc() {
        match look_alike(c) {
            Some(ascii) => plain.push_str(ascii),
            None => plain.push(c),
        }
    }
    Cow::Owned(plain.into_bytes())
}

/// The plain spelling of a typographic character.
pub(super) fn look_alike(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{201c}'..='\u{201f}' => "\"",
        '\u{2018}'..='\u{201b}' => "'",
        '\u{2014}' => "--",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2026}' => "...",
        '\u{a0}' | '\u{202f}' => " ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(strategy: LineStrategy, a: &str, b: &str) -> bool {
        strategy.normal(a.as_bytes()) == strategy.normal(b.as_bytes())
    }

    #[test]
    fn each_strategy_forgives_a_little_more() {
        let pairs =
            [("a", "a"), ("a \t", "a"), ("\ta", "    a "), ("“a”\u{a0}– b…", "\"a\" - b...")];
        for (level, (a, b)) in pairs.into_iter().enumerate() {
            let forgiving = LineStrategy::ALL.map(|strategy| same(strategy, a, b));
            assert_eq!(forgiving.iter().position(|&same| same), Some(level), "{a:?} {b:?}");
            assert!(forgiving[level..].iter().all(|&same| same), "{a:?} {b:?}");
        }
    }

    #[test]
    fn words_never_change() {
        for (a, b) in [("a b", "ab"), ("a", "A"), ("x = 1", "x = 2"), ("a\u{200b}", "a")] {
            assert!(
                !LineStrategy::ALL.into_iter().any(|strategy| same(strategy, a, b)),
                "{a:?} {b:?}"
            );
        }
    }

    #[test]
    fn folds_dashes_and_composed_letters() {
        assert!(same(LineStrategy::Unicode, "e\u{301}tude", "\u{e9}tude"));
        assert!(same(LineStrategy::Unicode, "a\u{2014}b", "a--b"));
        for dash in ["\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2015}", "\u{2212}"] {
            assert!(same(LineStrategy::Unicode, dash, "-"), "{dash}");
        }
    }

    #[test]
    fn trims_unicode_blanks_but_no_stray_bytes() {
        assert_eq!(trim("\u{3000}\u{85}\u{1c}a\u{a0}".as_bytes()), b"a");
        assert_eq!(trim(b" \xff a \x80 "), b"\xff a \x80");
        assert_eq!(trim(b"\xa0"), b"\xa0");
        assert!(is_blank(b"") && is_blank(" \t\u{a0}".as_bytes()) && !is_blank(b"\xff"));
    }
}
