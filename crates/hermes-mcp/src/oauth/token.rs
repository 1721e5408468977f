//! Getting tokens: how we show who we are, and what comes back.
//!
//! One function asks a token endpoint, whatever the reason: a code, a refresh token, a program's own
//! credentials or a company's word. Servers differ in where they want the client's secret; what they publish
//! about it decides, and a client without a secret gives its name alone. Refusals come back as what matters
//! to the caller: we are not known any more, what we offered is spent, or something else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client as Http, RequestBuilder};
use serde::Deserialize;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::auth_method::AuthMethod;
use super::settings::SigningKey;
use super::store::Tokens;
use super::web::{self, short};
use super::{LoginError, clock, jwt};

/// A client as the token endpoint sees it.
#[derive(Clone)]
pub(super) struct OAuthClient {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    pub(super) method: AuthMethod,
    pub(super) key: Option<SigningKey>,
    /// Whose endpoint it is, for signed notes.
    pub(super) issuer: String,
}

/// What a token endpoint answers.
#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    #[serde(default)]
    token_type: String,
    #[serde(default)]
    expires_in: Option<serde_json::Value>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    scope: Option<String>,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenFailure {
    /// The endpoint does not know us.
    #[error("{0}")]
    UnknownClient(String),
    /// What we offered for a token is not good any more.
    #[error("{0}")]
    Spent(String),
    /// Anything else.
    #[error(transparent)]
    Other(#[from] LoginError),
}

impl From<TokenFailure> for LoginError {
    fn from(problem: TokenFailure) -> Self {
        match problem {
            TokenFailure::UnknownClient(text) | TokenFailure::Spent(text) => Self::Failed(text),
            TokenFailure::Other(problem) => problem,
        }
    }
}

/// Asks a token endpoint for tokens.
pub(super) async fn fetch(
    http: &Http,
    endpoint: &Url,
    client: &OAuthClient,
    params: &[(&str, &str)],
) -> Result<Tokens, TokenFailure> {
    let now = clock::now();
    let request = request(http, endpoint, client, params)?;
    let answer = web::send(request, endpoint).await?;
    if !answer.status.is_success() {
        let code = answer.text("error").unwrap_or_default();
        let more = answer.text("error_description").unwrap_or_default();
        let text = format!("{} refuses: {} {code} {more}", short(endpoint), answer.status.as_u16());
        let text = text.trim_end().to_owned();
        return Err(match (answer.status.as_u16(), code) {
            (400 | 401, "invalid_client") => TokenFailure::UnknownClient(text),
            (_, "invalid_grant") => TokenFailure::Spent(text),
            _ => TokenFailure::Other(LoginError::Failed(text)),
        });
    }
    let answer: TokenAnswer = answer.read(endpoint)?;
    Ok(Tokens {
        access_token: answer.access_token,
        token_type: answer.token_type,
        refresh_token: answer.refresh_token,
        scope: answer.scope,
        expires_at: answer.expires_in.as_ref().and_then(seconds).map(|left| now + left),
    })
}

/// The request, with who we are in the place the endpoint wants it.
fn request(
    http: &Http,
    endpoint: &Url,
    client: &OAuthClient,
    params: &[(&str, &str)],
) -> Result<RequestBuilder, LoginError> {
    let mut form = Serializer::new(String::new());
    for (name, value) in params {
        form.append_pair(name, value);
    }
    let mut request = http
        .post(endpoint.clone())
        .header(reqwest::header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    match (client.method, &client.secret, &client.key) {
        (AuthMethod::Basic, Some(secret), _) => {
            let coded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            let pair = STANDARD.encode(format!("{}:{}", coded(&client.id), coded(secret)));
            request = request.header(reqwest::header::AUTHORIZATION, format!("Basic {pair}"));
        }
        (AuthMethod::Signed, _, Some(key)) => {
            form.append_pair("client_id", &client.id);
            form.append_pair("client_assertion_type", jwt::ASSERTION_TYPE);
            form.append_pair("client_assertion", &jwt::assertion(&client.id, &client.issuer, key)?);
        }
        (AuthMethod::Post, Some(secret), _) => {
            form.append_pair("client_id", &client.id);
            form.append_pair("client_secret", secret);
        }
        _ => {
            form.append_pair("client_id", &client.id);
        }
    }
    Ok(request.body(form.finish()))
}

/// Some servers write the number as text.
fn seconds(value: &serde_json::Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifetime_may_be_written_as_text() {
        assert_eq!(seconds(&serde_json::json!("3600")), Some(3600.0));
        assert_eq!(seconds(&serde_json::json!(-1)), None);
    }
}
