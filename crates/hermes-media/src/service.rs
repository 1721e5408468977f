//! One way to ask a service whose address the program or its user chose.
//!
//! Addresses that a model or a server writes go through the door of `hermes-web`; these do not come from there, and may
//! well be on this machine (a speech server, a home automation). What is promised instead: a key goes to the service it
//! belongs to and follows no redirect, no answer is larger than its caller takes, every wait has an end and hears a
//! cancellation, and what a service says in an error is short and shows no key.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hermes_llm::http::{self, Proxies};
use hermes_tool::{ToolError, Vars, thousands};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take, unless the caller says otherwise.
const USUAL_TIME: Duration = Duration::from_secs(60);
/// Most bytes of an answer, unless the caller says otherwise.
const USUAL_BYTES: usize = 8 << 20;
/// Most characters of what a service says about a failure.
const MAX_WORDS: usize = 300;

/// A service at a fixed address.
#[derive(Clone, Debug)]
pub struct Service {
    name: String,
    base: String,
    proxies: Proxies,
    /// Made with the first request: reading the system's certificates takes a while.
    client: Arc<OnceLock<Client>>,
}

impl Service {
    /// The service of this name below this address; the variables say which proxy leads there.
    pub fn new(name: impl Into<String>, base_url: impl AsRef<str>, vars: &Vars) -> Self {
        let lookup = |name: &str| vars.get(name).map(str::to_owned);
        Self {
            name: name.into(),
            base: base_url.as_ref().trim().trim_end_matches('/').to_owned(),
            proxies: Proxies::from_vars(&lookup),
            client: Arc::default(),
        }
    }

    /// What people call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its address, without a slash at the end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Begins a `GET` of a path below the address.
    ///
    /// # Errors
    /// The address is none, or the system's certificates cannot be read.
    pub fn get(&self, path: &str) -> Result<ServiceCall, ServiceError> {
        self.call(Method::GET, path)
    }

    /// Begins a `POST` to a path below the address.
    ///
    /// # Errors
    /// See [`Service::get`].
    pub fn post(&self, path: &str) -> Result<ServiceCall, ServiceError> {
        self.call(Method::POST, path)
    }

    /// Begins a request with any method.
    ///
    /// # Errors
    /// See [`Service::get`].
    pub fn call(&self, method: Method, path: &str) -> Result<ServiceCall, ServiceError> {
        let address = format!("{}{path}", self.base);
        let wrong = |why: String| ServiceError::Address { service: self.name.clone(), why };
        let url = Url::parse(&address).map_err(|error| wrong(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(format!("{} is neither http nor https", url.scheme())));
        }
        let client = match self.client.get() {
            Some(client) => client.clone(),
            None => {
                let made = http::client(&self.base, CONNECT, &self.proxies)
                    .map_err(|error| wrong(error.to_string()))?;
                self.client.get_or_init(|| made).clone()
            }
        };
        Ok(ServiceCall {
            service: self.name.clone(),
            building: client.request(method, url.clone()),
            url,
            secrets: Vec::new(),
            time: USUAL_TIME,
            bytes: USUAL_BYTES,
        })
    }
}

/// A request that is being put together.
#[derive(Debug)]
pub struct ServiceCall {
    service: String,
    building: RequestBuilder,
    url: Url,
    secrets: Vec<String>,
    time: Duration,
    bytes: usize,
}

impl ServiceCall {
    /// The key in the usual header.
    #[must_use]
    pub fn bearer(self, key: &str) -> Self {
        self.secret("authorization", "Bearer ", key)
    }

    /// A header with a key behind a word (`Key `, or nothing). The key is never printed.
    #[must_use]
    pub fn secret(mut self, name: &'static str, word: &str, key: &str) -> Self {
        if let Ok(mut value) = HeaderValue::from_str(&format!("{word}{}", key.trim())) {
            value.set_sensitive(true);
            self.building = self.building.header(HeaderName::from_static(name), value);
        }
        self.secrets.push(key.trim().to_owned());
        self
    }

