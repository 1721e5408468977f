//! One server's login, from the first challenge to the last renewal.
//!
//! All calls to the server share one [`Login`]. It holds the tokens behind a lock that is kept while they
//! are renewed, so a dozen calls refused at the same moment lead to one renewal: the first does it, the
//! others find that the token they used is not the current one any more.

mod grants;
mod person;
mod scope;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hermes_store::config::Fingerprint;
use hermes_store::lock::{FileLock, Wait, lock_path};
use reqwest::Client as Http;
use tokio::sync::Mutex;

use super::auth_method::AuthMethod;
use super::challenge::Challenge;
use super::discover::{Discovered, discover};
use super::metadata::ServerMetadata;
use super::settings::{LoginSettings, OAuthGrant};
use super::store::{LearnedMetadata, Registration, TokenStore, Tokens};
use super::token::{self, OAuthClient, TokenFailure};
use super::{Guide, LoginError, clock};

/// A token that ends this soon, in seconds, is renewed before it is used.
const MARGIN: f64 = 60.0;
/// How often a server may ask for more than the last token allowed.
const MAX_STEP_UPS: usize = 3;
/// How long another process may take to renew.
const OTHER_PROCESS: Duration = Duration::from_secs(30);

/// One server's login.
pub struct Login {
    settings: LoginSettings,
    http: Http,
    shelf: TokenStore,
    guide: Option<Arc<dyn Guide>>,
    held: Mutex<Held>,
}

/// What is in memory of what is on disk.
#[derive(Default)]
struct Held {
    tokens: Option<Tokens>,
    print: Option<Fingerprint>,
    is_read: bool,
    /// What was asked for with the tokens.
    asked: Option<String>,
    /// The scopes that were asked for on top.
    stepped_up: BTreeSet<String>,
}

impl Login {
    /// A login for this server. Without a guide nobody is there to log in.
    #[must_use]
    pub fn new(settings: LoginSettings, http: Http, guide: Option<Arc<dyn Guide>>) -> Self {
        let shelf = TokenStore::new(&settings.folder, &settings.server);
        Self { settings, http, shelf, guide, held: Mutex::default() }
    }

    /// The token to send now, renewed if it is about to end; none before the first login.
    pub async fn token(&self) -> Option<String> {
        let mut held = self.held.lock().await;
        self.refresh_memory(&mut held);
        let tokens = held.tokens.clone()?;
        if tokens.refresh_token.is_none() || !is_ending(&tokens) {
            return Some(tokens.access_token);
        }
        match self.renew(&mut held, &tokens).await {
            Ok(token) => Some(token),
            Err(problem) => {
                // The server will say what it thinks of the old one, and then somebody can be asked.
                tracing::info!(server = %self.settings.server, "the token is not renewed: {problem}");
                Some(tokens.access_token)
            }
        }
    }

    /// The server refused a request with this token. Gives the one to try again with.
    ///
    /// # Errors
    ///
    /// When a person has to log in and nobody is there, or the login does not succeed.
    pub async fn recover(
        &self,
        status: u16,
        www_authenticate: &str,
        used: Option<&str>,
    ) -> Result<String, LoginError> {
        let mut held = self.held.lock().await;
        self.refresh_memory(&mut held);
        if let Some(tokens) = &held.tokens
            && used != Some(tokens.access_token.as_str())
        {
            return Ok(tokens.access_token.clone());
        }
        let challenge = Challenge::parse(www_authenticate);
        if status == 403 {
            return self.step_up(&mut held, &challenge).await;
        }
        if let Some(tokens) = held.tokens.clone().filter(|tokens| tokens.refresh_token.is_some()) {
            match self.renew(&mut held, &tokens).await {
                Ok(token) => return Ok(token),
                Err(TokenFailure::UnknownClient(why)) => self.forget_registration(&why),
                Err(TokenFailure::Spent(why)) => {
                    tracing::info!(server = %self.settings.server, "a new login is needed: {why}");
                }
                Err(TokenFailure::Other(problem)) => return Err(problem),
            }
        }
        self.log_in(&mut held, &challenge, None).await
    }

