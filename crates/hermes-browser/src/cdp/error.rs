//! What can go wrong between a call and its answer.

use std::time::Duration;

/// A call without an answer that could be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CdpError {
    /// The browser is gone, or the connection to it.
    #[error("the connection to the browser has ended: {0}")]
    Closed(String),
    /// No answer in time; the page may be busy.
    #[error("{method} was not answered within {} s", after.as_secs_f32())]
    Timeout {
        /// What was asked.
        method: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The browser says no.
    #[error("{method}: {message}")]
    Refused {
        /// What was asked.
        method: String,
        /// The browser's reason.
        message: String,
    },
    /// The answer has another form than expected.
    #[error("the answer to {method} cannot be read: {problem}")]
    Unreadable {
        /// What was asked.
        method: String,
        /// What the parser says.
        problem: String,
    },
}

impl CdpError {
    /// Whether the browser said no with these words in its reason.
    #[must_use]
    pub fn refused_with(&self, words: &str) -> bool {
        matches!(self, Self::Refused { message, .. } if message.contains(words))
    }
}
