//! One call over HTTP.
//!
//! The call runs as a task of its own. Who answers the request holds a guard over it: when the client
//! goes away, the server drops the answer, the guard cancels the call, and the task brings it to its
//! end, hooks and all.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use hermes_runtime::{CallOutcome, ToolCall};
use hermes_tool::{CallIds, ContextParts, Progress, Tool, ToolOutput};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::api::Api;
use crate::problem::ApiProblem;

/// Notes on progress that wait for a slow reader; those beyond are dropped.
const WAITING_NOTES: usize = 256;
/// The session of calls that name none.
const USUAL_SESSION: &str = "http";
/// Longest name of a session.
const MAX_SESSION_CHARS: usize = 64;
/// A sign of life on a silent stream, so that nothing in between gives up on it.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// How a call is wanted.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallQuery {
    /// Seconds until the call is ended.
    pub(crate) timeout: Option<f64>,
    /// Calls of one session share a terminal: its directory, its variables, its processes.
    pub(crate) session: Option<String>,
}

/// A call as it was asked for.
pub(crate) struct CallRequest {
    pub(crate) tool: Tool,
    pub(crate) args: Map<String, Value>,
    pub(crate) query: CallQuery,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Called {
    /// The tool that answered.
    pub tool: String,
    /// `ok`, `error`, `blocked`, `cancelled` or `timeout`.
    pub status: &'static str,
    /// What it answered: the JSON it wrote, or its text.
    pub result: Value,
    /// How long it took.
    pub duration_ms: u64,
    /// Where the whole result is, if it was too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spilled_to: Option<String>,
}

impl From<CallOutcome> for Called {
    fn from(outcome: CallOutcome) -> Self {
        let status = outcome.verdict().status.name();
        let result = match outcome.output {
            ToolOutput::Text(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            other => other.to_value(),
        };
        Self {
            tool: outcome.tool,
            status,
            result,
            duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
            spilled_to: outcome.spilled_to,
        }
    }
}

/// A call that is running.
struct Running {
    task: JoinHandle<CallOutcome>,
    notes: mpsc::Receiver<Progress>,
    _cancels: DropGuard,
}

fn start(api: &Api, wanted: CallRequest) -> Result<Running, ApiProblem> {
    let shared = &api.shared;
    let session = wanted.query.session.unwrap_or_else(|| USUAL_SESSION.to_owned());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if session.is_empty() || session.len() > MAX_SESSION_CHARS || !session.chars().all(is_plain) {
        return Err(bad_query(format!(
            "A session is named by at most {MAX_SESSION_CHARS} letters, digits, `-`, `_` and `.`"
        )));
    }
    let time_limit = match wanted.query.timeout {
        None => None,
        Some(seconds) => match Duration::try_from_secs_f64(seconds) {
            Ok(limit) if limit > Duration::ZERO => Some(limit),
            _ => return Err(bad_query(format!("{seconds} is not a number of seconds"))),
        },
    };
    shared.sessions.enter(&session)?;
    let services = (shared.services)(&session);
    let cancellation = CancellationToken::new();
    let (sink, notes) = mpsc::channel(WAITING_NOTES);
    let context = ContextParts {
        ids: CallIds { task_id: session.clone(), session_id: session, ..CallIds::default() },
        cwd: shared.cwd.clone(),
        cancellation: cancellation.clone(),
        progress: Some(Arc::new(move |note| drop(sink.try_send(note)))),
        services,
        ..ContextParts::default()
    };
    let call = ToolCall {
        context,
        time_limit,
        scope: shared.tools.scope().clone(),
        ..ToolCall::new(wanted.tool.name().to_string(), Value::Object(wanted.args))
    };
    let runtime = shared.runtime.clone();
    let task = tokio::spawn(async move { runtime.call(call).await });
    Ok(Running { task, notes, _cancels: cancellation.drop_guard() })
}

fn bad_query(message: String) -> ApiProblem {
    ApiProblem::new(
        StatusCode::BAD_REQUEST,
        "bad_query",
        message,
        "Known are `timeout` (seconds) and `session` (a name)",
    )
}

fn broken() -> ApiProblem {
    ApiProblem::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "call_broken",
        "The call broke before it had a result",
        "Look at the server's log",
    )
}

/// Makes a call and waits for its result.
pub(crate) async fn to_the_end(api: &Api, wanted: CallRequest) -> Result<Called, ApiProblem> {
    let mut running = start(api, wanted)?;
    let outcome = (&mut running.task).await.map_err(|_| broken())?;
    Ok(outcome.into())
}

/// Makes a call and tells how it goes.
pub(crate) fn as_events(
    api: &Api,
    wanted: CallRequest,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + use<>>, ApiProblem> {
    let running = start(api, wanted)?;
    let events = futures_util::stream::unfold(Some(running), |running| async {
        let mut running = running?;
        let (name, data, rest) = tokio::select! {
            biased;
            Some(note) = running.notes.recv() => {
                ("progress", json!({"message": note.message, "fraction": note.fraction}), Some(running))
            }
            ended = &mut running.task => match ended {
                Ok(outcome) => ("result", json!(Called::from(outcome)), None),
                Err(_) => ("error", json!({"error": broken()}), None),
            },
        };
        Some((Ok(Event::default().event(name).data(data.to_string())), rest))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}
