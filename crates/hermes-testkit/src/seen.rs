//! A request that the server has seen.

use std::fmt;
use std::time::Instant;

use serde_json::{Value, json};

use crate::view::{ModelWire, View};

/// A request in the log. Keys are masked in everything that can be printed.
#[derive(Clone)]
pub struct Seen {
    /// `GET` or `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The body; a body that is no JSON is a string.
    pub body: Value,
    /// The route that took it, if one did.
    pub route: Option<String>,
    /// Which connection it came over, counted from 0.
    pub connection: usize,
    /// How it went.
    pub outcome: SeenOutcome,
    /// When it had been read.
    pub at: Instant,
    headers: Vec<(String, String)>,
}

/// How a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenOutcome {
    /// It is still being answered.
    Open,
    /// The step was played to its end.
    Played,
    /// The client hung up before that.
    HungUp,
}

/// Headers whose values are keys.
const SECRET: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

impl Seen {
    pub(crate) fn new(
        method: String,
        path: String,
        headers: Vec<(String, String)>,
        body: Value,
    ) -> Self {
        Self {
            method,
            path,
            body,
            route: None,
            connection: 0,
            outcome: SeenOutcome::Open,
            at: Instant::now(),
            headers,
        }
    }

    /// A header's value, a key masked; names are matched in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let (found, value) =
            self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name))?;
        Some(if SECRET.contains(&found.as_str()) { masked(value) } else { value })
    }

    /// Whether this text, such as a key, is in a header, the path or the body.
    #[must_use]
    pub fn carries(&self, secret: &str) -> bool {
        self.headers.iter().any(|(_, value)| value.contains(secret))
            || self.path.contains(secret)
            || self.body.to_string().contains(secret)
    }

    /// Whether it went to a model.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.method == "POST" && ModelWire::of(&self.path).is_some()
    }

    /// The request, read alike for both wires.
    #[must_use]
    pub fn view(&self) -> View {
        View::of(&self.path, &self.body)
    }

    /// The request as JSON, for logs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let headers: serde_json::Map<String, Value> =
            self.headers.iter().map(|(name, _)| (name.clone(), json!(self.header(name)))).collect();
        json!({
            "method": self.method, "path": self.path, "headers": headers, "body": self.body,
            "route": self.route, "connection": self.connection,
        })
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

/// The scheme may be seen, the key not.
fn masked(value: &str) -> &'static str {
    if value.starts_with("Bearer ") { "Bearer ***" } else { "***" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_can_be_asked_for_but_not_printed() {
        let headers = vec![("authorization".to_owned(), "Bearer sk-1234".to_owned())];
        let seen = Seen::new("POST".into(), "/v1/messages".into(), headers, json!({}));
        assert!(seen.carries("sk-1234") && !seen.carries("sk-9"));
        assert_eq!(seen.header("Authorization"), Some("Bearer ***"));
        assert!(!format!("{seen:?}").contains("1234"));
    }
}
