//! Breaking text between words.

use hermes_protocol::text::columns;

/// The text in lines of at most `width` columns, broken between words. A word that is wider keeps
/// its line to itself: paths and commands are there to be copied.
#[must_use]
pub fn wrap_words(text: &str, width: usize) -> Vec<String> {
    if columns(text) <= width {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let wide = columns(word);
        match lines.last_mut() {
            Some(line) if line.is_empty() => {
                line.push_str(word);
                used = wide;
            }
            Some(line) if used + 1 + wide <= width => {
                line.push(' ');
                line.push_str(word);
                used += 1 + wide;
            }
            _ => {
                lines.push(word.to_owned());
                used = wide;
            }
        }
    }
    lines
}

/// Used where the width of the terminal is unknown.
const DEFAULT_WIDTH: usize = 100;

/// Columns of the terminal that stdout or stderr goes to.
#[must_use]
pub fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_lose_none() {
        assert_eq!(wrap_words("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap_words("one two three", 13), ["one two three"]);
        assert_eq!(wrap_words("", 5), [""]);
    }

    #[test]
    fn words_wider_than_the_line_stay_whole() {
        assert_eq!(wrap_words("run /a/very/long/path now", 6), ["run", "/a/very/long/path", "now"]);
    }
}
