//! The text a caller quotes, taken apart into lines.

use std::cell::OnceCell;

use super::blank::is_blank;
use super::fold::fold;
use super::spacing::is_word;
use super::view::NormalizedView;

/// A quotation with LF line breaks.
pub(super) struct Quote<'q> {
    pub(super) text: &'q str,
    /// The lines, without the empty one after a final line break.
    pub(super) lines: Vec<&'q [u8]>,
    /// Whether the quotation ends with a line break. It stands for the end of the last line, not
    /// for an empty line after it.
    pub(super) terminated: bool,
    folded: OnceCell<NormalizedView<'q>>,
}

impl<'q> Quote<'q> {
    pub(super) fn new(text: &'q str) -> Self {
        let mut lines: Vec<_> = text.as_bytes().split(|byte| *byte == b'\n').collect();
        let terminated = lines.len() > 1 && lines.last().is_some_and(|line| line.is_empty());
        if terminated {
            lines.pop();
        }
        Self { text, lines, terminated, folded: OnceCell::new() }
    }

    /// Whether there is nothing but blanks: too little to recognise a place by.
    pub(super) fn is_blank(&self) -> bool {
        is_blank(self.text.as_bytes())
    }

    /// The quotation with look-alike characters folded.
    pub(super) fn folded(&self) -> &[u8] {
        self.folded.get_or_init(|| fold(self.text.as_bytes())).bytes()
    }

    /// The longest run of word characters. Disregarding blanks never changes it, so a text
    /// without it has no such match.
    pub(super) fn longest_word(&self) -> &'q [u8] {
        let words = self.text.as_bytes().split(|byte| !is_word(*byte) || !byte.is_ascii());
        words.max_by_key(|word| word.len()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_line_break_ends_the_last_line() {
        let quote = Quote::new("a\n\nb\n");
        assert_eq!((quote.lines.len(), quote.terminated), (3, true));
        assert!(!Quote::new("a").terminated);
        assert_eq!(Quote::new("\n").lines, [b""]);
    }

    #[test]
    fn knows_its_longest_word() {
        assert_eq!(Quote::new("a = long_name1(é_x)").longest_word(), b"long_name1");
        assert_eq!(Quote::new("{ }").longest_word(), b"");
    }
}
