//! The question and the answer of one tool call.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hermes_tool::{ContextParts, ToolError, ToolOutput};
use serde_json::{Map, Value};

use crate::definitions::ToolScope;
use crate::error_text::sanitise;
use crate::limits::ResultLimits;

/// One call, as any entry point makes it.
#[derive(Clone, Default)]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments; anything but an object counts as no arguments.
    pub args: Value,
    /// Identifiers, working directory, cancellation, progress and services for the handler.
    pub context: ContextParts,
    /// The toolsets of the session, which bound what the tool-search bridges reach.
    pub scope: ToolScope,
    /// When set, tools outside it are refused before any hook runs.
    pub allowed: Option<Arc<BTreeSet<String>>>,
    /// How long the handler may take.
    pub time_limit: Option<Duration>,
    /// Limits on the result where the session's model calls for others than the configured ones.
    pub limits: Option<Arc<ResultLimits>>,
    /// Middleware entries of an earlier stage.
    pub trace: Vec<Value>,
}

impl ToolCall {
    /// A call with nothing but a name and arguments; set other fields as needed.
    pub fn new(name: impl Into<String>, args: Value) -> Self {
        Self { name: name.into(), args, ..Self::default() }
    }
}

impl std::fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolCall")
            .field("name", &self.name)
            .field("args", &self.args)
            .field("ids", &self.context.ids)
            .finish_non_exhaustive()
    }
}

/// How a call ended, as hooks and exit codes see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// With a result.
    Ok,
    /// With an error of the tool.
    Error,
    /// A rule kept it from running.
    Blocked,
    /// The caller no longer wanted it.
    Cancelled,
    /// It took too long.
    Timeout,
}

impl Status {
    /// The word in payloads and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::Timeout => "timeout",
        }
    }
}

/// A verdict on a result: status, kind and text of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How it ended.
    pub status: Status,
    /// The sort of error, as a fixed word.
    pub error_type: Option<&'static str>,
    /// The text of the error.
    pub message: Option<String>,
}

impl Verdict {
    const OK: Self = Self { status: Status::Ok, error_type: None, message: None };

    /// Reads a result: an object whose `error` is neither null nor empty is an error.
    #[must_use]
    pub fn of(output: &ToolOutput) -> Self {
        let ToolOutput::Text(text) = output else { return Self::OK };
        // Parsing a large result just to find no error in it would cost more than the call did.
        if !text.trim_start().starts_with('{') || !text.contains("\"error\"") {
            return Self::OK;
        }
        let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else {
            return Self::OK;
        };
        let message = match object.get("error") {
            None | Some(Value::Null | Value::Bool(false)) => return Self::OK,
            Some(Value::String(text)) if text.is_empty() => return Self::OK,
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        Self { status: Status::Error, error_type: Some("tool_error"), message: Some(message) }
    }
}

/// What came out of the handler, or of whatever stood in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatched {
    /// The result.
    pub output: ToolOutput,
    /// How it ended where that is known without reading the result.
    pub verdict: Option<Verdict>,
}

impl Dispatched {
    /// A result whose content says how it ended.
    #[must_use]
    pub fn output(output: ToolOutput) -> Self {
        Self { output, verdict: None }
    }

    /// An error result `{"error": …}`, word for word.
    pub fn error(message: impl Into<String>) -> Self {
        Self::ended(Status::Error, "tool_error", message.into(), Map::new())
    }

    /// The answer to a handler that failed.
    #[must_use]
    pub fn failed(error: &ToolError) -> Self {
        let message = match error.kind() {
            None => error.message().to_owned(),
            Some(kind) => sanitise(&format!("Tool execution failed: {kind}: {}", error.message())),
        };
        Self::ended(Status::Error, "tool_error", message, error.extras().clone())
    }

