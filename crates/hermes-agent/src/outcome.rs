//! How a turn ended.

use hermes_llm::{ErrorClass, TokenUsage};
use serde::Serialize;

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// The model answered.
    TextResponse,
    /// The budget was used up; the answer is a summary of where things stand.
    MaxIterationsReached,
    /// The person stopped it.
    Interrupted,
    /// The model called tools that do not exist, three times in a row.
    InvalidToolCalls,
    /// The answer was cut off and could not be completed.
    Truncated,
    /// The model said nothing.
    EmptyResponse,
    /// The model refused.
    Refusal,
    /// The provider failed.
    ApiError(ErrorClass),
    /// A guardrail ended it.
    GuardrailHalt,
}

impl ExitReason {
    /// The word for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TextResponse => "text_response",
            Self::MaxIterationsReached => "max_iterations_reached",
            Self::Interrupted => "interrupted",
            Self::InvalidToolCalls => "invalid_tool_calls",
            Self::Truncated => "truncated",
            Self::EmptyResponse => "empty_response",
            Self::Refusal => "refusal",
            Self::ApiError(_) => "api_error",
            Self::GuardrailHalt => "guardrail_halt",
        }
    }

    /// Whether the task was carried through.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self == Self::TextResponse
    }

    /// Whether there is no answer to speak of.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Refusal | Self::ApiError(_) | Self::EmptyResponse)
    }

    /// Whether there is an answer, but not the whole of it.
    #[must_use]
    pub fn is_partial(self) -> bool {
        matches!(
            self,
            Self::InvalidToolCalls
                | Self::Truncated
                | Self::GuardrailHalt
                | Self::MaxIterationsReached
        )
    }
}

/// What a turn came to.
#[derive(Clone, Debug)]
pub struct TurnResult {
    /// The answer, or what is to be said instead of one.
    pub final_response: String,
    /// Why it ended.
    pub exit: ExitReason,
    /// How often the model was asked.
    pub api_calls: u32,
    /// What all of it cost.
    pub usage: TokenUsage,
    /// The cost in dollars, where prices are known.
    pub cost_usd: Option<f64>,
    /// The model that answered last.
    pub model: String,
    /// Who served that model.
    pub provider: String,
    /// The conversation.
    pub session_id: String,
    /// What went wrong, one line.
    pub error: Option<String>,
    /// What to do about it, one line.
    pub advice: Option<String>,
    /// A steering text that found no place; it should become the next message.
    pub pending_steer: Option<String>,
}

/// The target of the log lines about turns. They are for log files: a person at a terminal is told of turns otherwise.
pub const TURN_LOG: &str = "hermes_agent::turns";

impl TurnResult {
    /// Writes a line about it: what it cost and how it ended, not what was said.
    pub(crate) fn log(&self) {
        let Self { session_id: session, model, provider, api_calls: calls, exit, error, .. } = self;
        let (exit, usage) = (exit.name(), &self.usage);
        let (input, output) = (usage.prompt_tokens(), usage.output_tokens);
        match error {
            Some(error) => tracing::warn!(
                target: TURN_LOG, session, model, provider, calls, input, output, exit, error, "turn"
            ),
            None => tracing::info!(
                target: TURN_LOG, session, model, provider, calls, input, output, exit, "turn"
            ),
        }
    }
}

/// The same for programs.
#[derive(Debug, Serialize)]
pub struct TurnReport<'a> {
    final_response: &'a str,
    completed: bool,
    failed: bool,
    partial: bool,
    interrupted: bool,
    turn_exit_reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_class: Option<ErrorClass>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    api_calls: u32,
    #[serde(flatten)]
    usage: TokenUsage,
    estimated_cost_usd: Option<f64>,
    session_id: &'a str,
    model: &'a str,
    provider: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_steer: Option<&'a str>,
}

impl TurnResult {
    /// The result for programs.
    #[must_use]
    pub fn report(&self) -> TurnReport<'_> {
        TurnReport {
            final_response: &self.final_response,
            completed: self.exit.is_complete(),
            failed: self.exit.is_failure(),
            partial: self.exit.is_partial(),
            interrupted: self.exit == ExitReason::Interrupted,
            turn_exit_reason: self.exit.name(),
            error_class: match self.exit {
                ExitReason::ApiError(class) => Some(class),
                _ => None,
            },
            error: self.error.as_deref(),
            api_calls: self.api_calls,
            usage: self.usage,
            estimated_cost_usd: self.cost_usd,
            session_id: &self.session_id,
            model: &self.model,
            provider: &self.provider,
            pending_steer: self.pending_steer.as_deref(),
        }
    }
}
