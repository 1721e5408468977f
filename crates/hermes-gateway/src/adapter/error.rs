//! What goes wrong between us and a platform, in classes that decide what happens next.

use std::fmt;
use std::time::Duration;

/// Why there is no connection, and whether to try again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// It may work later: try again by yourself.
    Retry {
        /// In a line, without secrets.
        what: String,
        /// The platform asked for this much patience.
        after: Option<Duration>,
    },
    /// It will not work until somebody does something.
    Fatal {
        /// In a line, without secrets.
        what: String,
        /// What to do, for people.
        advice: String,
    },
}

impl LinkError {
    /// It may work later.
    #[must_use]
    pub fn retry(what: impl Into<String>) -> Self {
        Self::Retry { what: what.into(), after: None }
    }

    /// It needs a person.
    #[must_use]
    pub fn fatal(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Fatal { what: what.into(), advice: advice.into() }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retry { what, .. } => f.write_str(what),
            Self::Fatal { what, advice } => write!(f, "{what}. {advice}"),
        }
    }
}

impl std::error::Error for LinkError {}

/// What a platform said to something that was sent, by what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendClass {
    /// It has to be shorter.
    TooLong,
    /// The formatting is refused: once more without.
    BadFormat,
    /// We may not write there.
    Forbidden,
    /// There is no such chat or message.
    NotFound,
    /// There is no such thread in the chat: once more without.
    NoThread,
    /// Too fast.
    RateLimited,
    /// It did not arrive and may work later.
    Transient,
    /// Nothing came back, so it may have arrived.
    MaybeArrived,
    /// The platform has no such thing.
    Unsupported,
    /// Something else.
    Unknown,
}

impl SendClass {
    /// Its name in logs and answers of tools.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::BadFormat => "bad_format",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::NoThread => "no_thread",
            Self::RateLimited => "rate_limited",
            Self::Transient => "transient",
            Self::MaybeArrived => "maybe_arrived",
            Self::Unsupported => "unsupported",
            Self::Unknown => "unknown",
        }
    }
}

/// Why something could not be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendError {
    /// What follows from it.
    pub class: SendClass,
    /// In a line, without secrets.
    pub what: String,
    /// How long the platform asked us to wait.
    pub retry_after: Option<Duration>,
    /// The chat goes by this id from now on.
    pub moved_to: Option<String>,
}

impl SendError {
    /// Of this class.
    #[must_use]
    pub fn new(class: SendClass, what: impl Into<String>) -> Self {
        Self { class, what: what.into(), retry_after: None, moved_to: None }
    }

    /// The platform asked us to wait.
    #[must_use]
    pub fn rate_limited(what: impl Into<String>, after: Option<Duration>) -> Self {
        Self { retry_after: after, ..Self::new(SendClass::RateLimited, what) }
    }

    /// The platform cannot do this.
    #[must_use]
    pub fn unsupported(what: &str) -> Self {
        Self::new(SendClass::Unsupported, format!("this platform cannot {what}"))
    }

    /// From an exchange that did not come to an answer. What never left is transient; of anything else nobody knows
    /// whether it arrived. The address is left out: it may hold a token.
    #[must_use]
    pub fn from_http(error: reqwest::Error) -> Self {
        let class = match error.is_connect() || error.is_builder() {
            true => SendClass::Transient,
            false => SendClass::MaybeArrived,
        };
        let what = match error.is_timeout() {
            true => "no answer in time".to_owned(),
            false => source_line(&error.without_url()),
        };
        Self::new(class, what)
    }

    /// From an answer's status, where a platform says no more: 429 and 5xx can be tried again.
    #[must_use]
    pub fn from_status(status: u16, what: impl Into<String>) -> Self {
        let class = match status {
            413 => SendClass::TooLong,
            400 => SendClass::BadFormat,
            401 | 403 => SendClass::Forbidden,
            404 | 410 => SendClass::NotFound,
            429 => SendClass::RateLimited,
            500..=599 => SendClass::Transient,
            _ => SendClass::Unknown,
        };
        Self::new(class, what)
    }
}

/// The innermost reason, which is the one people understand.
fn source_line(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(next) = inner.source() {
        inner = next;
    }
    inner.to_string()
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for SendError {}

impl LinkError {
    /// Of a failure while connecting: a refusal of our credentials is final, with this advice; everything else passes.
    #[must_use]
    pub fn while_connecting(error: SendError, advice: &str) -> Self {
        match error.class {
            SendClass::Forbidden => Self::fatal(error.what, advice),
            _ => Self::Retry { what: error.what, after: error.retry_after },
        }
    }
}

impl From<SendError> for LinkError {
    /// For platforms that answer a wrong token as if nothing were there.
    fn from(error: SendError) -> Self {
        const ADVICE: &str = "Check the credentials of this platform.";
        match error.class {
            SendClass::NotFound => Self::fatal(error.what, ADVICE),
            _ => Self::while_connecting(error, ADVICE),
        }
    }
}
