//! What a key may hold, in words for people and checks for programs.

use std::fmt;

use serde_json::Value;

use super::scalar::{as_bool, as_f64, as_i64, as_text};

/// What may be written behind a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Yes or no, in the spellings of [`as_bool`].
    Bool,
    /// A number without a fraction.
    Integer,
    /// A number with or without a fraction.
    Number,
    /// A text; a number or boolean is taken as written.
    Text,
    /// A list whose items are texts.
    TextList,
    /// A list of items that only their reader understands.
    List,
    /// One of these words, in any letter case.
    OneOf(&'static [&'static str]),
    /// Yes or no, or something else. Also right for words like `on` and `off`, which YAML reads
    /// as booleans.
    BoolOr(&'static Kind),
    /// A text that stands for the whole, or something else: `model: NAME` for `model: {default: NAME}`.
    TextOr(&'static Kind),
    /// That, or one of these older words for it, which are accepted and shown nowhere.
    OrOlder(&'static Kind, &'static [&'static str]),
    /// A section whose names are all declared.
    Section,
    /// A section with names of the user's choice, or of parts that are not linked.
    Map,
    /// Whatever its reader takes.
    Any,
}

impl Kind {
    /// Whether an unknown name below is worth a warning.
    #[must_use]
    pub fn is_closed(self) -> bool {
        match self {
            Kind::Section => true,
            Kind::BoolOr(other) | Kind::TextOr(other) | Kind::OrOlder(other, _) => {
                other.is_closed()
            }
            _ => false,
        }
    }

    /// Whether values have parts, so that a variable holds them as JSON.
    #[must_use]
    pub fn is_structured(self) -> bool {
        matches!(self, Kind::TextList | Kind::List | Kind::Section | Kind::Map)
    }

    /// Whether a value as it stands in the file could be right. A text with `${NAME}` in it always
    /// could: what it will be is not known before variables are filled in.
    #[must_use]
    pub fn fits(self, value: &Value) -> bool {
        if value.as_str().is_some_and(|text| text.contains("${")) {
            return true;
        }
        match self {
            Kind::Bool => as_bool(value).is_some(),
            Kind::Integer => as_i64(value).is_some(),
            Kind::Number => as_f64(value).is_some(),
            Kind::Text => as_text(value).is_some(),
            Kind::TextList => value
                .as_array()
                .is_some_and(|items| items.iter().all(|item| as_text(item).is_some())),
            Kind::List => value.is_array(),
            Kind::OneOf(words) => is_word(value, words),
            Kind::OrOlder(newer, words) => newer.fits(value) || is_word(value, words),
            Kind::BoolOr(other) => as_bool(value).is_some() || other.fits(value),
            Kind::TextOr(other) => as_text(value).is_some() || other.fits(value),
            Kind::Section | Kind::Map => value.is_object(),
            Kind::Any => true,
        }
    }
}

fn is_word(value: &Value, words: &[&str]) -> bool {
    let text = value.as_str().map(str::trim);
    text.is_some_and(|text| words.iter().any(|word| word.eq_ignore_ascii_case(text)))
}

impl fmt::Display for Kind {
    /// With an article, to follow "expected".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bool => f.write_str("true or false"),
            Kind::Integer => f.write_str("a whole number"),
            Kind::Number => f.write_str("a number"),
            Kind::Text => f.write_str("a text"),
            Kind::TextList => f.write_str("a list of texts"),
            Kind::List => f.write_str("a list"),
            Kind::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Kind::BoolOr(other) => write!(f, "true or false, or {other}"),
            Kind::TextOr(other) => write!(f, "a text, or {other}"),
            Kind::OrOlder(newer, _) => newer.fmt(f),
            Kind::Section | Kind::Map => f.write_str("a section"),
            Kind::Any => f.write_str("anything"),
        }
    }
}
