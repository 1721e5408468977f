//! What a model is to its callers: something that answers a [`ModelRequest`].
//!
//! A [`Model`] makes one attempt and tells what happened. Trying again, waiting and going to another
//! provider are decisions of the caller, for which [`ErrorClass`] is the ground.

use std::sync::Arc;
use std::time::Duration;

use hermes_tool::settings::SettingWords;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::message::{Message, RequestedCall};

pub use futures_util::future::BoxFuture;

/// Everything of one call to a model.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// The standing instructions; the wires know where they go.
    pub system: Option<Arc<str>>,
    /// The conversation, without the instructions, well-formed: every call answered once.
    pub messages: Vec<Message>,
    /// The tools on offer, as chat-completions function definitions.
    pub tools: Arc<[Value]>,
    /// The most tokens of an answer; the provider's own limit if absent.
    pub max_tokens: Option<u32>,
    /// How much the model is to think.
    pub effort: Option<Effort>,
    /// How freely it chooses words.
    pub temperature: Option<f32>,
    /// Names the conversation to providers that route by it.
    pub session_id: Option<String>,
    /// Where the stable part of the conversation ends, for providers that cache.
    pub cache: CachePlan,
}

/// Whether a conversation goes on after this call, so that caching pays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CachePlan {
    /// A single question.
    #[default]
    Once,
    /// A conversation, kept for some minutes.
    Conversation,
    /// A conversation, kept for an hour.
    LongConversation,
}

/// How much a model is to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, SettingWords)]
#[expect(missing_docs, reason = "the words say it")]
pub enum Effort {
    #[setting(also("off"), bool = false)]
    None,
    Minimal,
    Low,
    Medium,
    High,
    #[setting(word = "xhigh")]
    XHigh,
    Max,
    Ultra,
}

impl Effort {
    /// All, from the least to the most.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::XHigh,
        Self::Max,
        Self::Ultra,
    ];

    /// The word in configuration and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.word()
    }

    /// The effort of a word, in any case; `off` and `false` mean none.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        if matches!(word.as_str(), "off" | "false" | "no") {
            return Some(Self::None);
        }
        Self::ALL.into_iter().find(|effort| effort.as_str() == word)
    }
}

/// A piece of an answer as it arrives.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More of the text.
    Text(String),
    /// More of the thinking.
    Reasoning(String),
    /// The model has begun to write a call of this tool.
    ToolCall(String),
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It was done.
    Stop,
    /// It wants tools called.
    ToolCalls,
    /// It reached its limit.
    Length,
    /// It, or its provider, refused.
    Refusal,
    /// It wants to be called again with what it has said so far.
    Paused,
    /// The stream ended inside a tool call, or a part of one could not be read; the call is dropped.
    BrokenCall,
    /// The connection broke in the middle of the text.
    ConnectionLost,
}

/// What a call cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct TokenUsage {
    /// Tokens of the request that were not cached.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// Tokens of the request that came from the cache.
    pub cache_read_tokens: u64,
    /// Tokens of the request that were put into the cache.
    pub cache_write_tokens: u64,
    /// Tokens of the answer that were thinking.
    pub reasoning_tokens: u64,
}

impl TokenUsage {
    /// Tokens of the whole request, cached or not: what fills the window.
    #[must_use]
    pub fn prompt_tokens(&self) -> u64 {
        self.input_tokens + self.cache_read_tokens + self.cache_write_tokens
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
    }
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelResponse {
    /// The text, as sent; may hold thinking tags.
    pub content: String,
    /// The thinking.
    pub reasoning: Option<String>,
    /// Signed thinking, to be returned unchanged.
    pub reasoning_details: Option<Value>,
    /// What it wants done before it goes on, in its order.
    pub tool_calls: Vec<RequestedCall>,
    /// Why it stopped.
    pub finish: Finish,
    /// Why it stopped, in the provider's words.
    pub finish_reason: Option<String>,
    /// The explanation of a refusal.
    pub refusal: Option<String>,
    /// What it cost, where the provider says so.
    pub usage: Option<TokenUsage>,
    /// The model that answered, where it says so.
    pub model: Option<String>,
    /// Pieces of the answer that could not be read and are missing in it.
    pub unreadable: u32,
}

/// What kind of failure it is, and so what may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it; docs/models.md has the table")]
pub enum ErrorClass {
    Auth,
    Billing,
    RateLimit,
    UpstreamRateLimit,
    Overloaded,
    ModelNotFound,
    Policy,
    Timeout,
    PayloadTooLarge,
    ContextOverflow,
    OutputCap,
    ThinkingSignature,
    SchemaGrammar,
    ImageRejected,
    FormatError,
    ServerError,
    ContentPolicy,
    Tls,
    /// Nothing listens at an address of this machine. Waiting does not start a server.
    NotRunning,
    /// The connection broke.
    Dropped,
    /// The answer has no choices, or cannot be read.
    InvalidResponse,
    /// The server cannot stream.
    StreamUnsupported,
    /// We were told to stop.
    Cancelled,
    Unknown,
}

/// A call that failed. Nothing in it is secret: keys are masked before it is made.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind.
    pub class: ErrorClass,
    /// What happened, one line, for people.
    pub message: String,
    /// What to do about it, one line, for people.
    pub advice: Option<String>,
    /// The status the server answered with.
    pub status: Option<u16>,
    /// How long the server asks us to wait.
    pub retry_after: Option<Duration>,
    /// The limit the server names: the window for an overflow, the cap for an output cap.
    pub limit: Option<u64>,
    /// What had arrived before it failed.
    pub partial: Option<Box<ModelResponse>>,
}

/// Hears an answer as it arrives.
pub type DeltaListener<'a> = dyn FnMut(Delta) + Send + 'a;

/// Something that answers requests.
pub trait Model: Send + Sync {
    /// The model's name, as its provider knows it.
    fn name(&self) -> &str;

    /// The provider's name.
    fn provider(&self) -> &str;

    /// Whether it looks at pictures, as far as is known. Who knows nothing of a model sends it none.
    fn sees_images(&self) -> bool {
        false
    }

    /// Learns from a failure what to do differently from now on. Says so, for people; `None` if there is
    /// nothing to be done, so that the same request would fail again.
    fn adapt(&self, _error: &ModelError) -> Option<String> {
        None
    }

    /// Whether so many answers in a row fell silent that waiting for another is not worth it.
    fn has_given_up(&self) -> bool {
        false
    }

    /// Makes one attempt. Ends within 0.3 s of a cancellation.
    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        listener: &'a mut DeltaListener<'_>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_are_read_in_any_case_and_off_is_none() {
        for effort in Effort::ALL {
            assert_eq!(Effort::parse(&effort.as_str().to_uppercase()), Some(effort));
        }
        assert_eq!(Effort::parse(" off "), Some(Effort::None));
        assert_eq!(Effort::parse("false"), Some(Effort::None));
        assert_eq!(Effort::parse("very much"), None);
        assert!(Effort::Low < Effort::Medium && Effort::Max < Effort::Ultra);
    }
}
