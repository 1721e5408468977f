//! What is asked for, and what came.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use url::Url;

use crate::charset::decode_text;

/// Where a request ends at the latest. Every field is a promise about memory or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// Most bytes of a body, packed and unpacked.
    pub bytes: usize,
    /// Longest time from the first connection to the last byte, redirects included.
    pub time: Duration,
    /// Most redirects followed.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { bytes: 10 << 20, time: Duration::from_secs(30), redirects: 5 }
    }
}

/// One request. The address may be written as people write them.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    pub(crate) url: String,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    /// Sent to the origin of the first address only.
    pub(crate) for_origin: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) limits: FetchLimits,
    pub(crate) author: UrlAuthor,
}

/// Who wrote the address of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UrlAuthor {
    /// A model, a page, a registry: every rule counts.
    #[default]
    Outside,
    /// The user's own settings: the host may be a private one, or one that tools may not visit.
    User,
}

impl FetchRequest {
    /// A plain `GET`.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            method: Method::GET,
            headers: HeaderMap::new(),
            for_origin: HeaderMap::new(),
            body: None,
            limits: FetchLimits::default(),
            author: UrlAuthor::Outside,
        }
    }

    /// A `POST`; its body is set with [`FetchRequest::json`] or [`FetchRequest::form`].
    pub fn post(url: impl Into<String>) -> Self {
        Self::get(url).method(Method::POST)
    }

    /// The host of the address comes from the user's settings (a search service, a server of his own), not from a
    /// model or a page. It may then be private. Redirects away from it are judged like any other address.
    #[must_use]
    pub fn configured_by_user(mut self) -> Self {
        self.author = UrlAuthor::User;
        self
    }

    /// Another method than `GET`. A redirect of such a request is handed back, not followed.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// A header for every host on the way.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// A header with a key in it: it is never printed and does not follow a redirect to another origin.
    #[must_use]
    pub fn secret_header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        self.for_origin.insert(name, value);
        self
    }

    /// A JSON body.
    #[must_use]
    pub fn json(mut self, body: &serde_json::Value) -> Self {
        self.headers
            .insert(reqwest::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.body = Some(body.to_string().into_bytes());
        self
    }

    /// A body as HTML forms send it.
    #[must_use]
    pub fn form(mut self, fields: &[(&str, &str)]) -> Self {
        let body =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        self.headers.insert(reqwest::header::CONTENT_TYPE, kind);
        self.body = Some(body.into_bytes());
        self
    }

    /// Other limits than the usual ones.
    #[must_use]
    pub fn limits(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }
}

/// An answer: any status, the body whole and unpacked.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The address that answered, after redirects.
    pub url: Url,
    /// Its status; errors are answers too.
    pub status: StatusCode,
    /// Its headers, as sent.
    pub headers: HeaderMap,
    /// The body, unpacked.
    pub body: Vec<u8>,
}

impl Fetched {
    /// A header as text; one that is no text counts as absent.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The kind of content, lower-case and without parameters; empty if the server did not say.
    #[must_use]
    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// The body as text, in the encoding that header, mark or document name.
    #[must_use]
    pub fn text(&self) -> String {
        decode_text(&self.body, self.header("content-type"))
    }
}
