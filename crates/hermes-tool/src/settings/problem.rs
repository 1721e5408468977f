//! A setting that cannot be used, told without giving a secret away.

use std::fmt;

use serde_json::Value;

/// The longest piece of a wrong value that is shown.
const SHOWN_CHARS: usize = 60;

/// How the value itself is called where it is not known under which key it stands.
pub(super) const TOP: &str = "the top";

/// Which of the two sources a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// This dotted key of `config.yaml`.
    Key(String),
    /// This environment variable.
    Variable(String),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(f, "{key} in config.yaml"),
            Self::Variable(name) => write!(f, "the variable {name}"),
        }
    }
}

/// A value of the wrong kind or out of range, which counts as not given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin} is {given}, but must be {expected}")]
pub struct SettingProblem {
    /// Where it was written.
    pub origin: SettingOrigin,
    /// What was written, shortened. Lists and sections, which may hold secrets, are only named as
    /// such.
    pub given: String,
    /// What would be right, with an article.
    pub expected: String,
}

impl SettingProblem {
    /// The same problem, found in what stands under this key.
    #[must_use]
    pub(super) fn below(mut self, outer: &str) -> Self {
        if let SettingOrigin::Key(key) = &mut self.origin {
            // Entries of a list stand in brackets behind its name.
            let dot = if key.starts_with('[') { "" } else { "." };
            *key = if key == TOP { outer.to_owned() } else { format!("{outer}{dot}{key}") };
        }
        self
    }

    /// Tells of a value that its reader could not use.
    #[must_use]
    pub fn new(origin: SettingOrigin, value: &Value, expected: impl Into<String>) -> Self {
        Self { origin, given: shown(value), expected: expected.into() }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a section".to_owned(),
        // JSON in a variable stands for a list or section.
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
            "something else".to_owned()
        }
        Value::String(text) => match text.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{:?}…", &text[..end]),
            None => format!("{text:?}"),
        },
        other => other.to_string(),
    }
}
