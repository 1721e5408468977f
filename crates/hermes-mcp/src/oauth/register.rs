//! Becoming a client of an authorization server (RFC 7591).

use reqwest::Client as Http;
use serde::Deserialize;
use serde_json::json;

use super::LoginError;
use super::auth_method::AuthMethod;
use super::metadata::ServerMetadata;
use super::settings::{CLIENT_NAME, LoginSettings};
use super::store::Registration;
use super::web::{self, short};

#[derive(Deserialize)]
struct RegisterAnswer {
    client_id: String,
    #[serde(default)]
    client_secret: Option<String>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

/// Registers with people coming back to this address.
pub(super) async fn register(
    http: &Http,
    metadata: &ServerMetadata,
    settings: &LoginSettings,
    redirect_uri: &str,
    scope: Option<&str>,
) -> Result<Registration, LoginError> {
    let endpoint = metadata.registration_endpoint.as_ref().ok_or_else(|| {
        LoginError::Failed(format!(
            "{} takes only clients it knows: register one there and set `oauth.client_id` of the MCP \
             server '{}'",
            metadata.issuer, settings.server
        ))
    })?;
    let supported = metadata.token_endpoint_auth_methods_supported.as_deref();
    let wanted = AuthMethod::to_register(supported);
    let mut form = json!({
        "client_name": settings.client_name.as_deref().unwrap_or(CLIENT_NAME),
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": wanted.as_str(),
        "application_type": "native",
    });
    if let Some(scope) = scope {
        form["scope"] = scope.into();
    }
    let answer = web::send(http.post(endpoint.clone()).json(&form), endpoint).await?;
    if !answer.status.is_success() {
        let code = answer.text("error").unwrap_or_default();
        let more = answer.text("error_description").unwrap_or_default();
        let status = answer.status.as_u16();
        let text = format!("{} does not register us: {status} {code} {more}", short(endpoint));
        return Err(LoginError::Failed(text.trim_end().to_owned()));
    }
    let answer: RegisterAnswer = answer.read(endpoint)?;
    let secret = answer.client_secret.filter(|secret| !secret.is_empty());
    let told = answer.token_endpoint_auth_method.as_deref().and_then(AuthMethod::parse);
    let method = match told {
        Some(method) if secret.is_some() || method == AuthMethod::None => method,
        _ => AuthMethod::choose(supported, secret.is_some()),
    };
    Ok(Registration {
        client_id: answer.client_id,
        client_secret: secret,
        token_endpoint_auth_method: method,
        redirect_uris: vec![redirect_uri.to_owned()],
        issuer: metadata.issuer.clone(),
    })
}
