//! What chat platforms offer beside messages, for the tools that belong to a platform.
//!
//! | module | what |
//! |---|---|
//! | [`discord`] | members, messages, threads and roles of servers, as the bot of the home |
//! | [`feishu`] | documents and the comments on files, as the app of the home |
//!
//! Both are asked with [`PlatformCall`]s, which say what is wanted without sending it: the tools make them, tests look
//! at them. A service that has no time is asked again: after a refusal for haste (nothing was done then), and what only
//! looks also after a failure of its own. What changes something is not repeated when nobody knows whether it was done.

pub mod discord;
pub mod feishu;

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::service::{Service, ServiceCall, ServiceError, ServiceReply};

/// How often something is asked for in all.
const TRIES: u32 = 3;
/// How long a service may make us wait between two of them.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// The first pause where a service names none.
const FIRST_PAUSE: Duration = Duration::from_millis(300);

/// What is wanted of a platform's service, before it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct PlatformCall {
    method: Method,
    path: String,
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
}

impl PlatformCall {
    fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), query: Vec::new(), body: None }
    }

    /// Something to be looked at.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Something new.
    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// Something that is so afterwards, however often it is asked for.
    pub fn put(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path)
    }

    /// Something taken away.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// A parameter of the address, if there is a value for it.
    #[must_use]
    pub fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.query.push((name, value.to_string()));
        }
        self
    }

    /// What goes along.
    #[must_use]
    pub fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// Whether it leaves everything as it was.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        self.method == Method::GET
    }

    /// Method, address below the service's, and what goes along, for people and tests.
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

    /// Sends it, again where that is right. `sign` puts in who we are.
    async fn send(
        &self,
        service: &Service,
        sign: impl Fn(ServiceCall) -> ServiceCall,
        cancel: &CancellationToken,
    ) -> Result<ServiceReply, ServiceError> {
        let mut pause = FIRST_PAUSE;
        for tried in 1.. {
            let mut call = sign(service.call(self.method.clone(), &self.address())?);
            if let Some(body) = &self.body {
                call = call.json(body);
            } else if !self.only_looks() {
                call = call.header("content-length", "0");
            }
            let error = match call.send(cancel).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let asked = match &error {
                ServiceError::Status { status: 429, retry_after, .. } => Some(*retry_after),
                other if other.is_transient() && self.only_looks() => Some(None),
                _ => None,
            };
            let wait = asked.map(|asked| asked.unwrap_or(pause));
            let Some(wait) = wait.filter(|wait| tried < TRIES && *wait <= LONGEST_PAUSE) else {
                return Err(error);
            };
            tokio::select! {
                () = cancel.cancelled() => {
                    return Err(ServiceError::Cancelled { service: service.name().to_owned() });
                }
                () = tokio::time::sleep(wait) => {}
            }
            pause *= 3;
        }
        Err(ServiceError::Cancelled { service: service.name().to_owned() })
    }
}

/// Whether a text can stand in an address as it is: the ids of these platforms are letters, digits, `_` and `-`.
#[must_use]
pub fn is_plain_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests;
