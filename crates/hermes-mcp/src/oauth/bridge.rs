//! Logins for the client: from a server's settings to what it asks for tokens.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_tool::{BoxFuture, Vars};
use url::Url;

use super::settings::{IdentityProvider, LoginSettings, OAuthGrant, SigningKey};
use super::{Guide, Login, LoginError};
use crate::client::ConnectError;
use crate::client::authorize::{
    AuthChallenge, AuthError, Authorizer, AuthorizerRequest, MakeAuthorizer,
};
use crate::client::settings::{OAuthSettings, ServerSettings, TransportSettings};
use crate::client::transport::http_client::{self, Headers};

/// How a PEM file begins.
const PEM: &str = "-----BEGIN";
/// What keys sign with, unless told otherwise.
const ALGORITHM: &str = "ES256";
/// The word for a login of the program itself.
const PROGRAM: &str = "client_credentials";

/// Logs in to servers, with what is kept in this folder. Without a guide nobody is there to log in.
#[must_use]
pub fn authorizer(folder: PathBuf, guide: Option<Arc<dyn Guide>>) -> MakeAuthorizer {
    Arc::new(move |request: AuthorizerRequest| {
        let settings = settings(&request.server, &request.url, &request.settings, &folder)?;
        let login = Login::new(settings, request.http, guide.clone());
        Ok(Arc::new(Held(Arc::new(login))) as Arc<dyn Authorizer>)
    })
}

/// A login to one server, for a person who asks for it.
///
/// # Errors
///
/// When the server is a program on this machine, or its settings cannot be used.
pub fn login_to(
    server: &ServerSettings,
    vars: &Vars,
    folder: &Path,
    guide: Arc<dyn Guide>,
) -> Result<Login, ConnectError> {
    let failed = |why: String| ConnectError::Failed { server: server.name.to_string(), why };
    let (TransportSettings::Http(there) | TransportSettings::Sse(there)) = &server.transport else {
        return Err(failed(
            "it is a program on this machine; there is nothing to log in to".into(),
        ));
    };
    let oauth = there.oauth.clone().unwrap_or_default();
    let settings = settings(&server.name, &there.url, &oauth, folder)
        .map_err(|problem| failed(problem.to_string()))?;
    let http = http_client::client(server, there, Headers::None, vars)?;
    Ok(Login::new(settings, http, Some(guide)))
}

/// A login that calls share.
struct Held(Arc<Login>);

impl Authorizer for Held {
    fn token(&self) -> BoxFuture<Result<Option<String>, AuthError>> {
        let login = Arc::clone(&self.0);
        Box::pin(async move { Ok(login.token().await) })
    }

    fn recover(
        &self,
        challenge: AuthChallenge,
        used: Option<String>,
    ) -> BoxFuture<Result<String, AuthError>> {
        let login = Arc::clone(&self.0);
        Box::pin(async move {
            let AuthChallenge { status, www_authenticate } = challenge;
            Ok(login.recover(status, &www_authenticate, used.as_deref()).await?)
        })
    }
}

impl From<LoginError> for AuthError {
    fn from(problem: LoginError) -> Self {
        match problem {
            LoginError::Needed(text) => Self::LoginNeeded(text),
            LoginError::Failed(text) => Self::Failed(text),
        }
    }
}

fn settings(
    server: &str,
    url: &Url,
    oauth: &OAuthSettings,
    folder: &Path,
) -> Result<LoginSettings, LoginError> {
    let usual = LoginSettings::new(server, url.clone(), folder.to_owned());
    Ok(LoginSettings {
        client_id: oauth.client_id.clone(),
        client_secret: oauth.client_secret.clone(),
        scope: oauth.scope.clone(),
        redirect_port: oauth.redirect_port,
        redirect_uri: oauth.redirect_uri.clone(),
        redirect_host: oauth.redirect_host.clone(),
        client_name: oauth.client_name.clone(),
        client_metadata_url: oauth
            .client_metadata_url
            .as_deref()
            .map(|text| address(server, "client_metadata_url", text))
            .transpose()?,
        timeout: oauth.timeout.unwrap_or(usual.timeout),
        grant: grant(server, oauth)?,
        ..usual
    })
}

fn grant(server: &str, oauth: &OAuthSettings) -> Result<OAuthGrant, LoginError> {
    if let Some(identity) = &oauth.identity {
        return Ok(OAuthGrant::IdentityProvider(IdentityProvider {
            token_endpoint: address(server, "identity.token_endpoint", &identity.token_endpoint)?,
            client_id: identity.client_id.clone(),
            id_token: identity.id_token.clone(),
        }));
    }
    match oauth.grant.as_deref() {
        None | Some("authorization_code") => Ok(OAuthGrant::Person),
        Some(PROGRAM) => {
            let key = oauth.private_key.as_deref().map(|key| signing_key(server, key, oauth));
            Ok(OAuthGrant::Program { key: key.transpose()? })
        }
        Some(other) => Err(LoginError::Failed(format!(
            "MCP server '{server}': `oauth.grant` is {other:?}; `authorization_code` and `{PROGRAM}` \
             are known"
        ))),
    }
}

fn signing_key(server: &str, key: &str, oauth: &OAuthSettings) -> Result<SigningKey, LoginError> {
    let pem = if key.trim_start().starts_with(PEM) {
        key.to_owned()
    } else {
        std::fs::read_to_string(key).map_err(|problem| {
            LoginError::Failed(format!(
                "MCP server '{server}': `oauth.private_key` names {key}, which cannot be read: {problem}"
            ))
        })?
    };
    let algorithm = oauth.signing_algorithm.clone().unwrap_or_else(|| ALGORITHM.to_owned());
    Ok(SigningKey { pem, algorithm })
}

fn address(server: &str, key: &str, text: &str) -> Result<Url, LoginError> {
    Url::parse(text.trim()).map_err(|problem| {
        LoginError::Failed(format!("MCP server '{server}': `oauth.{key}` is no address: {problem}"))
    })
}
