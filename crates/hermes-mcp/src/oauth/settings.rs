//! How one server wants us to log in.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

/// How long a person may take, unless the configuration says otherwise.
pub const LOGIN_WAIT: Duration = Duration::from_secs(300);
/// What we are called when we register.
pub const CLIENT_NAME: &str = "Hermes Agent";

/// Everything that is known before the first request.
#[derive(Clone)]
pub struct LoginSettings {
    /// The server's name in the configuration.
    pub server: String,
    /// Its address.
    pub url: Url,
    /// Where tokens are kept.
    pub folder: PathBuf,
    /// A client registered beforehand.
    pub client_id: Option<String>,
    /// What that client proves itself with, where it has one.
    pub client_secret: Option<String>,
    /// What to ask for, whatever the server says.
    pub scope: Option<String>,
    /// Where to listen for the person to come back.
    pub redirect_port: Option<u16>,
    /// The address to come back to when a proxy stands in between.
    pub redirect_uri: Option<String>,
    /// The host to come back to; we listen on loopback all the same.
    pub redirect_host: Option<String>,
    /// What we are called.
    pub client_name: Option<String>,
    /// The address of a description of us, for servers that take it for a name.
    pub client_metadata_url: Option<Url>,
    /// How long a person may take.
    pub timeout: Duration,
    /// Who logs in.
    pub grant: OAuthGrant,
}

/// Who logs in.
#[derive(Clone, Default)]
pub enum OAuthGrant {
    /// A person, in a browser.
    #[default]
    Person,
    /// The program itself, with its own credentials: a secret, or a key it signs with.
    Program {
        /// The key, if it signs.
        key: Option<SigningKey>,
    },
    /// A person who is logged in with their company, which vouches for them.
    IdentityProvider(IdentityProvider),
}

/// A private key.
#[derive(Clone)]
pub struct SigningKey {
    /// In PEM form, PKCS #8.
    pub pem: String,
    /// `ES256` or `RS256`.
    pub algorithm: String,
}

/// The company's identity provider.
#[derive(Clone)]
pub struct IdentityProvider {
    /// Where its tokens are had.
    pub token_endpoint: Url,
    /// Our name there.
    pub client_id: String,
    /// The person's login there.
    pub id_token: String,
}

/// Names only: the rest may be secret.
impl std::fmt::Debug for LoginSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoginSettings")
            .field("server", &self.server)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

impl LoginSettings {
    /// A person's login to this server, with nothing known but its address.
    #[must_use]
    pub fn new(server: &str, url: Url, folder: PathBuf) -> Self {
        Self {
            server: server.to_owned(),
            url,
            folder,
            client_id: None,
            client_secret: None,
            scope: None,
            redirect_port: None,
            redirect_uri: None,
            redirect_host: None,
            client_name: None,
            client_metadata_url: None,
            timeout: LOGIN_WAIT,
            grant: OAuthGrant::Person,
        }
    }
}
