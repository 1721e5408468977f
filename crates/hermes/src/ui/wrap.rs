//! Fitting text into columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text in at most `width` columns, with an ellipsis where something is missing.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let mut kept = String::new();
    for character in text.chars() {
        let wide = character.width().unwrap_or(0);
        if wide > room {
            break;
        }
        room -= wide;
        kept.push(character);
    }
    kept.push('…');
    kept
}

/// The text in lines of at most `width` columns, broken between words. A word that is wider keeps
/// its line to itself: paths and commands are there to be copied.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let wide = word.width();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_lose_none() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("one two three", 13), ["one two three"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn words_wider_than_the_line_stay_whole() {
        assert_eq!(wrap("run /a/very/long/path now", 6), ["run", "/a/very/long/path", "now"]);
    }

    #[test]
    fn cutting_counts_columns_rather_than_characters() {
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
