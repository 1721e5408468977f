//! Secrets in text on its way to a model.
//!
//! One scan looks for anything that could begin a secret. Text without such a beginning, which is
//! nearly all text, is returned as it is, without a copy. Otherwise each rule replaces what it finds.
//! A known key prefix becomes a marker such as `«redacted:ghp_…»`, never a shortened key: a model
//! that writes the text back cannot store a broken credential that looks like a real one.
//!
//! This is the mode for files. Guesses from names (`token = …`) are off here: source code is full of
//! such lines that hold no secret, and hiding them would make files unreadable.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

mod patterns;
#[cfg(test)]
mod tests;

use patterns::{KEY_PREFIXES, RULES, Rule};

/// Stands for a private key.
pub const PRIVATE_KEY: &str = "[REDACTED PRIVATE KEY]";
/// Stands for a password or token without a known prefix.
pub const MASK: &str = "***";

struct Engine {
    any: RegexSet,
    rules: Vec<(Regex, Rule)>,
}

#[expect(clippy::expect_used, reason = "the patterns are constants and a test runs them")]
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let compile = |pattern: &str| Regex::new(pattern).expect("constant pattern");
    let sources: Vec<(String, Rule)> = RULES
        .iter()
        .map(|(pattern, rule)| ((*pattern).to_owned(), *rule))
        .chain(std::iter::once((patterns::key_prefixes(), Rule::KeyPrefix)))
        .collect();
    Engine {
        any: RegexSet::new(sources.iter().map(|(pattern, _)| pattern)).expect("constant patterns"),
        rules: sources.iter().map(|(pattern, rule)| (compile(pattern), *rule)).collect(),
    }
});

/// The text of a file with its secrets replaced. Redacting twice gives the same as once.
#[must_use]
pub fn redact_file(text: &str) -> Cow<'_, str> {
    let found = ENGINE.any.matches(text);
    if !found.matched_any() {
        return Cow::Borrowed(text);
    }
    let mut redacted = Cow::Borrowed(text);
    for index in &found {
        let (pattern, rule) = &ENGINE.rules[index];
        if let Cow::Owned(changed) =
            pattern.replace_all(&redacted, |found: &Captures<'_>| rule.replacement(found))
        {
            redacted = Cow::Owned(changed);
        }
    }
    redacted
}

impl Rule {
    fn replacement(self, found: &Captures<'_>) -> String {
        let part = |index: usize| found.get(index).map_or("", |part| part.as_str());
        match self {
            Self::KeyPrefix => {
                let key = part(2);
                let prefix = KEY_PREFIXES.iter().find(|known| key.starts_with(known.text));
                match prefix {
                    Some(known) if looks_random(&key[known.text.len()..]) => {
                        format!("{}«redacted:{}…»", part(1), known.text)
                    }
                    _ => part(0).to_owned(),
                }
            }
            Self::PrivateKey => PRIVATE_KEY.to_owned(),
            Self::MaskBetween => format!("{}{MASK}{}", part(1), part(3)),
            Self::MaskUnlessTemplate if part(2).starts_with(['{', '$', '<', '*']) => {
                part(0).to_owned()
            }
            Self::MaskUnlessTemplate => format!("{}{MASK}{}", part(1), part(3)),
        }
    }
}

/// Whether the rest of a key could have come from a generator. Identifiers made of words
/// (`sk_buff_head_init`) are not keys: they have no digit and no capital inside.
fn looks_random(rest: &str) -> bool {
    let has = |test: fn(&char) -> bool| rest.chars().any(|character| test(&character));
    has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
        || has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase)
}
