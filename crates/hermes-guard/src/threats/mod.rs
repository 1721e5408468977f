//! Signs that text tries to take over the agent that reads it.
//!
//! Files, web pages, memories and skills are data, but a model may take instructions in them for its
//! own. The scan names known kinds of such text. It cannot prove that text is harmless; it catches
//! what is common and leaves a trace of it.
//!
//! Three scopes, each with all of the one before: [`ThreatScope::All`] for text of any origin,
//! [`ThreatScope::Context`] for what a model is about to read (a finding is a warning there), and
//! [`ThreatScope::Strict`] for what will be read again and again, such as memories and skills (a finding
//! blocks). Blocking callers use the first finding.
//!
//! Letters in disguise are folded to plain ones first. Invisible characters are findings themselves.
//! Only the first [`SCANNED_CHARS`] characters are looked at, and every pattern runs in linear time.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

mod comments;
mod patterns;
#[cfg(test)]
mod tests;

/// How much of a text is looked at.
pub const SCANNED_CHARS: usize = 65_536;
/// After so many turns of phrase of one kind no more are looked at.
const MOST_IDIOMS: usize = 256;
/// Longest excerpt of a finding, in characters.
pub const EXCERPT_CHARS: usize = 120;

/// Where text comes from or goes to, and so how much is suspicious in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreatScope {
    /// Any text: plain attempts to give orders or to steal.
    All,
    /// Files, memory and tool results: also attempts to change who the agent is or serves.
    Context,
    /// What is written to memory or installed as a skill: also ways to stay or to send data out.
    Strict,
}

/// A sign that a text wants to take over whoever reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threat {
    /// The kind, as a short stable name.
    pub id: Cow<'static, str>,
    /// What was found, folded to plain letters and shortened.
    pub excerpt: String,
}

struct Compiled {
    scope: ThreatScope,
    id: &'static str,
    pattern: Regex,
}

#[expect(clippy::expect_used, reason = "the patterns are constants and a test runs them")]
static PATTERNS: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    patterns::PATTERNS
        .iter()
        .map(|&(scope, id, pattern)| Compiled {
            scope,
            id,
            pattern: Regex::new(&patterns::expand(pattern)).expect("constant pattern"),
        })
        .collect()
});

/// Looks for signs of an attack: invisible characters first, then each kind once, in a fixed order.
#[must_use]
pub fn scan(text: &str, scope: ThreatScope) -> Vec<Threat> {
    let end = text.char_indices().nth(SCANNED_CHARS).map_or(text.len(), |(at, _)| at);
    let raw = &text[..end];
    let mut threats = invisible(raw);
    let plain = fold(raw, threats.is_empty());
    for kind in PATTERNS.iter().filter(|kind| kind.scope <= scope) {
        if let Some(found) = first_meant(kind, &plain) {
            threats.push(Threat { id: kind.id.into(), excerpt: excerpt(found) });
        }
    }
    if let Some(comment) = comments::suspicious(&plain) {
        threats.push(Threat { id: "html_comment_injection".into(), excerpt: excerpt(comment) });
    }
    threats
}

/// The first finding of a kind that is no turn of phrase.
fn first_meant<'t>(kind: &Compiled, text: &'t str) -> Option<&'t str> {
    let idioms = patterns::IDIOMS.iter().find(|(id, _)| *id == kind.id).map_or(&[][..], |(_, w)| w);
    let mut found = kind.pattern.find_iter(text).take(MOST_IDIOMS).map(|found| found.as_str());
    if idioms.is_empty() {
        return found.next();
    }
    found.find(|found| {
        let lower = found.to_lowercase();
        !idioms.iter().any(|idiom| lower.contains(idiom))
    })
}

/// One finding for each invisible character that occurs.
fn invisible(raw: &str) -> Vec<Threat> {
    let mut seen: Vec<char> = Vec::new();
    if !raw.is_ascii() {
        for character in raw.chars().filter(|&character| is_invisible(character)) {
            if !seen.contains(&character) {
                seen.push(character);
            }
        }
    }
    seen.into_iter()
        .map(|character| Threat {
            id: format!("invisible_unicode_U+{:04X}", u32::from(character)).into(),
            excerpt: format!("U+{:04X}", u32::from(character)),
        })
        .collect()
}

/// Characters without a shape of their own, and those that turn the direction of text.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'..='\u{200d}'
            | '\u{2060}'
            | '\u{2062}'..='\u{2064}'
            | '\u{feff}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// The text in compatibility form, without invisible characters that could split a word.
fn fold(raw: &str, nothing_invisible: bool) -> Cow<'_, str> {
    if raw.is_ascii() {
        return Cow::Borrowed(raw);
    }
    if nothing_invisible {
        return raw.nfkc().collect();
    }
    raw.chars().filter(|&character| !is_invisible(character)).nfkc().collect()
}

fn excerpt(found: &str) -> String {
    match found.char_indices().nth(EXCERPT_CHARS) {
        Some((at, _)) => format!("{}…", &found[..at]),
        None => found.to_owned(),
    }
}
