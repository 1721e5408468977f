//! A turn at work.

use std::sync::Arc;

use axum::http::StatusCode;
use hermes_agent::{Agent, ExitReason, TurnResult};
use hermes_llm::{Message, MessageContent};
use serde_json::{Value, json};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::asking::OpenForQuestions;
use crate::feed::Feed;
use crate::problem::Refusal;

/// A turn that runs as a task of its own. Whoever lets go of it ends it; the task brings it to an orderly end.
pub(crate) struct Turn {
    /// The session it takes place in.
    pub(crate) session: String,
    /// What happens in it.
    pub(crate) feed: Arc<Feed>,
    task: JoinHandle<Ended>,
    stop: CancellationToken,
    _ends: DropGuard,
}

/// What a turn is made of, and what it holds until its end.
pub(crate) struct TurnParts {
    pub(crate) agent: Agent,
    pub(crate) said: MessageContent,
    pub(crate) feed: Arc<Feed>,
    pub(crate) slot: OwnedSemaphorePermit,
    pub(crate) held: OwnedMutexGuard<()>,
    pub(crate) asked: Option<OpenForQuestions>,
}

/// What a turn came to.
pub(crate) struct Ended {
    pub(crate) result: TurnResult,
    /// The whole conversation, the turn included.
    pub(crate) history: Vec<Message>,
}

/// Tells the reader of a feed that nothing more comes, also when a turn broke.
struct EndsFeed(Arc<Feed>);

impl Drop for EndsFeed {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Turn {
    pub(crate) fn start(parts: TurnParts, session: String, stop: CancellationToken) -> Self {
        let TurnParts { mut agent, said, feed, slot, held, asked } = parts;
        let (told, ends) = (stop.clone(), EndsFeed(Arc::clone(&feed)));
        let task = tokio::spawn(async move {
            let result = agent.turn(said, &told).await;
            let history = agent.conversation().messages().to_vec();
            drop((asked, agent, held, slot, ends));
            Ended { result, history }
        });
        Self { session, feed, task, _ends: stop.clone().drop_guard(), stop }
    }

    /// Ends it soon.
    pub(crate) fn stopper(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Waits for its end.
    pub(crate) async fn end(&mut self) -> Result<Ended, Refusal> {
        (&mut self.task).await.map_err(|problem| {
            tracing::error!(%problem, "a turn broke");
            Refusal::broken("The turn broke; the log says where")
        })
    }
}

impl Ended {
    /// How this wire says why an answer ends where it does.
    pub(crate) fn finish_reason(&self) -> &'static str {
        match self.result.exit {
            ExitReason::MaxIterationsReached | ExitReason::Truncated => "length",
            _ => "stop",
        }
    }

    /// The refusal of a turn that has no answer at all.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.result.exit.is_failure().then(|| {
            let text =
                self.result.error.clone().unwrap_or_else(|| self.result.final_response.clone());
            let text = match &self.result.advice {
                Some(advice) => format!("{text}. {advice}"),
                None => text,
            };
            Refusal::new(StatusCode::BAD_GATEWAY, "agent_incomplete", text)
        })
    }

    /// What is particular to us, beside what the wire knows.
    pub(crate) fn about(&self, ignored: &[String]) -> Value {
        let exit = self.result.exit;
        json!({
            "completed": exit.is_complete(),
            "partial": exit.is_partial(),
            "failed": exit.is_failure(),
            "error": self.result.error,
            "exit_reason": exit.name(),
            "session_id": self.result.session_id,
            "ignored": ignored,
        })
    }

    /// Tokens, in the words of chat completions.
    pub(crate) fn chat_usage(&self) -> Value {
        let usage = &self.result.usage;
        json!({
            "prompt_tokens": usage.prompt_tokens(),
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.prompt_tokens() + usage.output_tokens,
        })
    }

    /// Tokens, in the words of responses and runs.
    pub(crate) fn usage(&self) -> Value {
        let usage = &self.result.usage;
        json!({
            "input_tokens": usage.prompt_tokens(),
            "input_tokens_details": {"cached_tokens": usage.cache_read_tokens},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.prompt_tokens() + usage.output_tokens,
        })
    }
}
