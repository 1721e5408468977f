//! Requests to authorization servers: small, bounded, and in their own words about failures.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::LoginError;

/// How long one answer may take.
const LIMIT: Duration = Duration::from_secs(30);
/// No description or token is larger.
const MAX_BODY: usize = 1 << 20;

/// What came back.
pub(super) struct HttpAnswer {
    pub(super) status: StatusCode,
    pub(super) body: Value,
    /// Where the server says it is now.
    pub(super) moved_to: Option<String>,
}

impl HttpAnswer {
    /// A member of an error object, such as `error`.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.body[key].as_str()
    }

    /// The body, in the shape it should have.
    pub(super) fn read<T: DeserializeOwned>(self, url: &Url) -> Result<T, LoginError> {
        serde_json::from_value(self.body).map_err(|problem| {
            LoginError::Failed(format!(
                "{} answers something else than it should: {problem}",
                short(url)
            ))
        })
    }
}

/// Sends a request and reads the whole answer, which may be no JSON at all.
pub(super) async fn send(request: RequestBuilder, url: &Url) -> Result<HttpAnswer, LoginError> {
    let failed =
        |problem: String| LoginError::Failed(format!("cannot reach {}: {problem}", short(url)));
    let exchange = async {
        let mut response = request
            .header(reqwest::header::ACCEPT, "application/json")
            .send()
            .await
            .map_err(|problem| failed(reason(&problem)))?;
        let status = response.status();
        let moved_to = response
            .headers()
            .get(reqwest::header::LOCATION)
            .filter(|_| status.is_redirection())
            .and_then(|place| place.to_str().ok())
            .map(str::to_owned);
        let mut body = Vec::new();
        while let Some(chunk) =
            response.chunk().await.map_err(|problem| failed(reason(&problem)))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_BODY {
                return Err(failed(format!("it sends more than {MAX_BODY} bytes")));
            }
        }
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Ok(HttpAnswer { status, body, moved_to })
    };
    match tokio::time::timeout(LIMIT, exchange).await {
        Ok(answer) => answer,
        Err(_) => Err(failed(format!("no answer within {} s", LIMIT.as_secs()))),
    }
}

/// An address without what may be secret in it.
pub(super) fn short(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

/// The innermost reason, without the address, which may hold a secret.
fn reason(problem: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = problem;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
