//! Fitting text into columns: cutting, padding and breaking lines, by what a terminal shows and not
//! by characters.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::style::{Ink, Style};

/// Columns a tab takes.
const TAB: &str = "    ";

/// A piece of a line in one ink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) ink: Ink,
}

impl Span {
    /// Text in an ink.
    pub(crate) fn new(text: impl Into<String>, ink: Ink) -> Self {
        Self { text: text.into(), ink }
    }

    /// Text as it is.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Ink::PLAIN)
    }
}

/// Columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Columns of several spans.
pub(crate) fn columns_of(spans: &[Span]) -> usize {
    spans.iter().map(|span| columns(&span.text)).sum()
}

/// Spans as one text.
pub(crate) fn painted(style: &Style, spans: &[Span]) -> String {
    spans.iter().map(|span| style.paint(span.ink, &span.text)).collect()
}

/// Text that can be put on one line: no control characters, no tabs.
pub(crate) fn on_one_line(text: &str) -> String {
    let clean = hermes_guard::ansi::strip_for_display(text);
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line as it may be shown: no control sequences, tabs as blanks.
pub(crate) fn shown(line: &str) -> String {
    hermes_guard::ansi::strip_for_display(line).replace('\t', TAB)
}

/// The beginning of a text in at most `width` columns, with an ellipsis if something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let (kept, _) = split_at_columns(text, width.saturating_sub(1));
    format!("{}…", kept.trim_end())
}

/// The end of a text in at most `width` columns, with an ellipsis if something is missing.
pub(crate) fn cut_left(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        let wide = columns(grapheme);
        if wide > room {
            break;
        }
        room -= wide;
        from = at;
    }
    format!("…{}", &text[from..])
}

/// A text padded with blanks to at least `width` columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// As much of a text as fits into `width` columns, and the rest. At least one character is taken
/// where there is any, so that whoever takes piece after piece comes to an end.
pub(crate) fn split_at_columns(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = columns(grapheme);
        if used + wide > width && at > 0 {
            return text.split_at(at);
        }
        used += wide;
    }
    (text, "")
}

/// Breaks a line between words; what is wider than a line is broken anywhere. Every character
/// stays, but for the blanks at which lines are broken.
pub(crate) fn wrap(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let width = width.max(2);
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    let mut blanks: Option<Span> = None;
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
                push(&mut lines, Span::new(piece, span.ink));
                rest = more;
            }
        }
    }
    lines
}

/// Adds to the last line, joining pieces of the same ink.
fn push(lines: &mut [Vec<Span>], span: Span) {
    let Some(line) = lines.last_mut() else { return };
    match line.last_mut() {
        Some(last) if last.ink == span.ink => last.text.push_str(&span.text),
        _ => line.push(span),
    }
}

/// The pieces between which a line may be broken: runs of blanks, words, and single wide
/// characters, for scripts that put no blanks between words.
fn words(spans: &[Span]) -> Vec<Vec<Span>> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Kind {
        Start,
        Blank,
        Word,
        Wide,
    }
    let mut words: Vec<Vec<Span>> = Vec::new();
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
                push(std::slice::from_mut(word), Span::new(grapheme, span.ink));
            }
        }
    }
    words
}

/// Plain text in lines of at most `width` columns.
pub(crate) fn wrap_text(text: &str, width: usize) -> Vec<String> {
    wrap(&[Span::plain(text)], width)
        .into_iter()
        .map(|line| line.into_iter().map(|span| span.text).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(cut("日本語テキスト", 7), "日本語…");
        assert_eq!(cut_left("日本語テキスト", 7), "…キスト");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(padded("日", 4), "日  ");
    }

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
        let lines = wrap(&[Span::plain("a "), Span::new("b c", Ink::BOLD)], 3);
        assert_eq!(
            lines,
            [vec![Span::plain("a "), Span::new("b", Ink::BOLD)], vec![Span::new("c", Ink::BOLD)]]
        );
    }

    #[test]
    fn a_family_emoji_is_not_torn_apart() {
        let family = "👩‍👩‍👧";
        assert_eq!(wrap_text(&format!("{family}{family}"), 2), [family, family]);
    }
}
