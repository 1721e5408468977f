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

/// What a request that had leave came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestEnd {
    /// Whether the server said anything, an error included.
    pub is_answered: bool,
    /// What it used, if it was an answer.
    pub usage: Option<TokenUsage>,
    /// What that costs, where the price is known.
    pub usd: Option<f64>,
}

impl RequestEnd {
    /// Tokens sent and received.
    #[must_use]
    pub fn tokens(&self) -> Option<[u64; 2]> {
        self.usage.map(|usage| [usage.prompt_tokens(), usage.output_tokens])
    }
}

/// Gives requests leave to go, and hears what they came to.
pub trait Permits: Send + Sync {
    /// Waits for leave; none if it was cancelled before.
    fn take<'a>(&'a self, cancel: &'a CancellationToken) -> BoxFuture<'a, Option<Permit>>;

    /// The request has ended.
    fn give_back(&self, ticket: u64, end: &RequestEnd);

    /// The server could not be reached, in these words.
    fn unreachable(&self, why: &str);

    /// The provider said "too many", and perhaps how long to wait.
    fn slow_down(&self, retry_after: Option<Duration>);
}