    /// A header without a key.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.building = self.building.header(HeaderName::from_static(name), value);
        }
        self
    }

    /// A JSON body.
    #[must_use]
    pub fn json(mut self, body: &Value) -> Self {
        self.building = self.building.json(body);
        self
    }

    /// A form with files.
    #[must_use]
    pub fn multipart(mut self, form: reqwest::multipart::Form) -> Self {
        self.building = self.building.multipart(form);
        self
    }

    /// A form of the old kind, as login servers take it.
    #[must_use]
    pub fn form(mut self, fields: &[(&str, &str)]) -> Self {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields.iter().copied())
            .finish();
        self.building = self
            .building
            .header(reqwest::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body);
        self
    }

    /// How long the answer may take.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Most bytes of the answer.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Words that must not be shown, such as a key in the address.
    #[must_use]
    pub fn hiding(mut self, secret: &str) -> Self {
        self.secrets.push(secret.trim().to_owned());
        self
    }

    /// Makes the request; an answer that is no success is an error.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn send(self, cancel: &CancellationToken) -> Result<ServiceReply, ServiceError> {
        let reply = self.send_any(cancel).await?;
        if reply.is_success() { Ok(reply) } else { Err(reply.failure()) }
    }

    /// Makes the request; every status is an answer.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn send_any(self, cancel: &CancellationToken) -> Result<ServiceReply, ServiceError> {
        let Self { service, building, time, bytes, secrets, url } = self;
        let asking = async {
            let broken =
                |error: reqwest::Error| connection(&service, &error.without_url(), &secrets);
            let mut response = building.send().await.map_err(broken)?;
            let too_large = || ServiceError::TooLarge { service: service.clone(), limit: bytes };
            if response.content_length().is_some_and(|length| length > bytes as u64) {
                return Err(too_large());
            }
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let mut body = Vec::new();
            while let Some(part) = response.chunk().await.map_err(broken)? {
                if body.len() + part.len() > bytes {
                    return Err(too_large());
                }
                body.extend_from_slice(&part);
            }
            let secrets = secrets.clone();
            Ok(ServiceReply { service: service.clone(), status, headers, body, secrets })
        };
        tracing::debug!(service, host = url.host_str(), "asking");
        tokio::select! {
            () = cancel.cancelled() => Err(ServiceError::Cancelled { service: service.clone() }),
            done = tokio::time::timeout(time, asking) => done.unwrap_or_else(|_| {
                Err(ServiceError::Timeout { service: service.clone(), after: time })
            }),
        }
    }
}

fn connection(service: &str, error: &reqwest::Error, secrets: &[String]) -> ServiceError {
    // The outermost text only says that sending failed; what went wrong is at the bottom.
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let why = masked(deepest.to_string(), secrets);
    ServiceError::Connection { service: service.to_owned(), why }
}

/// An answer, whole.
#[derive(Clone)]
pub struct ServiceReply {
    service: String,
    /// The HTTP status, of whatever class.
    pub status: u16,
    /// The headers, as sent.
    pub headers: HeaderMap,
    /// What was read of the answer, at most the cap of the request.
    pub body: Vec<u8>,
    /// What of it must not be shown.
    secrets: Vec<String>,
}

impl std::fmt::Debug for ServiceReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("ServiceReply");
        shown.field("service", &self.service).field("status", &self.status);
        shown.finish_non_exhaustive()
    }
}

impl ServiceReply {
    /// Whether the status says that it went well.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// It is none.
    pub fn json(&self) -> Result<Value, ServiceError> {
        serde_json::from_slice(&self.body)
            .map_err(|error| self.unreadable(format!("an answer that is no JSON ({error})")))
    }

    /// The failure that an answer of another status than success is.
    #[must_use]
    pub fn failure(&self) -> ServiceError {
        ServiceError::Status {
            service: self.service.clone(),
            status: self.status,
            words: words_of(&self.body, &self.secrets),
            retry_after: self.retry_after(),
        }
    }

    /// Whether a word is anywhere in the body.
    #[must_use]
    pub fn says(&self, word: &str) -> bool {
        self.body.windows(word.len()).any(|window| window == word.as_bytes())
    }