    /// Logs in whether there are tokens or not.
    ///
    /// # Errors
    ///
    /// As [`Login::recover`].
    pub async fn renew_login(&self) -> Result<(), LoginError> {
        let challenge = self.ask_for_challenge().await?;
        let mut held = self.held.lock().await;
        self.log_in(&mut held, &challenge, None).await.map(drop)
    }

    /// What the server says to somebody without a token.
    async fn ask_for_challenge(&self) -> Result<Challenge, LoginError> {
        let url = &self.settings.url;
        let hello = serde_json::json!({"jsonrpc": "2.0", "id": 0, "method": "ping"});
        let accept = "application/json, text/event-stream";
        let request = self.http.post(url.clone()).header(reqwest::header::ACCEPT, accept);
        let answer = tokio::time::timeout(OTHER_PROCESS, request.json(&hello).send()).await;
        match answer {
            Ok(Ok(answer)) => {
                let header = answer.headers().get(reqwest::header::WWW_AUTHENTICATE);
                let text = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
                Ok(Challenge::parse(text))
            }
            Ok(Err(problem)) => Err(LoginError::Failed(format!(
                "cannot reach {}: {}",
                super::web::short(url),
                problem.without_url()
            ))),
            Err(_) => {
                Err(LoginError::Failed(format!("{} does not answer", super::web::short(url))))
            }
        }
    }

    /// Asks for more than the last token allowed, if that has not been tried.
    async fn step_up(&self, held: &mut Held, challenge: &Challenge) -> Result<String, LoginError> {
        let refused = |why: &str| {
            LoginError::Failed(format!("MCP server '{}' forbids it: {why}", self.settings.server))
        };
        let Some(scope) = challenge.scope.clone() else {
            return Err(refused("it does not say which permission is missing"));
        };
        if held.stepped_up.len() >= MAX_STEP_UPS || !held.stepped_up.insert(scope.clone()) {
            return Err(refused(&format!("it keeps asking for the permission {scope:?}")));
        }
        let before = held.tokens.as_ref().and_then(|tokens| tokens.scope.clone());
        let wanted = scope::union(before.or_else(|| held.asked.clone()).as_deref(), &scope);
        self.log_in(held, challenge, Some(wanted)).await
    }

    /// The whole way to new tokens.
    async fn log_in(
        &self,
        held: &mut Held,
        challenge: &Challenge,
        scope: Option<String>,
    ) -> Result<String, LoginError> {
        if matches!(self.settings.grant, OAuthGrant::Person) && self.guide.is_none() {
            return Err(self.nobody_there());
        }
        let found = discover(&self.http, &self.settings.url, challenge).await?;
        let scope = scope.or_else(|| scope::choose(&self.settings, challenge, &found));
        let tokens = match &self.settings.grant {
            OAuthGrant::Person => self.ask_person(&found, scope.as_deref()).await?,
            OAuthGrant::Program { key } => {
                self.as_program(&found, key.as_ref(), scope.as_deref()).await?
            }
            OAuthGrant::IdentityProvider(company) => {
                self.by_identity_provider(&found, company, scope.as_deref()).await?
            }
        };
        self.shelf.keep_known(&LearnedMetadata {
            server_url: self.settings.url.to_string(),
            resource: found.resource,
            metadata: found.metadata,
        })?;
        held.asked = scope;
        self.hold(held, tokens)
    }

    fn nobody_there(&self) -> LoginError {
        let server = &self.settings.server;
        LoginError::Needed(format!(
            "MCP server '{server}' wants a login: run `hermes mcp login {server}` in a terminal"
        ))
    }

    /// Reads the tokens again if somebody else has written them.
    fn refresh_memory(&self, held: &mut Held) {
        if held.is_read && !self.shelf.changed(held.print) {
            return;
        }
        let is_for_us =
            self.shelf.known().is_some_and(|known| known.server_url == self.settings.url.as_str());
        let (tokens, print) = self.shelf.tokens();
        held.tokens = tokens.filter(|_| is_for_us);
        held.print = print;
        held.is_read = true;
    }

