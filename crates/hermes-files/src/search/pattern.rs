//! Turning the user's regular expression into a matcher, or into words that help.
//!
//! The dialect is that of the `regex` crate: linear time, so neither look-around nor
//! back-references. Patterns come from people and models used to other dialects; an error
//! therefore names the construct that is not known here and says what to do instead. A pattern
//! that can only match across a line break is not an error but finds nothing, with a warning.
//! Compiled size and cache are limited, so no pattern can use up the memory.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{self, ErrorKind as Syntax};

/// A compiled expression may take this much memory; bigger ones are refused.
const SIZE_LIMIT: usize = 16 << 20;

/// Each thread's cache for matching may grow to this size, then it is emptied and reused.
const CACHE_LIMIT: usize = 64 << 20;

/// What became of a pattern.
#[derive(Debug)]
pub(super) enum Compiled {
    /// Ready to search with.
    Lines(Box<RegexMatcher>),
    /// It needs a line break to match, which no single line contains.
    SpansLines,
}

/// A regular expression this engine cannot use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid regular expression `{pattern}`: {problem}. {advice}")]
pub struct PatternError {
    /// The expression as given, before any repair.
    pub pattern: String,
    /// What is wrong, naming the construct.
    pub problem: String,
    /// What to write instead, as a sentence for a model.
    pub advice: String,
}

/// Compiles a pattern for searching line by line.
pub(super) fn compile(pattern: &str) -> Result<Compiled, PatternError> {
    let first = match build(pattern) {
        Ok(matcher) => return Ok(Compiled::Lines(Box::new(matcher))),
        Err(error) => error,
    };
    if matches!(first.kind(), ErrorKind::NotAllowed(_)) {
        return Ok(Compiled::SpansLines);
    }
    // The builder puts the pattern into a group, whose end a comment in verbose mode would hide.
    // There, and only there, a line break may follow without changing the meaning.
    match build(&format!("{pattern}\n")) {
        Ok(matcher) => Ok(Compiled::Lines(Box::new(matcher))),
        Err(_) => Err(explain(pattern, &first.to_string())),
    }
}

/// Lines may end in CR LF. This is left to the expression's own mode (`R`) rather than to the
/// matcher's, which would forbid the pattern to name `\r`; and a pattern that does name it looks
/// for such lines, so it gets plain anchors: `\r$` must be able to match.
fn build(pattern: &str) -> Result<RegexMatcher, grep_regex::Error> {
    let mode = if mentions(pattern, '\r', 'r') { "" } else { CRLF_MODE };
    RegexMatcherBuilder::new()
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(CACHE_LIMIT)
        .build(&format!("{mode}{pattern}"))
}

/// Switches on the anchors' knowledge of CR LF for all that follows.
const CRLF_MODE: &str = "(?R)";

/// Does the text name a line break, whether or not one is needed for a match?
pub(super) fn mentions_newline(pattern: &str) -> bool {
    mentions(pattern, '\n', 'n')
}

/// Does the text hold this character, or a backslash followed by that letter?
fn mentions(pattern: &str, raw: char, letter: char) -> bool {
    let mut escaped = false;
    pattern.chars().any(|c| {
        let found = c == raw || (escaped && c == letter);
        escaped = c == '\\' && !escaped;
        found
    })
}

/// Why a pattern that names line breaks found nothing.
pub(super) const LINE_ORIENTED: &str = "Search is line oriented: a pattern cannot match across a \
    line break. Search for one of the lines, with `context` to see its neighbours.";

/// Parses again without our own prefix, so that positions and texts are the user's.
fn explain(pattern: &str, compile_error: &str) -> PatternError {
    let (problem, advice) = match ast::parse::Parser::new().parse(pattern) {
        Err(error) => {
            let (start, end) = (error.span().start.offset, error.span().end.offset);
            let (before, rest) = pattern.split_at_checked(start).unwrap_or((pattern, ""));
            let (name, advice) = diagnose(error.kind(), before, rest);
            let at = before.chars().count() + 1;
            let place = match pattern.get(start..end) {
                Some(text) if !text.is_empty() => format!("`{text}` at character {at}"),
                _ => format!("at character {at}"),
            };
            (format!("{name} ({place})"), advice)
        }
        Ok(_) if compile_error.contains("size limit") => (
            "it is too big once compiled".to_owned(),
            "Use smaller repetition counts or fewer Unicode classes.",
        ),
        // The last line of the report is its conclusion; those before draw arrows under our
        // prefixed text.
        Ok(_) => (
            compile_error.lines().last().unwrap_or_default().trim().to_owned(),
            "The dialect is that of Rust's regex crate.",
        ),
    };
    PatternError { pattern: pattern.to_owned(), problem, advice: advice.to_owned() }
}

