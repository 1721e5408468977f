//! What the services share: one JSON request, its limits, and its errors in words.

use std::time::Duration;

use hermes_web::header::{HeaderName, HeaderValue};
use hermes_web::{FetchLimits, FetchRequest, HttpDoor, Method};
use serde_json::Value;

use crate::browser::Browser;
use crate::error::BrowserError;

/// How long a service may take to start a browser.
pub(super) const CREATE: Duration = Duration::from_secs(30);
/// How long it may take to take one back.
pub(super) const CLOSE: Duration = Duration::from_secs(10);
/// Longest answer that is read.
const LONGEST: usize = 1 << 20;
/// Characters of an error's text that are shown.
const SHOWN: usize = 300;

/// A service with a key.
pub(super) struct Service {
    pub(super) name: &'static str,
    pub(super) base: String,
    pub(super) key_header: &'static str,
    pub(super) key: String,
    pub(super) door: HttpDoor,
}

/// An answer with its status.
pub(super) struct ServiceAnswer {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl Service {
    pub(super) fn failed(&self, problem: impl Into<String>) -> BrowserError {
        BrowserError::Provider { provider: self.name, problem: problem.into() }
    }

    /// A browser that cannot be reached is the service's trouble like any other: another one may take its place.
    pub(super) fn connected(
        &self,
        connecting: Result<Browser, BrowserError>,
    ) -> Result<Browser, BrowserError> {
        connecting.map_err(|error| self.failed(error.to_string()))
    }

    /// Makes a request; any status is an answer.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        headers: &[(&'static str, String)],
        time: Duration,
    ) -> Result<ServiceAnswer, BrowserError> {
        let url = format!("{}{path}", self.base.trim_end_matches('/'));
        let key = HeaderValue::from_str(&self.key)
            .map_err(|_| self.failed("the key has characters that no header may have"))?;
        let mut request = FetchRequest::get(url)
            .method(method)
            .secret_header(HeaderName::from_static(self.key_header), key)
            .limits(FetchLimits { bytes: LONGEST, time, redirects: 0 })
            .configured_by_user();
        if let Some(body) = body {
            request = request.json(body);
        }
        for (name, value) in headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                request = request.header(HeaderName::from_static(name), value);
            }
        }
        let fetched =
            self.door.fetch(request).await.map_err(|error| self.failed(error.to_string()))?;
        let body = serde_json::from_slice(&fetched.body).unwrap_or(Value::Null);
        Ok(ServiceAnswer { status: fetched.status.as_u16(), body })
    }

    /// A text field of an answer that must be there.
    pub(super) fn field(
        &self,
        answer: &ServiceAnswer,
        names: &[&str],
    ) -> Result<String, BrowserError> {
        let found = names.iter().find_map(|name| answer.body[*name].as_str());
        found.map(str::to_owned).ok_or_else(|| {
            self.failed(format!(
                "its answer has no {} (HTTP {})",
                names.join(" or "),
                answer.status
            ))
        })
    }

    /// Whether a status means that it worked; what it says otherwise.
    pub(super) fn succeeded(&self, answer: &ServiceAnswer) -> Result<(), BrowserError> {
        if (200..300).contains(&answer.status) {
            return Ok(());
        }
        let words =
            ["message", "error", "detail"].iter().find_map(|name| answer.body[*name].as_str());
        let words: String = words.unwrap_or_default().chars().take(SHOWN).collect();
        let what = match answer.status {
            401 | 403 => "the key is not accepted",
            402 => "the plan does not allow it",
            429 => "too many browsers or requests at once",
            500.. => "the service has trouble",
            _ => "the request is refused",
        };
        let words = if words.is_empty() { words } else { format!(": {words}") };
        Err(self.failed(format!("{what} (HTTP {}){words}", answer.status)))
    }
}
