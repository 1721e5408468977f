//! Errors in what somebody asked for, as opposed to in doing it.

use hermes_protocol::text::nearest;

/// Words that make no sense, told with a hint at what was meant. The program ends with exit code 2 for it, and nothing was
/// changed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    message: String,
}

impl UsageError {
    /// An error with its hint already in the text.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// An unknown name, with the nearest known one and the command that lists all.
    #[must_use]
    pub fn unknown(kind: &str, name: &str, nearest: Option<&str>, list_with: &str) -> Self {
        let hint = nearest.map(|near| format!("\n  did you mean `{near}`?")).unwrap_or_default();
        Self::new(format!("unknown {kind} `{name}`{hint}\n  `{list_with}` lists them"))
    }

    /// A name that is none of a few, with the nearest of them and all.
    #[must_use]
    pub fn none_of(kind: &str, name: &str, known: &[&str]) -> Self {
        let hint = nearest(name, known.iter().copied())
            .map(|near| format!("\n  did you mean `{near}`?"))
            .unwrap_or_default();
        Self::new(format!("unknown {kind} `{name}`{hint}\n  {kind}s: {}", known.join(", ")))
    }
}
