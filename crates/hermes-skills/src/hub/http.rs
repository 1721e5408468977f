//! Requests to registries: statuses, limits of others, answers kept for a while.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hermes_web::{FetchLimits, FetchRequest, Fetched, HttpDoor, StatusCode};
use serde_json::Value;

use super::bundle::MAX_FILE_BYTES;
use super::error::HubError;
use super::state::HubState;
use super::state::cache::{self, Freshness};

/// Longest list of skills that is read.
pub const MAX_CATALOGUE_BYTES: usize = 64 << 20;
/// How often a server that asks for patience is asked.
const TRIES: usize = 3;

/// How long we wait for a server that limits us, and what else a person could do.
#[derive(Clone, Copy, Debug)]
pub struct RateLimitWait {
    /// No single wait is longer.
    pub most: Duration,
    /// How to be allowed more.
    pub advice: &'static str,
}

impl RateLimitWait {
    /// For registries that say nothing about limits.
    pub const USUAL: Self = Self { most: Duration::from_secs(15), advice: "try again later" };
}

/// The hub's way to the network.
#[derive(Clone)]
pub struct HubHttp {
    door: HttpDoor,
    state: HubState,
}

impl HubHttp {
    /// Requests go through this door, answers are kept in this state.
    #[must_use]
    pub fn new(door: HttpDoor, state: &HubState) -> Self {
        Self { door, state: state.clone() }
    }

    /// A request whose answer must be a success. Waits where the server asks for it, within patience.
    ///
    /// # Errors
    /// Refused, unreachable, limited, or answered with an error.
    pub async fn send(
        &self,
        service: &str,
        request: FetchRequest,
        patience: RateLimitWait,
    ) -> Result<Fetched, HubError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let answer = self.door.fetch(request.clone()).await?;
            if answer.status.is_success() {
                return Ok(answer);
            }
            let Some(wait) = limited(&answer) else {
                return Err(HubError::Status {
                    service: service.to_owned(),
                    status: answer.status.as_u16(),
                    what: answer.url.to_string(),
                });
            };
            match wait {
                Some(wait) if tries < TRIES && wait <= patience.most => {
                    tokio::time::sleep(wait).await;
                }
                wait => {
                    let advice = patience.advice;
                    return Err(HubError::RateLimited {
                        service: service.to_owned(),
                        wait,
                        advice,
                    });
                }
            }
        }
    }

    /// A plain `GET` of a file.
    ///
    /// # Errors
    /// As [`HubHttp::send`].
    pub async fn get(&self, service: &str, url: &str) -> Result<Fetched, HubError> {
        self.send(service, FetchRequest::get(url), RateLimitWait::USUAL).await
    }

    /// A `GET` of JSON.
    ///
    /// # Errors
    /// As [`HubHttp::send`], or the answer is no JSON.
    pub async fn json(&self, service: &str, url: &str) -> Result<Value, HubError> {
        parse(service, &self.get(service, url).await?.body)
    }

    /// A list of a registry: from the cache while it counts, else asked for; an old copy when nobody answers.
    ///
    /// # Errors
    /// There is no answer and no copy.
    pub async fn catalogue(
        &self,
        service: &str,
        url: &str,
        key: &str,
        kept: Duration,
    ) -> Result<Value, HubError> {
        let copy = cache::get(&self.state, key, kept);
        if let Some((bytes, Freshness::Fresh)) = &copy
            && let Ok(value) = parse(service, bytes)
        {
            return Ok(value);
        }
        let limits = FetchLimits { bytes: MAX_CATALOGUE_BYTES, ..FetchLimits::default() };
        let request = FetchRequest::get(url).limits(limits);
        let fetched = match self.send(service, request, RateLimitWait::USUAL).await {
            Ok(answer) => parse(service, &answer.body).map(|value| (value, answer.body)),
            Err(error) => Err(error),
        };
        match (fetched, copy) {
            (Ok((value, body)), _) => {
                cache::put(&self.state, key, &body);
                Ok(value)
            }
            (Err(error), Some((bytes, _))) if !error.is_block() => parse(service, &bytes),
            (Err(error), _) => Err(error),
        }
    }
}

/// Reads an answer as JSON.
pub(crate) fn parse(service: &str, body: &[u8]) -> Result<Value, HubError> {
    serde_json::from_slice(body).map_err(|error| HubError::Answer {
        service: service.to_owned(),
        why: format!("no JSON: {error}"),
    })
}

/// Limits for one file of a bundle.
#[must_use]
pub fn file_limits() -> FetchLimits {
    FetchLimits { bytes: MAX_FILE_BYTES, ..FetchLimits::default() }
}

/// Whether an answer is a limit, and how long it lasts.
fn limited(answer: &Fetched) -> Option<Option<Duration>> {
    let used_up = answer.header("x-ratelimit-remaining") == Some("0");
    let asked_to_wait = answer.header("retry-after").is_some();
    let limited = match answer.status {
        StatusCode::TOO_MANY_REQUESTS => true,
        StatusCode::FORBIDDEN => used_up || asked_to_wait,
        StatusCode::SERVICE_UNAVAILABLE => asked_to_wait,
        _ => false,
    };
    if !limited {
        return None;
    }
    let seconds = |name| answer.header(name).and_then(|text| text.trim().parse::<u64>().ok());
    let until = |reset: u64| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        reset.saturating_sub(now)
    };
    let wait = seconds("retry-after").or_else(|| seconds("x-ratelimit-reset").map(until));
    Some(wait.map(Duration::from_secs))
}
