//! Who gets us past a server's `401`.
//!
//! A server with `auth: oauth` is reached through an [`Authorizer`]: it is asked for a token before
//! every request, and told of every challenge. It alone knows how tokens are got, kept and renewed.

use std::fmt;
use std::sync::Arc;

use hermes_tool::BoxFuture;
use url::Url;

use super::settings::OAuthSettings;

/// What a server said when it refused a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthChallenge {
    /// 401 or 403.
    pub status: u16,
    /// The header `WWW-Authenticate`; empty when there was none.
    pub www_authenticate: String,
}

/// Why there is no authorisation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// A person has to log in; nobody could be asked here.
    #[error("{0}")]
    LoginNeeded(String),
    /// Something else went wrong.
    #[error("{0}")]
    Failed(String),
}

/// Gives and renews the token for one server. Calls may come at the same time; a recovery is done
/// once for all of them.
pub trait Authorizer: Send + Sync {
    /// The token to send now, renewed when it is about to end; none when there is none yet.
    fn token(&self) -> BoxFuture<Result<Option<String>, AuthError>>;

    /// The server refused a request that carried `used`. Gives the token to try once more with.
    fn recover(
        &self,
        challenge: AuthChallenge,
        used: Option<String>,
    ) -> BoxFuture<Result<String, AuthError>>;
}

/// For whom an [`Authorizer`] is wanted.
#[derive(Clone)]
pub struct AuthorizerRequest {
    /// The server's name.
    pub server: Arc<str>,
    /// Its address.
    pub url: Url,
    /// The keys of `oauth:`.
    pub settings: OAuthSettings,
    /// A client with the server's own TLS settings and headers left out.
    pub http: reqwest::Client,
}

impl fmt::Debug for AuthorizerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizerRequest").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Makes authorizers; the host brings one that knows where tokens are kept and whom to ask.
pub type MakeAuthorizer =
    Arc<dyn Fn(AuthorizerRequest) -> Result<Arc<dyn Authorizer>, AuthError> + Send + Sync>;
