//! Getting tokens: how we show who we are, and what comes back.
//!
//! One function asks a token endpoint, whatever the reason: a code, a refresh token, a program's own
//! credentials or a company's word. Servers differ in where they want the client's secret; what they publish
//! about it decides, and a client without a secret gives its name alone. Refusals come back as what matters
//! to the caller: we are not known any more, what we offered is spent, or something else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client as Http, RequestBuilder};
use serde::{Deserialize, Serialize};
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::settings::SigningKey;
use super::store::Tokens;
use super::web::{self, short};
use super::{LoginError, jwt};

/// How a client shows who it is at the token endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuthMethod {
    /// By name alone.
    #[default]
    #[serde(rename = "none")]
    None,
    /// By secret, in the header.
    #[serde(rename = "client_secret_basic")]
    Basic,
    /// By secret, in the body.
    #[serde(rename = "client_secret_post")]
    Post,
    /// By a signed note.
    #[serde(rename = "private_key_jwt")]
    Signed,
}

impl AuthMethod {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::Signed => "private_key_jwt",
        }
    }

    /// The method of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::None, Self::Basic, Self::Post, Self::Signed]
            .into_iter()
            .find(|method| method.as_str() == word)
    }

    /// The best of the methods a server takes, for a client with or without a secret. A server that does
    /// not say takes `client_secret_basic`.
    #[must_use]
    pub fn choose(supported: Option<&[String]>, has_secret: bool) -> Self {
        if !has_secret {
            return Self::None;
        }
        let takes = |method: Self| {
            supported.is_none_or(|words| words.iter().any(|word| word == method.as_str()))
        };
        [Self::Basic, Self::Post, Self::None]
            .into_iter()
            .find(|method| takes(*method))
            .unwrap_or(Self::Basic)
    }

    /// What a client that is about to register should ask for: no secret if that will do.
    #[must_use]
    pub fn to_register(supported: Option<&[String]>) -> Self {
        let takes = |method: Self| {
            supported.is_some_and(|words| words.iter().any(|word| word == method.as_str()))
        };
        if supported.is_none() || takes(Self::None) {
            return Self::None;
        }
        if takes(Self::Basic) || !takes(Self::Post) { Self::Basic } else { Self::Post }
    }
}

/// A client as the token endpoint sees it.
#[derive(Clone)]
pub(super) struct Client {
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
pub(super) enum TokenError {
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

impl From<TokenError> for LoginError {
    fn from(problem: TokenError) -> Self {
        match problem {
            TokenError::UnknownClient(text) | TokenError::Spent(text) => Self::Failed(text),
            TokenError::Other(problem) => problem,
        }
    }
}

/// Asks a token endpoint for tokens.
pub(super) async fn fetch(
    http: &Http,
    endpoint: &Url,
    client: &Client,
    params: &[(&str, &str)],
) -> Result<Tokens, TokenError> {
    let now = now();
    let request = request(http, endpoint, client, params)?;
    let answer = web::send(request, endpoint).await?;
    if !answer.status.is_success() {
        let code = answer.text("error").unwrap_or_default();
        let more = answer.text("error_description").unwrap_or_default();
        let text = format!("{} refuses: {} {code} {more}", short(endpoint), answer.status.as_u16());
        let text = text.trim_end().to_owned();
        return Err(match (answer.status.as_u16(), code) {
            (400 | 401, "invalid_client") => TokenError::UnknownClient(text),
            (_, "invalid_grant") => TokenError::Spent(text),
            _ => TokenError::Other(LoginError::Failed(text)),
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
    client: &Client,
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

/// Seconds since 1970.
pub(super) fn now() -> f64 {
    jiff::Timestamp::now().as_duration().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn the_method_follows_what_the_server_takes() {
        let choose = |list: &[&str], has_secret| AuthMethod::choose(Some(&words(list)), has_secret);
        assert_eq!(choose(&["client_secret_post", "client_secret_basic"], true), AuthMethod::Basic);
        assert_eq!(choose(&["client_secret_post"], true), AuthMethod::Post);
        assert_eq!(choose(&["none"], true), AuthMethod::None);
        assert_eq!(choose(&["client_secret_post"], false), AuthMethod::None);
        assert_eq!(AuthMethod::choose(None, true), AuthMethod::Basic);
    }

    #[test]
    fn registering_asks_for_a_secret_only_where_one_is_wanted() {
        let ask = |list: &[&str]| AuthMethod::to_register(Some(&words(list)));
        assert_eq!(ask(&["client_secret_basic", "none"]), AuthMethod::None);
        assert_eq!(ask(&["client_secret_basic"]), AuthMethod::Basic);
        assert_eq!(ask(&["client_secret_post"]), AuthMethod::Post);
        assert_eq!(AuthMethod::to_register(None), AuthMethod::None);
    }

    #[test]
    fn a_lifetime_may_be_written_as_text() {
        assert_eq!(seconds(&serde_json::json!("3600")), Some(3600.0));
        assert_eq!(seconds(&serde_json::json!(-1)), None);
    }
}
