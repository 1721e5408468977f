//! A model behind an endpoint.
//!
//! A [`ModelClient`] makes one attempt for each [`answer`](Model::answer): it writes the request, sends it,
//! reads what comes and tells of failures by their class. It remembers two things between calls: the
//! connection, and what the server turned out not to like ([`Adaptations`]). Whether to wait, try again,
//! compress or go elsewhere is the caller's to decide.
//!
//! Two second tries happen inside, because nothing of them shows outside: a server that cannot stream is
//! asked at once for the whole answer, and a stream that breaks before any text was shown is asked for
//! again a few times. Everything else is tried once.
//!
//! A cancellation is heard at every wait, so it takes effect at once, and dropping the call closes the
//! connection, which stops the server's work as well.

mod attempt;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::endpoint::Endpoint;
use crate::error;
use crate::http::{self, Proxies, Timeouts};
use crate::metadata;
use crate::model::{
    BoxFuture, DeltaListener, ErrorClass, Finish, Model, ModelError, ModelRequest, ModelResponse,
};
use crate::wire::{Adaptations, Delivery};

/// How a client behaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientOptions {
    /// How long things may take.
    pub timeouts: Timeouts,
    /// Where requests go instead of straight to the server.
    pub proxies: Proxies,
}

impl ClientOptions {
    /// What the configuration and the environment say.
    #[must_use]
    pub fn read(config: &Value, lookup: &http::Lookup<'_>) -> Self {
        Self { timeouts: Timeouts::read(config, lookup), proxies: Proxies::from_vars(lookup) }
    }
}

/// A model behind an endpoint.
#[derive(Debug)]
pub struct ModelClient {
    endpoint: Endpoint,
    options: ClientOptions,
    memory: Mutex<Memory>,
    stale_streams: AtomicU32,
}

#[derive(Debug, Default)]
struct Memory {
    http: Option<reqwest::Client>,
    adaptations: Adaptations,
}

impl ModelClient {
    /// A client for a model. Nothing is opened before the first question.
    #[must_use]
    pub fn new(endpoint: Endpoint, options: ClientOptions) -> Self {
        Self { endpoint, options, memory: Mutex::default(), stale_streams: AtomicU32::new(0) }
    }

    /// The model's place.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What was learned about the server so far.
    #[must_use]
    pub fn adaptations(&self) -> Adaptations {
        self.memory().adaptations.clone()
    }

    /// Changes what is done differently for this server.
    pub fn change(&self, change: impl FnOnce(&mut Adaptations)) {
        change(&mut self.memory().adaptations);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The HTTP client, made at the first use.
    fn http(&self) -> Result<reqwest::Client, ModelError> {
        let mut memory = self.memory();
        if let Some(http) = &memory.http {
            return Ok(http.clone());
        }
        let connect = self.options.timeouts.connect_to(&self.endpoint);
        let made = http::client(&self.endpoint.base_url, connect, &self.options.proxies);
        let http = made.map_err(|failure| error::from_transport(&self.endpoint, &failure))?;
        memory.http = Some(http.clone());
        Ok(http)
    }

    async fn ask(
        &self,
        request: &ModelRequest,
        listener: &mut DeltaListener<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let mut silent_tries = self.options.timeouts.stream_retries;
        loop {
            let adaptations = self.adaptations();
            let delivery =
                if adaptations.whole_answers { Delivery::Whole } else { Delivery::Streamed };
            let outcome = self.attempt(request, &adaptations, delivery, listener, cancel).await;
            let failure = match outcome {
                Ok(answer) => {
                    self.stale_streams.store(0, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            if failure.lost_connection {
                // A connection may be broken in ways that only a new client cures.
                self.memory().http = None;
            }
            let error = failure.error;
            match error.class {
                ErrorClass::StreamUnsupported if delivery == Delivery::Streamed => {
                    self.change(|adaptations| adaptations.whole_answers = true);
                }
                _ if failure.may_retry_silently && silent_tries > 0 => {
                    silent_tries -= 1;
                    tracing::debug!(error = %error, silent_tries, "the stream broke early; asking again");
                }
                _ => return after_all(error),
            }
        }
    }
}

/// What is left when no silent try is: a call that the stream broke in is something to tell the model
/// of, and so an answer.
fn after_all(mut error: ModelError) -> Result<ModelResponse, ModelError> {
    let broken = error.class == ErrorClass::Dropped
        && error.partial.as_ref().is_some_and(|partial| partial.finish == Finish::BrokenCall);
    match error.partial.take_if(|_| broken) {
        Some(partial) => Ok(*partial),
        None => Err(error),
    }
}

impl Model for ModelClient {
    fn name(&self) -> &str {
        &self.endpoint.model
    }

    fn provider(&self) -> &str {
        &self.endpoint.provider
    }

    fn sees_images(&self) -> bool {
        let told = self.endpoint.sees_images;
        let known = || metadata::sees_images(&self.endpoint.model);
        told.unwrap_or_else(known) && !self.memory().adaptations.no_images
    }

    fn adapt(&self, error: &ModelError) -> Option<String> {
        self.memory().adaptations.learn(error)
    }

    fn has_given_up(&self) -> bool {
        self.stale_streams.load(Ordering::Relaxed) >= self.options.timeouts.stale_giveup
    }

    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        listener: &'a mut DeltaListener<'_>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(self.ask(request, listener, cancel))
    }
}