    pub(crate) fn ended(
        status: Status,
        error_type: &'static str,
        message: String,
        extras: Map<String, Value>,
    ) -> Self {
        let mut answer = Map::new();
        answer.insert("error".into(), message.as_str().into());
        answer.extend(extras);
        Self {
            output: ToolOutput::Text(Value::Object(answer).to_string()),
            verdict: Some(Verdict { status, error_type: Some(error_type), message: Some(message) }),
        }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.verdict.clone().unwrap_or_else(|| Verdict::of(&self.output))
    }
}

/// What a call may have done to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// It ran to its end.
    Done,
    /// It never started.
    None,
    /// It was left behind; nobody knows.
    Unknown,
}

/// Whether the turn may go on after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnState {
    /// It may.
    GoesOn,
    /// A guardrail wants it ended, in good order.
    ShouldEnd,
}

/// The answer of one call.
#[derive(Clone, Debug)]
pub struct CallOutcome {
    /// The model's id of the call; empty where no model asked.
    pub tool_call_id: String,
    /// The tool that answered; for a bridged call the real one.
    pub tool: String,
    /// What the model gets.
    pub output: ToolOutput,
    /// How long the handler and what stands around it took.
    pub duration: Duration,
    /// What request middleware did to the arguments.
    pub trace: Vec<Value>,
    /// Where a result too long for the model was saved.
    pub spilled_to: Option<String>,
    /// What the call may have done.
    pub disposition: Disposition,
    /// Whether a guardrail wants the turn ended.
    pub state: TurnState,
    pub(crate) verdict: Option<Verdict>,
}

impl CallOutcome {
    /// The outcome of a call that has no result of its own.
    pub(crate) fn ended(
        tool: String,
        status: Status,
        error_type: &'static str,
        message: String,
        extras: Map<String, Value>,
    ) -> Self {
        Self::of(tool, Dispatched::ended(status, error_type, message, extras))
    }

    /// The outcome of a call that a guardrail kept from running.
    pub(crate) fn stopped_by_guardrail(tool: &str, block: &crate::guardrails::Block) -> Self {
        let verdict = Verdict {
            status: Status::Blocked,
            error_type: Some("guardrail_block"),
            message: Some(block.message()),
        };
        let output = ToolOutput::Text(block.to_result());
        Self::of(tool.to_owned(), Dispatched { output, verdict: Some(verdict) })
    }

    /// An outcome that took no time.
    pub(crate) fn of(tool: String, result: Dispatched) -> Self {
        Self {
            tool_call_id: String::new(),
            tool,
            output: result.output,
            duration: Duration::ZERO,
            trace: Vec::new(),
            spilled_to: None,
            disposition: Disposition::Done,
            state: TurnState::GoesOn,
            verdict: result.verdict,
        }
    }

    /// How the call ended.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict.clone().unwrap_or_else(|| Verdict::of(&self.output))
    }

    /// The result as text: always well-formed, whatever happened.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.output {
            ToolOutput::Text(text) => text.clone(),
            other => other.to_value().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_of(text: &str) -> Status {
        Verdict::of(&ToolOutput::text(text)).status
    }

    #[test]
    fn only_a_truthy_error_is_an_error() {
        assert_eq!(status_of(r#"{"error":"no"}"#), Status::Error);
        for fine in [r#"{"error":null}"#, r#"{"error":""}"#, r#"{"a":"\"error\""}"#, "error", "[]"]
        {
            assert_eq!(status_of(fine), Status::Ok, "{fine}");
        }
    }

    #[test]
    fn failures_carry_their_kind_and_answers_do_not() {
        let failed = Dispatched::failed(&ToolError::failure("NotFound", "gone"));
        assert_eq!(
            failed.output,
            ToolOutput::text(r#"{"error":"[TOOL_ERROR] Tool execution failed: NotFound: gone"}"#)
        );
        let answered = Dispatched::failed(&ToolError::answer("no").with("hint", "try"));
        assert_eq!(answered.output, ToolOutput::text(r#"{"error":"no","hint":"try"}"#));
    }
}
