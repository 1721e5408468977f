//! Which tools a hook is for.

use std::fmt;

use regex::Regex;

/// A pattern for the whole name of a tool.
#[derive(Clone)]
pub struct Matcher {
    source: String,
    /// `None`: the source is no valid pattern and stands for itself.
    regex: Option<Regex>,
}

impl Matcher {
    /// Reads a pattern; blanks around it do not count. A text that is no regular expression matches
    /// the name equal to it.
    #[must_use]
    pub fn new(source: &str) -> Self {
        let source = source.trim();
        // Valid on its own first: `a)|(b` would become valid, and lose its anchors, in the group.
        let regex = Regex::new(source).and_then(|_| Regex::new(&format!(r"\A(?:{source})\z"))).ok();
        Self { source: source.to_owned(), regex }
    }

    /// Whether the whole name fits the pattern.
    #[must_use]
    pub fn matches(&self, tool: &str) -> bool {
        match &self.regex {
            Some(regex) => regex.is_match(tool),
            None => tool == self.source,
        }
    }

    /// The pattern as written, without blanks around it.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the text is no regular expression and only matches itself.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.regex.is_none()
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Matcher").field(&self.source).finish()
    }
}

/// Equal sources match equally.
impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Matcher {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_name_must_fit() {
        let matcher = Matcher::new("  terminal|web_.*\n");
        assert!(matcher.matches("terminal") && matcher.matches("web_search"));
        assert!(!matcher.matches("terminal_2") && !matcher.matches("my_terminal"));
        assert!(!matcher.matches("Terminal"));
        assert!(!Matcher::new("terminal").matches("terminal\n"));
    }

    #[test]
    fn every_alternative_is_anchored() {
        let matcher = Matcher::new("read|write");
        assert!(!matcher.matches("read_file") && !matcher.matches("overwrite"));
    }

    #[test]
    fn text_that_is_no_pattern_matches_itself() {
        let matcher = Matcher::new("web_(search");
        assert!(matcher.is_literal());
        assert!(matcher.matches("web_(search") && !matcher.matches("web_search"));
    }

    #[test]
    fn brackets_that_only_close_in_the_wrapping_are_not_a_pattern() {
        let matcher = Matcher::new("a)|(b");
        assert!(matcher.is_literal());
        assert!(!matcher.matches("ax") && !matcher.matches("xb"));
    }
}
