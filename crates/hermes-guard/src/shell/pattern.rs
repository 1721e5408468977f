//! Shell patterns on texts that are no paths: `*`, `?`, `[abc]`, `[!a-z]`.
//!
//! A star stands for anything, blanks, slashes and line ends included, as it does in `case`, `[[ = ]]`
//! and `${x#…}`: what is matched here are names, values and whole commands. Globs over *paths*, where a
//! star stops at a slash and `**` and braces mean something, are another language; the file search has
//! those from the crate `globset`.
//!
//! A bracket that does not close is a bracket. Time grows with the product of both lengths at worst,
//! never faster: there is one place to go back to, the last star.

use std::borrow::Cow;

/// Whether letters of either case are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternCase {
    /// As a shell compares: `A` is not `a`.
    Matters,
    /// For rules that another spelling must not dodge.
    Ignored,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Anything,
    AnyOne,
    Literal(char),
    OneOf { ranges: Vec<(char, char)>, negated: bool },
}

/// A pattern that was read once and can be matched many times without allocating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellPattern {
    tokens: Vec<Token>,
    case: PatternCase,
}

impl ShellPattern {
    /// Reads a pattern. Every text is one: what is not special stands for itself.
    #[must_use]
    pub fn new(source: &str, case: PatternCase) -> Self {
        let pattern: Vec<char> = folded(source, case).chars().collect();
        Self { tokens: tokens(&pattern), case }
    }

    /// Whether the whole text fits, from its first character to its last.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let text = folded(text, self.case);
        let (mut rest, mut token) = (text.chars(), 0);
        // Where to go on from if what follows the last star does not fit: one character later.
        let mut last_star = None;
        loop {
            let mut behind = rest.clone();
            match (self.tokens.get(token), behind.next()) {
                (Some(Token::Anything), _) => {
                    last_star = Some((rest.clone(), token));
                    token += 1;
                }
                (Some(wanted), Some(found)) if wanted.fits(found) => {
                    rest = behind;
                    token += 1;
                }
                (None, None) => return true,
                _ => {
                    let Some((from, star)) = &mut last_star else { return false };
                    if from.next().is_none() {
                        return false;
                    }
                    rest = from.clone();
                    token = *star + 1;
                }
            }
        }
    }

    /// Whether a text has anything special in it, or can only match itself.
    #[must_use]
    pub fn has_wildcards(text: &str) -> bool {
        text.contains(['*', '?', '['])
    }
}

impl Token {
    fn fits(&self, found: char) -> bool {
        match self {
            Self::Anything | Self::AnyOne => true,
            Self::Literal(wanted) => *wanted == found,
            Self::OneOf { ranges, negated } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&found)) != *negated
            }
        }
    }
}

fn folded(text: &str, case: PatternCase) -> Cow<'_, str> {
    let is_folded = |c: char| c.is_ascii() && !c.is_ascii_uppercase();
    match case {
        PatternCase::Matters => Cow::Borrowed(text),
        PatternCase::Ignored if text.chars().all(is_folded) => Cow::Borrowed(text),
        PatternCase::Ignored => text.chars().flat_map(char::to_lowercase).collect(),
    }
}

fn tokens(pattern: &[char]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&c) = pattern.get(at) {
        at += 1;
        match c {
            '*' if tokens.last() == Some(&Token::Anything) => {}
            '*' => tokens.push(Token::Anything),
            '?' => tokens.push(Token::AnyOne),
            '[' => match class(pattern, at) {
                Some((token, end)) => {
                    tokens.push(token);
                    at = end;
                }
                None => tokens.push(Token::Literal('[')),
            },
            literal => tokens.push(Token::Literal(literal)),
        }
    }
    tokens
}

/// The class that begins after a bracket, and where it ends.
fn class(pattern: &[char], start: usize) -> Option<(Token, usize)> {
    let negated = matches!(pattern.get(start), Some('!' | '^'));
    let first = start + usize::from(negated);
    // A closing bracket that comes first belongs to the class.
    let close = (first + 1..pattern.len()).find(|&at| pattern[at] == ']')?;
    let members = &pattern[first..close];
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(&from) = members.get(at) {
        match (members.get(at + 1), members.get(at + 2)) {
            (Some('-'), Some(&to)) => {
                ranges.push((from, to));
                at += 3;
            }
            _ => {
                ranges.push((from, from));
                at += 1;
            }
        }
    }
    Some((Token::OneOf { ranges, negated }, close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_clock::cpu_time_of;
    use std::time::Duration;

    #[track_caller]
    fn check(pattern: &str, fits: &[&str], others: &[&str]) {
        let glob = ShellPattern::new(pattern, PatternCase::Matters);
        for text in fits {
            assert!(glob.matches(text), "{pattern:?} should fit {text:?}");
        }
        for text in others {
            assert!(!glob.matches(text), "{pattern:?} should not fit {text:?}");
        }
    }

    #[test]
    fn a_pattern_is_about_the_whole_text() {
        check(
            "git push *",
            &["git push origin main", "git push a\nb"],
            &["git push", "x git push y"],
        );
        check("*push*", &["git push", "push"], &["pus h"]);
        check("", &[""], &["a"]);
        check("*", &["", "a b/c"], &[]);
        check("l?", &["ls"], &["l", "lsa"]);
        check("a*b*c", &["abc", "a--b--c", "abbc"], &["acb", "ab"]);
        check("*ä?", &["ää", "xäß"], &["ä", "a"]);
    }

    #[test]
    fn classes_work_as_in_a_shell() {
        check("x[a-c1]", &["xa", "xc", "x1"], &["xd", "x", "x-"]);
        check("x[!a-c]", &["xd", "x!"], &["xa"]);
        check("x[]]", &["x]"], &["x["]);
        check("x[ab", &["x[ab"], &["xa"]);
        check("x[a-]", &["xa", "x-"], &["xb"]);
        check("[qr]m", &["rm"], &["m"]);
        check("[", &["["], &["x", ""]);
    }

    #[test]
    fn case_is_ignored_only_when_asked() {
        assert!(ShellPattern::new("GIT *", PatternCase::Ignored).matches("git Push"));
        assert!(ShellPattern::new("ÄRGER", PatternCase::Ignored).matches("ärger"));
        assert!(!ShellPattern::new("GIT *", PatternCase::Matters).matches("git push"));
    }

    #[test]
    fn many_stars_take_no_time() {
        let glob = ShellPattern::new(&"*a".repeat(200), PatternCase::Ignored);
        let text = format!("{}b", "a".repeat(20_000));
        let taken = cpu_time_of(|| assert!(!glob.matches(&text)));
        assert!(taken < Duration::from_secs(2), "{taken:?}");
    }
}
