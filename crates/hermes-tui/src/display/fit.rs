//! Fitting text into columns: cutting, padding and breaking lines, by what a terminal shows and not
//! by characters.

use std::sync::Arc;

pub(crate) use hermes_protocol::text::{
    columns, cut, cut_left, on_one_line, padded, shown, split_at_columns,
};
use unicode_segmentation::UnicodeSegmentation;

use super::style::{Colour, Ink, Style};

/// A piece of a line in one ink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledSpan {
    pub(crate) text: String,
    pub(crate) ink: Ink,
    /// Where it leads, for terminals that can go there.
    pub(crate) link: Option<Arc<str>>,
}

impl StyledSpan {
    /// Text in an ink.
    pub(crate) fn new(text: impl Into<String>, ink: Ink) -> Self {
        Self { text: text.into(), ink, link: None }
    }

    /// The same, leading somewhere.
    pub(crate) fn linked(self, link: Option<Arc<str>>) -> Self {
        Self { link, ..self }
    }

    /// A piece of it that looks the same and leads to the same place.
    fn piece(&self, text: &str) -> Self {
        Self::new(text, self.ink).linked(self.link.clone())
    }

    /// Text as it is.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Ink::PLAIN)
    }
}

/// Columns of several spans.
pub(crate) fn columns_of(spans: &[StyledSpan]) -> usize {
    spans.iter().map(|span| columns(&span.text)).sum()
}

/// Spans as one text.
pub(crate) fn painted(style: &Style, spans: &[StyledSpan]) -> String {
    let paint = |span: &StyledSpan| {
        let text = style.paint(span.ink, &span.text);
        match &span.link {
            Some(link) if style.colour == Colour::On => {
                format!("\x1b]8;;{link}\x1b\\{text}\x1b]8;;\x1b\\")
            }
            _ => text,
        }
    };
    spans.iter().map(paint).collect()
}

/// Breaks a line between words; what is wider than a line is broken anywhere. Every character
/// stays, but for the blanks at which lines are broken.
pub(crate) fn wrap(spans: &[StyledSpan], width: usize) -> Vec<Vec<StyledSpan>> {
    let width = width.max(2);
    let mut lines: Vec<Vec<StyledSpan>> = vec![Vec::new()];
    let mut used = 0;
    let mut blanks: Option<StyledSpan> = None;
    for word in words(spans) {
        if word.iter().all(|span| span.text.trim().is_empty()) {
            // Blanks at the start of a text are its indentation; those after a break are not.
            if lines.len() > 1 && used == 0 {
                continue;
            }
            blanks = word.into_iter().next();
            continue;
        }
        let gap = blanks.take();
        let gap_columns = gap.as_ref().map_or(0, |gap| columns(&gap.text));
        let wide = columns_of(&word);
        if used > 0 && used + gap_columns + wide > width {
            lines.push(Vec::new());
            used = 0;
        } else if let Some(gap) = gap {
            used += gap_columns;
            push(&mut lines, gap);
        }
        for span in word {
            let mut rest = span.text.as_str();
            while !rest.is_empty() {
                if used >= width {
                    lines.push(Vec::new());
                    used = 0;
                }
                let (piece, more) = match columns(rest) <= width - used {
                    true => (rest, ""),
                    false => split_at_columns(rest, width - used),
                };
                used += columns(piece);
                push(&mut lines, span.piece(piece));
                rest = more;
            }
        }
    }
    lines
}

/// Adds to the last line, joining pieces of the same ink.
fn push(lines: &mut [Vec<StyledSpan>], span: StyledSpan) {
    let Some(line) = lines.last_mut() else { return };
    match line.last_mut() {
        Some(last) if last.ink == span.ink && last.link == span.link => {
            last.text.push_str(&span.text);
        }
        _ => line.push(span),
    }
}

/// The pieces between which a line may be broken: runs of blanks, words, and single wide
/// characters, for scripts that put no blanks between words.
fn words(spans: &[StyledSpan]) -> Vec<Vec<StyledSpan>> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Kind {
        Start,
        Blank,
        Word,
        Wide,
    }
    let mut words: Vec<Vec<StyledSpan>> = Vec::new();
    let mut before = Kind::Start;
    for span in spans {
        for grapheme in span.text.graphemes(true) {
            let kind = match grapheme {
                _ if grapheme.trim().is_empty() => Kind::Blank,
                _ if columns(grapheme) > 1 => Kind::Wide,
                _ => Kind::Word,
            };
            if kind != before || kind == Kind::Wide {
                words.push(Vec::new());
                before = kind;
            }
            if let Some(word) = words.last_mut() {
                push(std::slice::from_mut(word), span.piece(grapheme));
            }
        }
    }
    words
}

/// Plain text in lines of at most `width` columns.
pub(crate) fn wrap_text(text: &str, width: usize) -> Vec<String> {
    wrap(&[StyledSpan::plain(text)], width)
        .into_iter()
        .map(|line| line.into_iter().map(|span| span.text).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_between_wide_characters() {
        assert_eq!(wrap_text("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap_text("日本語テキスト", 6), ["日本語", "テキス", "ト"]);
        assert_eq!(wrap_text("", 6), [""]);
    }

    #[test]
    fn words_wider_than_a_line_are_broken_and_nothing_is_lost() {
        assert_eq!(
            wrap_text("see https://example.org/long", 10),
            ["see", "https://ex", "ample.org/", "long"]
        );
    }

    #[test]
    fn indentation_at_the_start_stays() {
        assert_eq!(wrap_text("  a b", 20), ["  a b"]);
        assert_eq!(wrap_text("    aaaa bbbb", 8), ["    aaaa", "bbbb"]);
    }

    #[test]
    fn inks_are_kept_across_a_break() {
        let lines = wrap(&[StyledSpan::plain("a "), StyledSpan::new("b c", Ink::BOLD)], 3);
        assert_eq!(
            lines,
            [
                vec![StyledSpan::plain("a "), StyledSpan::new("b", Ink::BOLD)],
                vec![StyledSpan::new("c", Ink::BOLD)]
            ]
        );
    }

    #[test]
    fn a_family_emoji_is_not_torn_apart() {
        let family = "👩‍👩‍👧";
        assert_eq!(wrap_text(&format!("{family}{family}"), 2), [family, family]);
    }
}
