//! How a request to a server can fail, and what each way says about its effect.
//!
//! The kinds are cut by what a caller may do next. [`NotDelivered`](RequestFailure::NotDelivered)
//! is the only one after which sending again is always safe; after
//! [`Lost`](RequestFailure::Lost) nobody knows what the server has done.

use std::fmt;
use std::time::Duration;

use rmcp::model::ErrorData;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RequestFailure {
    /// The server's own error.
    Rpc { code: i64, message: String },
    /// It certainly did not reach the server, or the server turned it away unread.
    NotDelivered(String),
    /// The connection went away while the server had it.
    Lost(String),
    /// The server answered, but with an HTTP error instead of a result.
    Refused(String),
    /// The server answered with more than a message may have; the answer was thrown away.
    TooLarge { limit: usize },
    /// No answer in time; the server was told.
    TimedOut { elapsed: Duration, limit: Duration },
    /// Nobody wants the answer any more; the server was told.
    Cancelled,
    /// We are not let in.
    Auth(String),
}

impl RequestFailure {
    /// Whether the connection is to blame, and not the request.
    pub(crate) fn is_transport(&self) -> bool {
        !matches!(self, Self::Rpc { .. } | Self::TooLarge { .. } | Self::Cancelled)
    }
}

impl From<ErrorData> for RequestFailure {
    fn from(error: ErrorData) -> Self {
        let message = error.message.into_owned();
        if is_session_lost(&message) {
            return Self::Lost(message);
        }
        Self::Rpc { code: i64::from(error.code.0), message }
    }
}

/// Texts by which servers say that they do not know our session any more.
fn is_session_lost(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["session expired", "session not found", "session terminated", "session was re-initialized"]
        .iter()
        .any(|text| message.contains(text))
}

impl fmt::Display for RequestFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rpc { code, message } => write!(f, "{message} ({code})"),
            Self::NotDelivered(text)
            | Self::Lost(text)
            | Self::Refused(text)
            | Self::Auth(text) => f.write_str(text),
            Self::TooLarge { limit } => {
                write!(f, "its answer is longer than {} MiB", limit >> 20)
            }
            Self::TimedOut { elapsed, limit } => {
                let (elapsed, limit) = (elapsed.as_secs_f64(), limit.as_secs_f64());
                write!(f, "no answer after {elapsed:.1} s (limit {limit} s)")
            }
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}
