//! Keys, and keeping them out of what people read.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

/// What stands where a key was.
const MASK: &str = "***";

/// A key shorter than this is not looked for in texts: it would hit ordinary words.
const SHORTEST_KEY: usize = 6;

/// A key. It cannot be printed by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself, to be put into a request.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// Shapes of keys: vendors' prefixes, and values after words that announce one.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let prefixes =
        r"\b(?:sk|rk|pk|gsk|xai|hf|nvapi|AIza|key|csk|fw)[-_]?[A-Za-z0-9*][A-Za-z0-9_*\-]{14,}";
    let announced = r#"(?i)\b(bearer\s+|(?:api[-_ ]?key|x-api-key|token|secret)["']?\s*[:=]\s*["']?)([^\s"',;&]{6,})"#;
    Regex::new(&format!("{announced}|{prefixes}")).ok()
});

/// The text with this key, and everything shaped like one, replaced.
#[must_use]
pub fn mask(text: &str, key: Option<&Secret>) -> String {
    let known = key.map(Secret::expose).filter(|key| key.len() >= SHORTEST_KEY);
    let text = match known {
        Some(key) => text.replace(key, MASK),
        None => text.to_owned(),
    };
    let Some(shapes) = SHAPES.as_ref() else { return text };
    let masked = shapes.replace_all(&text, |found: &regex::Captures<'_>| {
        format!("{}{MASK}", found.get(1).map_or("", |announced| announced.as_str()))
    });
    masked.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_survive_in_texts() {
        let key = Secret::new("plainkey42");
        for text in [
            "wrong key plainkey42 given",
            "Incorrect API key provided: sk-abcd1234efgh5678ijkl.",
            "header Authorization: Bearer abc.def-ghi",
            r#"{"api_key": "0123456789"}"#,
            "https://host/v1?api_key=0123456789&x=1",
            "AIzaSyA0123456789abcdefghij is not valid",
            "sk-proj-****************wxyz is not valid",
        ] {
            let masked = mask(text, Some(&key));
            assert!(masked.contains("***"), "{masked}");
            for leak in ["plainkey42", "efgh5678", "def-ghi", "0123456789", "wxyz"] {
                assert!(!masked.contains(leak), "{masked}");
            }
        }
    }

    #[test]
    fn ordinary_words_stay() {
        for text in ["max_tokens: 4096 is too large", "the token limit is 8192", "sk-learn is fine"]
        {
            assert_eq!(mask(text, Some(&Secret::new("no"))), text);
        }
        assert_eq!(format!("{:?}", Secret::new("sk-1")), "***");
    }
}
