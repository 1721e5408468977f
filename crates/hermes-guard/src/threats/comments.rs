//! Comments in HTML and Markdown: invisible on a page, plain to a model.

use std::sync::LazyLock;

use regex::Regex;

#[expect(clippy::expect_used, reason = "the pattern is a constant and a test runs it")]
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:ignore|override|system|secret|hidden)\b").expect("constant pattern")
});

/// The first comment that seems to talk to a model. A compound, such as `prettier-ignore`, talks to a
/// tool.
pub(super) fn suspicious(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let comment = &rest[rest.find("<!--")?..];
        let length = comment.find("-->")?;
        let inside = comment[4.min(length)..length].trim();
        let compound =
            !inside.contains(char::is_whitespace) && inside.contains(['-', '_', ':', '/']);
        if !compound && WORDS.is_match(inside) {
            return Some(&comment[..length + 3]);
        }
        rest = &comment[length + 3..];
    }
}
