//! Who says when a request to the model may go: the limiter of this process, or that of the coordinator.

use std::time::Duration;

use hermes_llm::TokenUsage;
use hermes_llm::model::BoxFuture;
use tokio_util::sync::CancellationToken;

/// Leave for one request.
#[derive(Clone, Copy, Debug)]
pub struct Permit {
    /// Handed back when the request has ended.
    pub ticket: u64,
    /// How long it took to get.
    pub waited: Duration,
}

/// Gives requests leave to go, and hears what they came to.
pub trait Permits: Send + Sync {
    /// Waits for leave; none if it was cancelled before.
    fn take<'a>(&'a self, cancel: &'a CancellationToken) -> BoxFuture<'a, Option<Permit>>;

    /// The request has ended, with this usage and price if it was answered.
    fn give_back(&self, ticket: u64, usage: Option<&TokenUsage>, usd: Option<f64>);

    /// The provider said "too many", and perhaps how long to wait.
    fn slow_down(&self, retry_after: Option<Duration>);
}
