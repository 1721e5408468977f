//! The error a handler returns.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

/// Why a call gave no result.
///
/// Two sorts reach the model in two shapes. An *answer* is part of the tool's normal
/// conversation ("no such file; did you mean …?") and is sent word for word as
/// `{"error": …}`. A *failure* is something the tool did not foresee; it is sent with its kind,
/// cleaned and marked. Writing `?` on a foreign error makes a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError(Box<Parts>);

/// Boxed: results are passed from hand to hand on every call, errors are rare.
#[derive(Clone, Debug, PartialEq)]
struct Parts {
    kind: Option<Cow<'static, str>>,
    message: String,
    extras: Map<String, Value>,
}

impl ToolError {
    /// An answer: the model sees exactly this text under `error`.
    pub fn answer(message: impl Into<String>) -> Self {
        Self(Box::new(Parts { kind: None, message: message.into(), extras: Map::new() }))
    }

    /// A failure of a stable, short kind such as `NotFound` or `HttpStatus`; the kind is part of
    /// the contract with users who match on it.
    pub fn failure(kind: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            kind: Some(kind.into()),
            message: message.into(),
            extras: Map::new(),
        }))
    }

    /// What a tool that works on an agent's state answers where there is no agent.
    #[must_use]
    pub fn needs_agent(tool: &str) -> Self {
        Self::answer(format!("{tool} must be handled by the agent loop"))
    }

    /// Adds a field beside `error` (and may even replace it).
    #[must_use]
    pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.extras.insert(field.into(), value.into());
        self
    }

    /// The kind of a failure; `None` for an answer.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.0.kind.as_deref()
    }

    /// The text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The fields added beside `error`.
    #[must_use]
    pub fn extras(&self) -> &Map<String, Value> {
        &self.0.extras
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Some(kind) => write!(f, "{kind}: {}", self.0.message),
            None => f.write_str(&self.0.message),
        }
    }
}

impl std::error::Error for ToolError {}

impl From<std::io::Error> for ToolError {
    fn from(error: std::io::Error) -> Self {
        Self::failure(format!("{:?}", error.kind()), error.to_string())
    }
}

impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        Self::failure("Json", error.to_string())
    }
}

/// Gives foreign errors a stable kind: `client.get(url).tool_error("Http")?`.
pub trait ToolErrorExt<T> {
    /// Turns the error into a [`ToolError::failure`] of this kind.
    ///
    /// # Errors
    /// Exactly when `self` is an error.
    fn tool_error(self, kind: &'static str) -> Result<T, ToolError>;
}

impl<T, E: fmt::Display> ToolErrorExt<T> for Result<T, E> {
    fn tool_error(self, kind: &'static str) -> Result<T, ToolError> {
        self.map_err(|error| ToolError::failure(kind, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_errors_carry_the_name_of_their_kind() {
        let error: ToolError = std::io::Error::from(std::io::ErrorKind::NotFound).into();
        assert_eq!(error.kind(), Some("NotFound"));
    }

    #[test]
    fn answers_have_no_kind() {
        assert_eq!(ToolError::answer("no").with("path", "x").to_string(), "no");
    }
}
