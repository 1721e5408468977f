//! Patterns of the user's over whole commands: `*`, `?`, `[abc]`, `[!a-z]`.
//!
//! A star stands for anything, blanks, slashes and line ends included, because a command is no
//! path. A bracket that does not close is a bracket. Time grows with the product of both lengths
//! at worst, never faster: there is one place to go back to, the last star.

/// Whether letters of either case are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Matters,
    Ignored,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Anything,
    AnyOne,
    Literal(char),
    OneOf { ranges: Vec<(char, char)>, negated: bool },
}

/// A pattern, ready to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    source: String,
    tokens: Vec<Token>,
    case: Case,
}

impl Glob {
    pub(crate) fn new(source: &str, case: Case) -> Self {
        let folded = fold(source.trim(), case);
        Self { source: source.trim().to_owned(), tokens: tokens(&folded), case }
    }

    /// The pattern as the user wrote it.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Whether the whole text fits.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let text = fold(text, self.case);
        let (mut at, mut token) = (0, 0);
        // Where to go on from if what follows the last star does not fit: one character later.
        let mut last_star: Option<(usize, usize)> = None;
        loop {
            match (self.tokens.get(token), text.get(at)) {
                (Some(Token::Anything), _) => {
                    last_star = Some((at, token));
                    token += 1;
                }
                (Some(wanted), Some(&found)) if wanted.fits(found) => {
                    at += 1;
                    token += 1;
                }
                (None, None) => return true,
                _ => match last_star {
                    Some((from, star)) if from < text.len() => {
                        last_star = Some((from + 1, star));
                        at = from + 1;
                        token = star + 1;
                    }
                    _ => return false,
                },
            }
        }
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

fn fold(text: &str, case: Case) -> Vec<char> {
    match case {
        Case::Matters => text.chars().collect(),
        Case::Ignored => text.chars().flat_map(char::to_lowercase).collect(),
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

/// Whether a text is a pattern at all, and not just a command.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[track_caller]
    fn check(pattern: &str, fits: &[&str], others: &[&str]) {
        let glob = Glob::new(pattern, Case::Matters);
        for text in fits {
            assert!(glob.matches(text), "{pattern:?} should fit {text:?}");
        }
        for text in others {
            assert!(!glob.matches(text), "{pattern:?} should not fit {text:?}");
        }
    }

    #[test]
    fn a_pattern_is_about_the_whole_command() {
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
    }

    #[test]
    fn classes_work_as_in_a_shell() {
        check("x[a-c1]", &["xa", "xc", "x1"], &["xd", "x", "x-"]);
        check("x[!a-c]", &["xd", "x!"], &["xa"]);
        check("x[]]", &["x]"], &["x["]);
        check("x[ab", &["x[ab"], &["xa"]);
        check("x[a-]", &["xa", "x-"], &["xb"]);
    }

    #[test]
    fn case_is_ignored_only_when_asked() {
        assert!(Glob::new("GIT *", Case::Ignored).matches("git Push"));
        assert!(!Glob::new("GIT *", Case::Matters).matches("git push"));
    }

    #[test]
    fn many_stars_take_no_time() {
        let glob = Glob::new(&"*a".repeat(200), Case::Ignored);
        let text = format!("{}b", "a".repeat(20_000));
        let started = Instant::now();
        assert!(!glob.matches(&text));
        assert!(started.elapsed() < Duration::from_secs(2));
    }
}
