//! What the settings in `config.yaml` are called, what they hold and what they are for.
//!
//! [`KEYS`] is the one list of known settings. Documentation, completion and `config show` read
//! it; [`check`] compares a configuration with it and reports what looks like a mistake: a name
//! nobody asks for, a value of the wrong kind. Findings are warnings. An unknown key is kept and
//! handed on like any other, because a plugin or another version may know it.
//!
//! How much is checked depends on how well a place is known:
//!
//! * in a [`Kind::Section`] (and at the top of the file) every key must be in the list;
//! * in a [`Kind::Map`] keys are free, those in the list are checked;
//! * [`Kind::Any`] takes anything.
//!
//! Check the configuration *as written* ([`crate::config::Config::load_unexpanded`]): a value with
//! `${NAME}` in it passes as anything, since what it will be is not known here.

mod check;
mod table;

pub use check::{Finding, Trouble, check};
pub use table::KEYS;

use std::fmt;

/// One known setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyInfo {
    /// Dotted path; `*` stands for a name of the user's choice.
    pub path: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What counts when it is not set, as one would type it; empty when nothing does.
    pub default: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
}

/// What a setting holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text (a number or boolean is taken as written).
    Text,
    /// A list of texts.
    TextList,
    /// A list of anything.
    List,
    /// One of these words, in any letter case.
    OneOf(&'static [&'static str]),
    /// Yes or no, or something else. Also right for words like `on` and `off`, which YAML reads
    /// as booleans.
    BoolOr(&'static Kind),
    /// Settings that are all in [`KEYS`].
    Section,
    /// Names of the user's choice, or settings not all known here.
    Map,
    /// Anything.
    Any,
}

impl Kind {
    /// Whether an unknown name below is worth a warning.
    fn is_closed(self) -> bool {
        match self {
            Kind::Section => true,
            Kind::BoolOr(other) => other.is_closed(),
            _ => false,
        }
    }
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
            Kind::Section | Kind::Map => f.write_str("a section"),
            Kind::Any => f.write_str("anything"),
        }
    }
}

/// The entry for a setting, given its segments; a spelt-out path wins over one with `*`.
pub fn find<S: AsRef<str>>(segments: &[S]) -> Option<&'static KeyInfo> {
    let matching = KEYS.iter().filter(|info| {
        let mut pattern = info.path.split('.');
        let fits = segments
            .iter()
            .all(|segment| pattern.next().is_some_and(|p| p == "*" || p == segment.as_ref()));
        fits && pattern.next().is_none()
    });
    matching.min_by_key(|info| info.path.split('.').filter(|part| *part == "*").count())
}