    /// A header's value; one that is no text counts as absent.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The error for an answer that lacks what it should hold.
    pub fn unreadable(&self, what: impl Into<String>) -> ServiceError {
        ServiceError::Unreadable { service: self.service.clone(), what: what.into() }
    }

    fn retry_after(&self) -> Option<Duration> {
        let value = self.headers.get(RETRY_AFTER)?.to_str().ok()?;
        value.trim().parse().ok().map(Duration::from_secs)
    }
}

/// Why a service did not give what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// The address in the settings cannot be used.
    #[error("the address of {service} cannot be used: {why}")]
    Address {
        /// Which service.
        service: String,
        /// What is wrong with it.
        why: String,
    },
    /// It answered that it did not work.
    #[error("{service} answered with status {status}{}", said(.words))]
    Status {
        /// Which service.
        service: String,
        /// The status.
        status: u16,
        /// What it said, keys masked; may be empty.
        words: String,
        /// How long it asks us to wait.
        retry_after: Option<Duration>,
    },
    /// It answered with a failure inside a successful answer.
    #[error("{service}: {words}")]
    Failed {
        /// Which service.
        service: String,
        /// What it said.
        words: String,
    },
    /// The answer is longer than is taken.
    #[error("the answer of {service} is longer than {} bytes", thousands(*.limit))]
    TooLarge {
        /// Which service.
        service: String,
        /// The most that would have been taken.
        limit: usize,
    },
    /// It took too long.
    #[error("{service} did not answer within {} s", .after.as_secs_f64())]
    Timeout {
        /// Which service.
        service: String,
        /// How long was waited.
        after: Duration,
    },
    /// No connection, or it broke.
    #[error("{service} cannot be reached: {why}")]
    Connection {
        /// Which service.
        service: String,
        /// What the network said.
        why: String,
    },
    /// It sent something else than was asked for.
    #[error("{service} sent {what}")]
    Unreadable {
        /// Which service.
        service: String,
        /// What came instead.
        what: String,
    },
    /// We were told to stop.
    #[error("{service} was no longer waited for")]
    Cancelled {
        /// Which service.
        service: String,
    },
}

impl ServiceError {
    /// The kind, as models and programs are told it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Address { .. } => "configuration",
            Self::Status { status: 401 | 403, .. } => "authentication",
            Self::Status { status: 402, .. } => "billing",
            Self::Status { status: 404, .. } => "not_found",
            Self::Status { status: 429, .. } => "rate_limit",
            Self::Status { status: 400..=499, .. } => "invalid_request",
            Self::Status { .. } | Self::Failed { .. } => "provider_error",
            Self::TooLarge { .. } => "too_large",
            Self::Timeout { .. } => "timeout",
            Self::Connection { .. } => "connection",
            Self::Unreadable { .. } => "invalid_response",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// Whether the same request may well succeed a little later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 429 | 500..),
            Self::Timeout { .. } | Self::Connection { .. } => true,
            _ => false,
        }
    }

    /// Whether the service was not reached at all.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::Connection { .. })
    }
}

impl From<ServiceError> for ToolError {
    fn from(error: ServiceError) -> Self {
        let kind = error.kind();
        Self::answer(error.to_string()).with("error_type", kind)
    }
}

fn said(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// What a service says about a failure, from the places where services say it.
fn words_of(body: &[u8], secrets: &[String]) -> String {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(value) => found_words(&value).unwrap_or_default(),
        Err(_) => plain_words(&String::from_utf8_lossy(body)),
    };
    short(&masked(text, secrets))
}

fn found_words(value: &Value) -> Option<String> {
    const PLACES: [&str; 7] =
        ["error", "message", "detail", "error_description", "msg", "reason", "errors"];
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.first().and_then(found_words),
        Value::Object(fields) => {
            PLACES.iter().filter_map(|name| fields.get(*name)).find_map(found_words)
        }
        _ => None,
    }
}

/// An error page is not worth a model's attention.
fn plain_words(text: &str) -> String {
    if text.trim_start().starts_with('<') { String::new() } else { text.to_owned() }
}

fn masked(mut text: String, secrets: &[String]) -> String {
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret.as_str(), "***");
    }
    text
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
