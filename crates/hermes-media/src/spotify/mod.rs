//! Spotify's web interface, with the sign-in of the user.
//!
//! Who is asked is fixed; what is asked is a [`SpotifyRequest`], plain data that the tools put together and their tests
//! compare. The client adds the key, gets a fresh one when it has run out, and turns "no content" and "no device" into
//! words.

mod sign_in;

use std::time::Duration;

use hermes_store::home::Home;
use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use reqwest::Method;
use serde_json::{Value, json};
pub use sign_in::{SignIn, SignInError};
use tokio_util::sync::CancellationToken;

use crate::service::{Service, ServiceError, ServiceReply};

const BASE: &str = "https://api.spotify.com/v1";
const ACCOUNTS: &str = "https://accounts.spotify.com";
const TIME: Duration = Duration::from_secs(20);
/// What helps when nothing plays anywhere.
const NO_DEVICE: &str = "No active device: open Spotify on a phone, computer or speaker, list the devices, and transfer \
    playback to one";

/// The section `spotify`.
#[derive(Clone, Debug, Settings)]
#[settings(path = "spotify", about = "Spotify", open)]
pub struct SpotifySettings {
    /// Another address than Spotify's own.
    base_url: Option<String>,
    /// Another address for signing in.
    accounts_url: Option<String>,
}

/// One request, as data.
#[derive(Clone, Debug, PartialEq)]
pub struct SpotifyRequest {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
}

impl SpotifyRequest {
    /// A request of this method (`GET`, `PUT`, …) to a path.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), query: Vec::new(), body: None }
    }

    /// A question.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// A change.
    pub fn put(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path)
    }

    /// Something done.
    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// Something taken away.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// A parameter, if there is a value for it.
    #[must_use]
    pub fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.query.push((name, value.to_string()));
        }
        self
    }

    /// What is sent along.
    #[must_use]
    pub fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// Method, path with parameters, and what is sent along, for people and tests.
    #[must_use]
    pub fn parts(&self) -> (String, String, Option<Value>) {
        (self.method.to_string(), self.address(), self.body.clone())
    }

    fn address(&self) -> String {
        if self.query.is_empty() {
            return self.path.clone();
        }
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.query.iter().map(|(name, value)| (*name, value.as_str())));
        format!("{}?{}", self.path, query.finish())
    }
}

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
pub enum SpotifyError {
    /// Nobody is signed in, or not any more.
    #[error(transparent)]
    SignIn(#[from] SignInError),
    /// Nothing plays anywhere.
    #[error("{NO_DEVICE}")]
    NoDevice,
    /// The service failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

/// Spotify, for the user who is signed in.
#[derive(Debug)]
pub struct Spotify {
    service: Service,
    accounts: Service,
    sign_in: SignIn,
    home: Option<Home>,
}

impl Spotify {
    /// With the sign-in of the variables or of the home.
    ///
    /// # Errors
    /// There is none.
    pub fn open(
        settings: &SpotifySettings,
        vars: &Vars,
        home: Option<Home>,
    ) -> Result<Self, SpotifyError> {
        let sign_in = SignIn::find(vars, home.as_ref()).ok_or(SignInError::Nobody)?;
        let at = |given: &Option<String>, usual: &str| {
            Service::new("Spotify", given.as_deref().unwrap_or(usual), vars)
        };
        let service = at(&settings.base_url, BASE);
        Ok(Self { service, accounts: at(&settings.accounts_url, ACCOUNTS), sign_in, home })
    }

    /// Asks, with a fresh key if the old one has run out.
    ///
    /// # Errors
    /// See [`SpotifyError`].
    pub async fn ask(
        &mut self,
        request: &SpotifyRequest,
        cancel: &CancellationToken,
    ) -> Result<Value, SpotifyError> {
        if self.sign_in.has_run_out() {
            self.sign_in.renew(&self.accounts, self.home.as_ref(), cancel).await?;
        }
        let mut reply = self.send(request, cancel).await?;
        if reply.status == 401 {
            self.sign_in.renew(&self.accounts, self.home.as_ref(), cancel).await?;
            reply = self.send(request, cancel).await?;
        }
        answer(&reply, request)
    }

    async fn send(
        &self,
        request: &SpotifyRequest,
        cancel: &CancellationToken,
    ) -> Result<ServiceReply, ServiceError> {
        let call = self.service.call(request.method.clone(), &request.address())?;
        let mut call = call.bearer(self.sign_in.key()).time(TIME);
        if let Some(body) = &request.body {
            call = call.json(body);
        } else if request.method != Method::GET {
            // A length of nothing: without it some of their servers wait for a body.
            call = call.header("content-length", "0");
        }
        call.send_any(cancel).await
    }
}

fn answer(reply: &ServiceReply, request: &SpotifyRequest) -> Result<Value, SpotifyError> {
    match reply.status {
        204 if request.method == Method::GET => {
            Ok(json!({"success": true, "is_playing": false, "message": NO_DEVICE}))
        }
        200..=299 if reply.body.iter().all(u8::is_ascii_whitespace) => Ok(json!({"success": true})),
        // Some acts are answered with a bare word.
        200..=299 if request.method != Method::GET => {
            let result = reply.json().unwrap_or(Value::Null);
            Ok(json!({"success": true, "result": result}))
        }
        200..=299 => Ok(json!({"success": true, "result": reply.json()?})),
        404 if reply.says("NO_ACTIVE_DEVICE") => Err(SpotifyError::NoDevice),
        _ => Err(reply.failure().into()),
    }
}

#[cfg(test)]
mod tests;