/// Names the construct and says what to do about it. `rest` begins at the place of the error.
fn diagnose(kind: &Syntax, before: &str, rest: &str) -> (String, &'static str) {
    const TERMINAL: &str = "Search for a simpler pattern and filter the rows, or run `rg -P` or `grep -P` in the terminal.";
    const ESCAPE: &str = "To search for the character itself, put a backslash before it.";
    let plain = |name: &str, advice| (name.to_owned(), advice);
    let in_group = before.ends_with("(?");
    if rest.starts_with("\\k") || (in_group && rest.starts_with("P=")) {
        return plain("back-references are not supported", TERMINAL);
    }
    if in_group && rest.starts_with('>') {
        return plain("atomic groups are not supported", TERMINAL);
    }
    match kind {
        Syntax::UnsupportedLookAround if rest.starts_with("(?<") => {
            plain("look-behind is not supported", TERMINAL)
        }
        Syntax::UnsupportedLookAround => plain("look-ahead is not supported", TERMINAL),
        Syntax::UnsupportedBackreference => plain("back-references are not supported", TERMINAL),
        Syntax::EscapeUnrecognized if rest.starts_with("\\Z") => {
            plain("`\\Z` is not known here", "Use `$` for the end of a line.")
        }
        Syntax::GroupUnclosed
        | Syntax::GroupUnopened
        | Syntax::ClassUnclosed
        | Syntax::RepetitionMissing
        | Syntax::RepetitionCountUnclosed
        | Syntax::RepetitionCountInvalid
        | Syntax::RepetitionCountDecimalEmpty
        | Syntax::DecimalEmpty => (kind.to_string(), ESCAPE),
        _ => (kind.to_string(), "The dialect is that of Rust's regex crate."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grep_matcher::Matcher;
    use proptest::prelude::*;

    fn matches(pattern: &str, line: &str) -> bool {
        match compile(pattern).unwrap() {
            Compiled::Lines(matcher) => matcher.is_match(line.as_bytes()).unwrap(),
            Compiled::SpansLines => panic!("{pattern} spans lines"),
        }
    }

    fn complaint(pattern: &str) -> String {
        compile(pattern).unwrap_err().to_string()
    }

    #[test]
    fn dollar_and_caret_know_crlf() {
        assert!(matches("end$", "the end\r\n"));
        assert!(matches("end$", "the end\n"));
        assert!(matches("^the end$|never", "the end\r\n"));
        assert!(!matches("end.$", "the end\r\n"), "the dot must not take the carriage return");
    }

    #[test]
    fn a_carriage_return_can_be_searched_for() {
        assert!(matches(r"\r$", "x\r\n"));
        assert!(matches(r"[\r\n]", "x\r\n"));
    }

    #[test]
    fn is_case_sensitive_and_knows_unicode() {
        assert!(!matches("abc", "ABC"));
        assert!(matches("(?i)ÄRGER", "ärger"));
        assert!(matches(r"^\w+$", "żółć"));
    }

    #[test]
    fn verbose_comments_do_not_swallow_anything() {
        assert!(matches("(?x) a b # two letters", "ab"));
    }

    #[test]
    fn patterns_that_need_a_line_break_are_recognised() {
        for pattern in ["a\nb", r"a\nb", r"a\x0Ab", r"[\n]", "(a|b\\n)"] {
            assert!(matches!(compile(pattern), Ok(Compiled::SpansLines)), "{pattern}");
        }
        for pattern in [r"[^\n]+", r"\s", r"a\\nb", "(?s)a.b"] {
            assert!(matches!(compile(pattern), Ok(Compiled::Lines(_))), "{pattern}");
        }
    }

    #[test]
    fn sees_named_line_breaks_but_not_escaped_backslashes() {
        assert!(mentions_newline("a\nb") && mentions_newline(r"[^\n]"));
        assert!(mentions_newline(r"\\\n"));
        assert!(!mentions_newline(r"\\n") && !mentions_newline("n"));
    }

    #[test]
    fn names_the_unsupported_construct_and_a_way_out() {
        for (pattern, name) in [
            ("foo(?=bar)", "look-ahead"),
            ("foo(?!bar)", "look-ahead"),
            ("(?<=foo)bar", "look-behind"),
            ("(?<!foo)bar", "look-behind"),
            (r"(a)\1", "back-references"),
            (r"(?P<x>a)(?P=x)", "back-references"),
            (r"(?P<x>a)\k<x>", "back-references"),
            ("(?>a+)b", "atomic groups"),
        ] {
            let said = complaint(pattern);
            assert!(said.contains(name) && said.contains("terminal"), "{pattern}: {said}");
            assert!(said.contains(pattern) && !said.contains("(?R)"), "{pattern}: {said}");
        }
    }

    #[test]
    fn suggests_escaping_for_stray_punctuation() {
        for pattern in ["foo(", "foo)", "[abc", "*x", "x{1"] {
            let said = complaint(pattern);
            assert!(said.contains("backslash"), "{pattern}: {said}");
        }
    }

    #[test]
    fn refuses_expressions_that_explode() {
        assert!(complaint(r"((\w{200}){200}){200}").contains("too big"));
    }

    #[test]
    fn a_leading_dash_is_an_ordinary_character() {
        assert!(matches("--flag", "use --flag"));
    }

    proptest! {
        #[test]
        fn any_text_is_compiled_or_refused_without_panic(pattern in r"[()\[\]{}?<>=!*+\\PRknx1-9,a-c^$|\n-]{0,24}") {
            match compile(&pattern) {
                Ok(_) => {}
                Err(error) => prop_assert!(!error.to_string().contains("(?R)") || pattern.contains("(?R)")),
            }
        }
    }
}
