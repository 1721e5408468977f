//! What a server is told when its request is not granted.

use hermes_guard::redact::{RedactMode, redact};
use serde_json::{Value, json};

/// The code of a request we understood and did not grant.
pub const REFUSED: i64 = -1;
/// The code of a request nobody here answers.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The code of a request that cannot be understood.
pub const INVALID_PARAMS: i64 = -32602;

/// A JSON-RPC error for a server. Its text leaves this machine, so secrets are taken out of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RequestError {
    code: i64,
    message: String,
}

impl RequestError {
    /// An error of this code.
    #[must_use]
    pub fn new(code: i64, message: &str) -> Self {
        Self { code, message: redact(message, RedactMode::UrlCredentials).into_owned() }
    }

    /// We understood, and will not.
    #[must_use]
    pub fn refused(message: &str) -> Self {
        Self::new(REFUSED, message)
    }

    /// Nobody here answers this method.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, &format!("Method not found: {method}"))
    }

    /// What was sent makes no sense.
    #[must_use]
    pub fn invalid(message: &str) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// The number programs go by.
    #[must_use]
    pub fn code(&self) -> i64 {
        self.code
    }

    /// The text for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The `error` member of a JSON-RPC answer.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({"code": self.code, "message": self.message})
    }
}
