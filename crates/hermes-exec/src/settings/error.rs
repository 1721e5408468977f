//! What can be wrong with a setting.

use std::fmt;

use thiserror::Error;

/// The longest piece of a wrong value that is shown.
const SHOWN_CHARS: usize = 60;

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This key of `config.yaml`.
    Key(String),
    /// This variable.
    Variable(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(f, "{key} in config.yaml"),
            Self::Variable(name) => write!(f, "the variable {name}"),
        }
    }
}

/// A setting that cannot be used. The message says where it stands and what is expected there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettingsError {
    /// A value of the wrong kind or out of range.
    #[error("{origin} is {given}, but must be {expected}")]
    Unusable {
        /// Where it was written.
        origin: Origin,
        /// What was written, shortened. Lists and sections, which may hold secrets, are only named
        /// as such.
        given: String,
        /// What would be right.
        expected: String,
    },
    /// A value the backend cannot do without.
    #[error("the {backend} backend needs {key} in config.yaml, or the variable {variable}")]
    Missing {
        /// The backend.
        backend: &'static str,
        /// The key.
        key: String,
        /// The variable.
        variable: String,
    },
}

/// A text as it is shown in an error.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
