//! How much is said at a time.

/// The text, cut to so many characters at the end of a word if one is near, and a note that says so.
pub(super) fn cut(text: &str, most: usize) -> (&str, Option<String>) {
    let Some((end, _)) = text.char_indices().nth(most) else { return (text, None) };
    let head = &text[..end];
    /// So many bytes are given up for a whole word.
    const NEAR: usize = 100;
    let word_end = head.rfind(char::is_whitespace).filter(|at| end - at <= NEAR);
    let head = head[..word_end.unwrap_or(end)].trim_end();
    let all = text.chars().count();
    let said = head.chars().count();
    (head, Some(format!("the text was cut: {said} of {all} characters are spoken")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_at_a_word_and_say_so() {
        assert_eq!(cut("short", 5), ("short", None));
        let (text, note) = cut("one two three", 9);
        assert_eq!(text, "one two");
        assert_eq!(note.unwrap(), "the text was cut: 7 of 13 characters are spoken");
        assert_eq!(cut(&"ä".repeat(300), 200).0, "ä".repeat(200));
    }
}
