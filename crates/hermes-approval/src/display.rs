//! Commands as people see them: without secrets, and without characters that play tricks.
//!
//! Only what is shown changes. What is judged, and what runs, is the command itself.

use std::borrow::Cow;

use hermes_guard::ansi::strip_for_display;
use hermes_guard::redact::{RedactMode, redact};

/// Longest command shown to a person or kept in the log, in characters.
pub(crate) const MAX_SHOWN: usize = 4_000;
/// Longest part of a command named in a sentence, in characters.
const MAX_BRIEF: usize = 160;

/// A command for a person or a log: secrets hidden, control sequences gone, no longer than
/// [`MAX_SHOWN`]. A cut is marked and the end stays, since that is where surprises are put.
pub(crate) fn shown(command: &str) -> String {
    cut(&clean(command), MAX_SHOWN)
}

/// A few words of a command, for a sentence: one line.
pub(crate) fn brief(words: &str) -> String {
    let line = clean(words).split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, MAX_BRIEF)
}

fn clean(text: &str) -> String {
    let stripped = strip_for_display(text);
    let redacted: Cow<'_, str> = redact(&stripped, RedactMode::UrlCredentials);
    redacted.chars().map(|c| if is_deceptive(c) { '\u{fffd}' } else { c }).collect()
}

/// Characters that move the cursor or turn the direction of the text, so that a line looks like
/// another one.
fn is_deceptive(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// At most this many characters, two thirds of them from the beginning.
fn cut(text: &str, max: usize) -> String {
    let total = text.chars().count();
    if total <= max {
        return text.to_owned();
    }
    let head = max * 2 / 3;
    let tail = max - head;
    let left_out = total - max;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(total - tail).collect();
    format!("{start} … [{left_out} characters not shown] … {end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden() {
        let shown = shown("curl -H 'x: ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8' https://x");
        assert!(!shown.contains("A1b2C3d4"), "{shown}");
        assert!(shown.starts_with("curl"));
    }

    #[test]
    fn nothing_moves_the_cursor_or_turns_the_text() {
        let shown = shown("rm -rf x\r echo safe\u{1b}[2K \u{202e}txt.exe");
        assert!(!shown.contains(['\r', '\u{1b}', '\u{202e}']), "{shown:?}");
    }

    #[test]
    fn the_end_of_a_long_command_is_shown() {
        let long = format!("echo {} ; rm -rf x", "a".repeat(10_000));
        let shown = shown(&long);
        assert!(shown.ends_with("; rm -rf x") && shown.contains("not shown"), "{shown}");
        assert!(shown.chars().count() < MAX_SHOWN + 100);
        assert_eq!(brief("a\n b\tc"), "a b c");
    }
}
