//! What servers may ask of us, and who answers.
//!
//! A server can ask for a model's answer (*sampling*) or for something from a person
//! (*elicitation*) while it works on one of our calls. The connection itself can answer neither: it
//! hands the request, as the JSON that came over the wire, to the [`Answers`] the host has brought.
//! [`NoAnswers`] offers nothing, so servers are told from the start not to ask.

use std::fmt;
use std::sync::Arc;

use hermes_tool::{BoxFuture, ToolContext};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::settings::ServerSettings;

/// A request of a server.
#[derive(Clone)]
pub struct Asked {
    /// Who asks.
    pub server: Arc<ServerSettings>,
    /// The request's `params`, as sent.
    pub params: Value,
    /// The call of ours the server is working on, if there is one: the latest, when several are
    /// open. Its context says which session the request belongs to.
    pub call: Option<ToolContext>,
    /// Cancelled when the server no longer wants the answer, or is gone.
    pub cancellation: CancellationToken,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("server", &self.server.name).finish_non_exhaustive()
    }
}

/// A refusal or failure, sent to the server as a JSON-RPC error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The JSON-RPC error code.
    pub code: i32,
    /// What the server is told; already free of secrets.
    pub message: String,
}

/// Which kinds of requests can be answered; servers are told at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CanAnswer {
    /// A model is there.
    pub sampling: bool,
    /// A person can fill in a form.
    pub forms: bool,
    /// A person can be sent to an address.
    pub urls: bool,
}

/// What sampling has cost so far, per server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplingCounters {
    /// Requests made.
    pub requests: u64,
    /// Requests that failed or were refused.
    pub errors: u64,
    /// Tokens used, in and out.
    pub tokens_used: u64,
    /// Answers that called tools.
    pub tool_use_count: u64,
}

/// Answers the requests of servers. Called from async code; must not block.
pub trait Answers: Send + Sync {
    /// What this server may count on.
    fn can_answer(&self, server: &ServerSettings) -> CanAnswer;

    /// Answers `sampling/createMessage` with the `result` to send.
    fn sampling(&self, asked: Asked) -> BoxFuture<Result<Value, Refusal>>;

    /// Answers `elicitation/create` with the `result` to send.
    fn elicitation(&self, asked: Asked) -> BoxFuture<Result<Value, Refusal>>;

    /// What sampling has cost for a server.
    fn sampling_counters(&self, server: &str) -> SamplingCounters;
}

/// Nobody is there to answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAnswers;

/// JSON-RPC: the method is not known here.
pub const METHOD_NOT_FOUND: i32 = -32601;

impl Answers for NoAnswers {
    fn can_answer(&self, _server: &ServerSettings) -> CanAnswer {
        CanAnswer::default()
    }

    fn sampling(&self, _asked: Asked) -> BoxFuture<Result<Value, Refusal>> {
        let message = "sampling is not offered by this client".to_owned();
        Box::pin(async { Err(Refusal { code: METHOD_NOT_FOUND, message }) })
    }

    fn elicitation(&self, _asked: Asked) -> BoxFuture<Result<Value, Refusal>> {
        Box::pin(async { Ok(serde_json::json!({"action": "decline"})) })
    }

    fn sampling_counters(&self, _server: &str) -> SamplingCounters {
        SamplingCounters::default()
    }
}
