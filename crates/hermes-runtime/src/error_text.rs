//! Cleaning error text before a model reads it.
//!
//! An error message may carry text of a web page, a file or another model. Tags and fences that
//! could pass for the frame of a conversation are taken out, and the whole is cut to a bound.

use std::sync::LazyLock;

use regex::Regex;

/// Stands before every cleaned error.
pub const PREFIX: &str = "[TOOL_ERROR] ";
/// Longest cleaned text in characters, the prefix not counted.
pub const MAX_CHARS: usize = 2_000;

const ELLIPSIS: &str = "...";

#[expect(clippy::expect_used, reason = "the patterns are constants and a test runs them")]
static STEPS: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        r"(?i)</?(?:tool_call|function_call|result|response|output|input|system|assistant|user)>",
        r"(?m)^\s*```(?:json|xml|html|markdown)?\s*",
        r"(?m)\s*```\s*$",
        r"(?s)<!\[CDATA\[.*?\]\]>",
    ]
    .map(|pattern| Regex::new(pattern).expect("constant pattern"))
});

/// The cleaned text behind its prefix. Each step runs once, in order.
#[must_use]
pub fn sanitise(text: &str) -> String {
    let mut cleaned = std::borrow::Cow::Borrowed(text);
    for step in STEPS.iter() {
        if let std::borrow::Cow::Owned(changed) = step.replace_all(&cleaned, "") {
            cleaned = changed.into();
        }
    }
    let mut answer = String::from(PREFIX);
    if cleaned.chars().nth(MAX_CHARS).is_some() {
        answer.extend(cleaned.chars().take(MAX_CHARS - ELLIPSIS.len()));
        answer.push_str(ELLIPSIS);
    } else {
        answer.push_str(&cleaned);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        sanitise(text).strip_prefix(PREFIX).unwrap().to_owned()
    }

    #[test]
    fn follow_error_text_is_sanitised_behind_a_prefix() {
        assert_eq!(sanitise("boom"), "[TOOL_ERROR] boom");
        assert_eq!(sanitise(""), "[TOOL_ERROR] ");
    }

    #[test]
    fn conversation_tags_go_and_other_tags_stay() {
        assert_eq!(cleaned("a<tool_call>b</TOOL_CALL>c<system>d"), "abcd");
        assert_eq!(cleaned("<b>x</b> <user id=1>"), "<b>x</b> <user id=1>");
    }

    #[test]
    fn fences_at_line_ends_go_and_mid_line_ones_stay() {
        assert_eq!(cleaned("```json\n{}\n```"), "{}\n");
        assert_eq!(cleaned("text ```"), "text");
        assert_eq!(cleaned("see ``` here"), "see ``` here");
        assert_eq!(cleaned("```rust\nx"), "rust\nx");
    }

    #[test]
    fn closed_cdata_goes_and_open_cdata_stays() {
        assert_eq!(cleaned("a<![CDATA[x\ny]]>b"), "ab");
        assert_eq!(cleaned("a<![CDATA[x"), "a<![CDATA[x");
        assert_eq!(cleaned("<![cdata[x]]>"), "<![cdata[x]]>");
    }

    #[test]
    fn steps_are_not_repeated_until_nothing_is_left() {
        assert_eq!(cleaned("<sys<system>tem>"), "<system>");
    }

    #[test]
    fn long_text_is_cut_by_characters() {
        let long = "é".repeat(MAX_CHARS + 1);
        let answer = cleaned(&long);
        assert_eq!(answer.chars().count(), MAX_CHARS);
        assert!(answer.ends_with("é..."));
        assert_eq!(cleaned(&"x".repeat(MAX_CHARS)).len(), MAX_CHARS);
    }
}