    fn hold(&self, held: &mut Held, tokens: Tokens) -> Result<String, LoginError> {
        self.shelf.keep_tokens(&tokens)?;
        held.print = Fingerprint::of(&self.shelf.tokens_file());
        held.is_read = true;
        let token = tokens.access_token.clone();
        held.tokens = Some(tokens);
        Ok(token)
    }

    /// Exchanges the refresh token for new ones, once for all processes.
    async fn renew(&self, held: &mut Held, tokens: &Tokens) -> Result<String, TokenFailure> {
        let _lock = self.lock_file().await;
        self.refresh_memory(held);
        if let Some(current) = &held.tokens
            && current.access_token != tokens.access_token
        {
            return Ok(current.access_token.clone());
        }
        let spent = || TokenFailure::Spent("there is nothing to renew".to_owned());
        let known = self.shelf.known().ok_or_else(spent)?;
        let refresh = tokens.refresh_token.as_deref().ok_or_else(spent)?;
        let client = self.known_client(&known.metadata).ok_or_else(spent)?;
        let params = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh),
            ("resource", known.resource.as_str()),
        ];
        let mut new =
            token::fetch(&self.http, &known.metadata.token_endpoint, &client, &params).await?;
        new.refresh_token = new.refresh_token.or_else(|| tokens.refresh_token.clone());
        new.scope = new.scope.or_else(|| tokens.scope.clone());
        Ok(self.hold(held, new)?)
    }

    /// Keeps other processes from renewing at the same time. Without the lock it goes on: two renewals are
    /// better than none.
    async fn lock_file(&self) -> Option<FileLock> {
        let file = lock_path(&self.shelf.tokens_file());
        let taken = tokio::task::spawn_blocking(move || {
            FileLock::acquire(&file, Wait::AtMost(OTHER_PROCESS))
        });
        taken.await.ok()?.inspect_err(|problem| tracing::debug!("{problem}")).ok()
    }

    /// The client we are already: configured, registered, or named by its description.
    fn known_client(&self, metadata: &ServerMetadata) -> Option<OAuthClient> {
        if let Some(client) = self.configured_client(metadata) {
            return Some(client);
        }
        let stored = self.shelf.registration().filter(|stored| stored.issuer == metadata.issuer);
        if let Some(stored) = stored {
            return Some(of_registration(&stored));
        }
        self.described_client(metadata)
    }

    fn configured_client(&self, metadata: &ServerMetadata) -> Option<OAuthClient> {
        let id = self.settings.client_id.clone()?;
        let secret = self.settings.client_secret.clone();
        let supported = metadata.token_endpoint_auth_methods_supported.as_deref();
        let method = AuthMethod::choose(supported, secret.is_some());
        Some(OAuthClient { id, secret, method, key: None, issuer: metadata.issuer.clone() })
    }

    fn described_client(&self, metadata: &ServerMetadata) -> Option<OAuthClient> {
        let url = self.settings.client_metadata_url.as_ref()?;
        metadata.client_id_metadata_document_supported.then(|| OAuthClient {
            id: url.to_string(),
            secret: None,
            method: AuthMethod::None,
            key: None,
            issuer: metadata.issuer.clone(),
        })
    }

    /// A registration made here, which its server no longer knows, is made again; one that a person made
    /// is theirs to mend.
    fn forget_registration(&self, why: &str) {
        if self.settings.client_id.is_none() {
            tracing::warn!(server = %self.settings.server, "registering anew: {why}");
            self.shelf.drop_registration();
        }
    }
}

fn of_registration(stored: &Registration) -> OAuthClient {
    OAuthClient {
        id: stored.client_id.clone(),
        secret: stored.client_secret.clone(),
        method: stored.token_endpoint_auth_method,
        key: None,
        issuer: stored.issuer.clone(),
    }
}

fn is_ending(tokens: &Tokens) -> bool {
    tokens.expires_at.is_some_and(|end| end - MARGIN < clock::now())
}
