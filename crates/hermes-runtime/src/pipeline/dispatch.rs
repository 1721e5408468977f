//! From a tool and its arguments to a result: the innermost step of the pipeline.
//!
//! Whatever the handler does — return, fail, panic, hang — the caller gets a [`Dispatched`]. A sync
//! handler never blocks an async worker. A handler that does not come back in time is told to stop
//! through its context and left behind; the caller does not wait for it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use hermes_tool::{
    Args, Effect, Effects, Handler, Tool, ToolContext, ToolError, ToolOutput, ToolResult,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::bridge::{BRIDGE_LIMIT, block_on, shared_runtime};
use crate::call::{Dispatched, Status};
use crate::runtime::Runtime;

/// How long a tool that runs programs may take to end them when its call is cancelled.
const WIND_UP: Duration = Duration::from_secs(2);

/// On which sort of thread the caller waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// On an async worker, which must not be blocked.
    Async,
    /// On a thread of its own, which may run a sync handler itself.
    Blocking,
}

/// How a handler is run.
pub(crate) struct Attempt {
    pub(crate) cx: ToolContext,
    pub(crate) lane: Lane,
    pub(crate) time_limit: Option<Duration>,
}

/// Runs the handler and turns every way it can end into a result.
pub(crate) async fn dispatch(tool: &Tool, args: Args, attempt: Attempt) -> Dispatched {
    let Attempt { cx, lane, time_limit } = attempt;
    let cancellation = cx.cancellation().clone();
    let running = start(tool, args, cx, lane, time_limit);
    let limit = async {
        match time_limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    let result = if time_limit.is_none() && lane == Lane::Blocking {
        running.await
    } else {
        let mut running = std::pin::pin!(running);
        tokio::select! {
            biased;
            // It may have heard of the end before we did, and told what it had by then.
            result = &mut running => if cancellation.is_cancelled() && runs_programs(tool) {
                return wound_up(tool, std::future::ready(result)).await;
            } else {
                result
            },
            () = cancellation.cancelled() => return wound_up(tool, running).await,
            () = limit => {
                return timed_out(tool.name(), time_limit.unwrap_or_default(), &cancellation);
            }
        }
    };
    settled(tool.name(), result)
}

impl Runtime {
    /// The innermost step alone: looks the tool up and runs its handler behind the panic barrier.
    /// No coercion, hooks, approval, deadline or limits — whatever faces a model or a user goes
    /// through [`Runtime::call`]; this is for hosts that stand inside it already.
    #[must_use]
    pub fn dispatch_blocking(&self, name: &str, args: Args, cx: &ToolContext) -> Dispatched {
        self.registry().with(name, |tool| {
            let Some(tool) = tool else {
                return Dispatched::error(format!("Unknown tool: {name}"));
            };
            if let Handler::Sync(run) = tool.handler() {
                return settled(tool.name(), catch_unwind(AssertUnwindSafe(|| run(args, cx))));
            }
            let (tool, cx) = (tool.clone(), cx.clone());
            let attempt = Attempt { cx, lane: Lane::Blocking, time_limit: None };
            block_on(async move { dispatch(&tool, args, attempt).await }).unwrap_or_else(|| {
                Dispatched::ended(
                    Status::Timeout,
                    "tool_timeout",
                    timeout_text(name, BRIDGE_LIMIT),
                    Map::new(),
                )
            })
        })
    }
}

/// Every way a handler can end, as a result.
fn settled(name: &str, result: Caught) -> Dispatched {
    match result {
        Ok(Ok(output)) => accept(name, output),
        Ok(Err(error)) => Dispatched::failed(&error),
        Err(panic) => Dispatched::failed(&ToolError::failure("Panic", panic_text(&*panic))),
    }
}

type Caught = Result<ToolResult, Box<dyn Any + Send>>;

async fn start(
    tool: &Tool,
    args: Args,
    cx: ToolContext,
    lane: Lane,
    time_limit: Option<Duration>,
) -> Caught {
    match tool.handler() {
        Handler::Sync(run) if lane == Lane::Blocking && time_limit.is_none() => {
            catch_unwind(AssertUnwindSafe(|| run(args, &cx)))
        }
        Handler::Sync(run) => {
            let run = Arc::clone(run);
            let task = shared_runtime()
                .spawn_blocking(move || catch_unwind(AssertUnwindSafe(|| run(args, &cx))));
            task.await.unwrap_or_else(|gone| Err(Box::new(gone.to_string())))
        }
        // On the caller's own task when nobody measures its time; otherwise apart, so that even a
        // future that never yields cannot keep the caller.
        Handler::Async(run) if time_limit.is_none() => {
            AssertUnwindSafe(async { run(args, cx).await }).catch_unwind().await
        }
        Handler::Async(run) => {
            let future = AssertUnwindSafe({
                let run = Arc::clone(run);
                async move { run(args, cx).await }
            })
            .catch_unwind();
            let task = AbortOnDropHandle::new(shared_runtime().spawn(future));
            task.await.unwrap_or_else(|gone| Err(Box::new(gone.to_string())))
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the tool panicked".to_owned())
}

/// What runs programs has a moment to end them and to tell what they wrote up to then; nobody waits
/// for anything else that was cancelled.
async fn wound_up(tool: &Tool, running: impl Future<Output = Caught>) -> Dispatched {
    let nothing = cancelled(tool.name());
    if !runs_programs(tool) {
        return nothing;
    }
    match tokio::time::timeout(WIND_UP, running).await {
        Ok(Ok(Ok(output))) => {
            Dispatched { output: accept(tool.name(), output).output, verdict: nothing.verdict }
        }
        Ok(_) | Err(_) => nothing,
    }
}

/// A tool that says nothing about its effects has not said that it runs any.
fn runs_programs(tool: &Tool) -> bool {
    tool.effects() != Effects::UNKNOWN && tool.effects().has(Effect::Runs)
}

fn cancelled(name: &str) -> Dispatched {
    Dispatched::ended(
        Status::Cancelled,
        "keyboard_interrupt",
        format!("Tool '{name}' was cancelled"),
        Map::new(),
    )
}

fn timed_out(name: &str, limit: Duration, cancellation: &CancellationToken) -> Dispatched {
    cancellation.cancel();
    Dispatched::ended(Status::Timeout, "tool_timeout", timeout_text(name, limit), Map::new())
}

/// The text a timed-out call answers with.
pub(crate) fn timeout_text(name: &str, limit: Duration) -> String {
    let seconds = limit.as_secs_f64();
    format!("Error executing tool '{name}': timed out after {seconds}s")
}

/// Holds foreign results to the contract: text or a multimodal envelope.
fn accept(name: &str, output: ToolOutput) -> Dispatched {
    let ToolOutput::Foreign(value) = output else { return Dispatched::output(output) };
    let result_type = match value {
        Value::String(text) => return Dispatched::output(ToolOutput::Text(text)),
        Value::Object(mut envelope)
            if envelope.get("_multimodal") == Some(&Value::Bool(true))
                && envelope.get("content").is_some_and(Value::is_array) =>
        {
            let content = match envelope.shift_remove("content") {
                Some(Value::Array(content)) => content,
                _ => Vec::new(),
            };
            let text_summary = envelope
                .shift_remove("text_summary")
                .and_then(|text| text.as_str().map(str::to_owned));
            return Dispatched::output(ToolOutput::Multimodal { content, text_summary });
        }
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
    };
    let mut extras = Map::new();
    extras.insert("error_type".into(), "tool_result_contract".into());
    extras.insert("tool".into(), name.into());
    extras.insert("result_type".into(), json!(result_type));
    Dispatched::ended(
        Status::Error,
        "tool_error",
        format!("Tool '{name}' returned {result_type} where text or a multimodal result belongs"),
        extras,
    )
}
