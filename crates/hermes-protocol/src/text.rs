//! Short texts for people, by what a terminal shows: columns and not characters, no control codes.
//!
//! Both sides make such lines: a session names its tasks and goals, a surface draws everything else.
//! Measuring, cutting and padding are therefore here and not with the drawing, so that a line means the
//! same width everywhere. Also here are the few numbers that appear in lines: durations, tokens, money.

use std::time::Duration;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns a tab takes.
const TAB: &str = "    ";

/// Columns a text takes.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Text that can be put on one line: no control characters, no tabs.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    let clean = hermes_guard::ansi::strip_for_display(text);
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line as it may be shown: no control sequences, tabs as blanks.
#[must_use]
pub fn shown(line: &str) -> String {
    hermes_guard::ansi::strip_for_display(line).replace('\t', TAB)
}

/// The beginning of a text in at most `width` columns, with an ellipsis if something is missing.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let (kept, _) = split_at_columns(text, width.saturating_sub(1));
    format!("{}…", kept.trim_end())
}

/// The end of a text in at most `width` columns, with an ellipsis if something is missing.
#[must_use]
pub fn cut_left(text: &str, width: usize) -> String {
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
#[must_use]
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// As much of a text as fits into `width` columns, and the rest. At least one character is taken
/// where there is any, so that whoever takes piece after piece comes to an end.
#[must_use]
pub fn split_at_columns(text: &str, width: usize) -> (&str, &str) {
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

/// How long something took: `0.3s`, `2m 05s`.
#[must_use]
pub fn seconds(took: Duration) -> String {
    let whole = took.as_secs();
    match whole {
        0..60 => format!("{:.1}s", took.as_secs_f64()),
        60..3600 => format!("{}m {:02}s", whole / 60, whole % 60),
        _ => format!("{}h {:02}m", whole / 3600, whole % 3600 / 60),
    }
}

/// A number of tokens: `950`, `12.3k`, `1.2M`.
#[must_use]
pub fn amount(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let scaled = |unit: u64| number as f64 / unit as f64;
    match number {
        0..1_000 => number.to_string(),
        1_000..100_000 => format!("{:.1}k", scaled(1_000)),
        100_000..1_000_000 => format!("{:.0}k", scaled(1_000)),
        _ => format!("{:.1}M", scaled(1_000_000)),
    }
}

/// An amount of money.
#[must_use]
pub fn dollars(dollars: f64) -> String {
    match dollars {
        small if small > 0.0 && small < 0.01 => format!("${small:.4}"),
        more => format!("${more:.2}"),
    }
}

/// A number of things: `1 tool`, `2 tools`.
#[must_use]
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The candidate most like a name somebody typed, if one is like it at all.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.8;
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// An error and its causes, one a line; causes that repeat what was said are left out.
#[must_use]
pub fn error_chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| cause.source()) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str("\n  ");
            text.push_str(&cause);
        }
    }
    text
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
    fn times_and_amounts_are_short() {
        assert_eq!(seconds(Duration::from_millis(312)), "0.3s");
        assert_eq!(seconds(Duration::from_secs(125)), "2m 05s");
        assert_eq!(seconds(Duration::from_secs(3_720)), "1h 02m");
        let amounts = [999, 12_345, 250_000, 1_200_000].map(amount);
        assert_eq!(amounts, ["999", "12.3k", "250k", "1.2M"]);
    }
}
