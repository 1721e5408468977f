//! One request on behalf of a caller: the breaker, the turn, the connection, and what a failure means.
//!
//! The rule that matters most is in [`ManagedServer::request`]: a request is sent again only when the first
//! one provably was not delivered, or when repeating it does no harm. Everything else that goes wrong
//! becomes an error that says what is known.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_runtime::bridge::shared_runtime;
use hermes_tool::{Args, ToolContext, ToolError, ToolResult};
use serde_json::{Value, json};
use tokio::sync::SemaphorePermit;
use tokio::time::timeout;

use super::{ManagedServer, Phase, lock};
use crate::client::connection::{Connection, RequestLimits};
use crate::client::failure::RequestFailure;
use crate::client::listing::Repeat;
use crate::client::render::Renderer;
use crate::names::NameKind;
use crate::safety::redact_error;

/// How many times the limit a request may take that shows signs of life.
const TOTAL: u32 = 3;

impl ManagedServer {
    /// Calls one of the server's tools.
    pub(crate) async fn call_tool(
        &self,
        raw: &str,
        args: Args,
        repeat: Repeat,
        cx: &ToolContext,
    ) -> ToolResult {
        let params = json!({"name": raw, "arguments": args});
        let result = self.request("tools/call", params, repeat, cx).await?;
        if is_text(&result) {
            return Renderer::default().tool_result(result);
        }
        let renderer = self.renderer();
        self.off_the_loop(move || renderer.tool_result(result)).await
    }

    pub(super) fn renderer(&self) -> Renderer {
        let (shared, name) = (&self.shared, &self.settings.name);
        let read_resource = shared.names.name_of(name, "read_resource", NameKind::Utility);
        Renderer { cache: shared.home.cache(), read_resource }
    }

    /// Writes files where that holds up nobody.
    pub(super) async fn off_the_loop(
        &self,
        work: impl FnOnce() -> ToolResult + Send + 'static,
    ) -> ToolResult {
        let done = shared_runtime().spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(ToolError::failure("Join", error.to_string())))
    }

    /// Sends a request for a caller and gives the server's result, or the error for the model.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: Value,
        repeat: Repeat,
        cx: &ToolContext,
    ) -> Result<Value, ToolError> {
        let pause = self.shared.pace.cool_down;
        if let Err(open) = lock(&self.breaker).ask(Instant::now(), pause) {
            return Err(ToolError::answer(format!(
                "MCP server '{}' is unreachable: {} calls in a row failed. It is left alone for \
                 another {} seconds. Do not retry now; use something else or tell the user.",
                self.settings.name,
                open.failures,
                open.left.as_secs().max(1),
            )));
        }
        let _turn = self.turn(cx).await?;
        let outcome = self.attempt(method, params, repeat, cx).await;
        *lock(&self.last_used) = Instant::now();
        match outcome {
            Ok(result) => {
                lock(&self.breaker).reached();
                Ok(result)
            }
            Err(failure) => {
                let mut breaker = lock(&self.breaker);
                match &failure {
                    Unanswered::Failed(
                        RequestFailure::Rpc { .. } | RequestFailure::TooLarge { .. },
                    ) => breaker.reached(),
                    Unanswered::Failed(RequestFailure::Cancelled) => {}
                    _ => breaker.failed(Instant::now(), pause),
                }
                drop(breaker);
                Err(self.error(&failure))
            }
        }
    }

    async fn attempt(
        &self,
        method: &str,
        params: Value,
        repeat: Repeat,
        cx: &ToolContext,
    ) -> Result<Value, Unanswered> {
        // Before looking for the connection: an idle one is not closed while a call is announced.
        let _open = self.lasting.calls.open(cx);
        let connection = self.connection(cx).await?;
        let failure = match self.send(&connection, method, &params, cx).await {
            Ok(result) => return Ok(result),
            Err(failure) => failure,
        };
        let may_repeat = match &failure {
            RequestFailure::NotDelivered(_) => true,
            RequestFailure::Lost(_) => repeat == Repeat::Harmless,
            _ => false,
        };
        if matches!(failure, RequestFailure::NotDelivered(_) | RequestFailure::Lost(_))
            && !connection.monitor.gone.is_cancelled()
        {
            // The connection looks alive, but is of no use.
            self.renew.notify_one();
        }
        if !may_repeat {
            return Err(Unanswered::Failed(failure));
        }
        tracing::info!(server = %self.settings.name, %method, %failure, "sent again after a reconnection");
        let next =
            self.next_connection(&connection, cx).await.ok_or(Unanswered::Failed(failure))?;
        self.send(&next, method, &params, cx).await.map_err(Unanswered::Failed)
    }

    async fn send(
        &self,
        connection: &Connection,
        method: &str,
        params: &Value,
        cx: &ToolContext,
    ) -> Result<Value, RequestFailure> {
        let limit = self.settings.timeout;
        let limits = RequestLimits { quiet: limit, total: limit.saturating_mul(TOTAL) };
        connection.request(method, params, limits, cx).await
    }

    /// Waits for our turn where one call at a time is allowed.
    async fn turn(&self, cx: &ToolContext) -> Result<Option<SemaphorePermit<'_>>, ToolError> {
        let Some(turns) = &self.turns else { return Ok(None) };
        if let Ok(turn) = turns.try_acquire() {
            return Ok(Some(turn));
        }
        tokio::select! {
            turn = turns.acquire() => Ok(turn.ok()),
            () = cx.cancellation().cancelled() => Err(interrupted()),
        }
    }

    /// The present connection, or the one that is being made.
    async fn connection(&self, cx: &ToolContext) -> Result<Arc<Connection>, Unanswered> {
        let wait = match &*self.phase.borrow() {
            Phase::Live(connection) if !connection.monitor.gone.is_cancelled() => {
                return Ok(Arc::clone(connection));
            }
            Phase::Recycled => self.shared.pace.restart,
            Phase::Stopped | Phase::Configured => return Err(Unanswered::Stopped),
            _ => self.shared.pace.wait,
        };
        self.wanted.notify_one();
        match self.live_within(wait, |_| true, cx).await {
            Some(connection) => Ok(connection),
            None if cx.is_cancelled() => Err(Unanswered::Failed(RequestFailure::Cancelled)),
            None => Err(Unanswered::NoConnection),
        }
    }

    /// The connection that follows `old`.
    async fn next_connection(
        &self,
        old: &Arc<Connection>,
        cx: &ToolContext,
    ) -> Option<Arc<Connection>> {
        self.live_within(self.shared.pace.restart, |new| !Arc::ptr_eq(new, old), cx).await
    }

    async fn live_within(
        &self,
        limit: Duration,
        fits: impl Fn(&Arc<Connection>) -> bool,
        cx: &ToolContext,
    ) -> Option<Arc<Connection>> {
        let mut phases = self.phase.subscribe();
        let live = |phase: &Phase| match phase {
            Phase::Live(connection)
                if !connection.monitor.gone.is_cancelled() && fits(connection) =>
            {
                Some(Arc::clone(connection))
            }
            _ => None,
        };
        // Waiting for a server that was given up would be in vain.
        let over = |phase: &Phase| matches!(phase, Phase::Failed | Phase::Parked | Phase::Stopped);
        let wait = phases.wait_for(|phase| live(phase).is_some() || over(phase));
        tokio::select! {
            phase = timeout(limit, wait) => phase.ok()?.ok().and_then(|phase| live(&phase)),
            () = cx.cancellation().cancelled() => None,
        }
    }

    /// What the model is told.
    fn error(&self, unanswered: &Unanswered) -> ToolError {
        let name = &self.settings.name;
        let failure = match unanswered {
            Unanswered::Stopped => {
                return ToolError::answer(format!("MCP server '{name}' is not running"));
            }
            Unanswered::NoConnection => {
                return ToolError::answer(format!(
                    "MCP server '{name}' is not connected; a reconnection is under way, try again \
                     in a little while"
                ));
            }
            Unanswered::Failed(failure) => failure,
        };
        let text = redact_error(&failure.to_string());
        match failure {
            RequestFailure::Rpc { code, message } => {
                let message = redact_error(message);
                ToolError::answer(format!("MCP call failed: {}: {message}", kind(*code)))
            }
            RequestFailure::Refused(_) => {
                ToolError::answer(format!("MCP call failed: Http: {text}"))
            }
            RequestFailure::NotDelivered(_) => ToolError::answer(format!(
                "MCP server '{name}' could not be reached ({text}); the call was not carried out"
            )),
            RequestFailure::Lost(_) => ToolError::answer(format!(
                "MCP server '{name}' was lost during the call ({text}). Whether the call took \
                 effect is not known; look before you call again."
            )),
            RequestFailure::TooLarge { .. } => ToolError::answer(format!(
                "MCP server '{name}' carried out the call, but {text} and was dropped. Ask for \
                 less at a time."
            )),
            RequestFailure::TimedOut { elapsed, limit } => ToolError::answer(format!(
                "MCP server '{name}' gave no answer within the time limit: {:.1} s passed, {} s \
                 are configured (`timeout`). The server was told to stop.",
                elapsed.as_secs_f64(),
                limit.as_secs_f64(),
            )),
            RequestFailure::Cancelled => interrupted(),
            RequestFailure::Auth(_) => ToolError::answer(format!(
                "MCP server '{name}' asks for a login ({text}); the user has to run \
                 `hermes mcp login {name}`"
            ))
            .with("needs_reauth", true)
            .with("server", name.as_ref()),
        }
    }
}

/// Whether rendering needs no file and no name.
fn is_text(result: &Value) -> bool {
    let blocks = result["content"].as_array();
    blocks.is_none_or(|blocks| blocks.iter().all(|block| block["type"] == "text"))
}

/// Why there is no result.
enum Unanswered {
    Stopped,
    NoConnection,
    Failed(RequestFailure),
}

fn interrupted() -> ToolError {
    ToolError::answer("The MCP call was interrupted by the user")
}

/// A word for the codes every server uses.
fn kind(code: i64) -> String {
    match code {
        -32700 => "ParseError".to_owned(),
        -32600 => "InvalidRequest".to_owned(),
        -32601 => "MethodNotFound".to_owned(),
        -32602 => "InvalidParams".to_owned(),
        -32603 => "InternalError".to_owned(),
        -32002 => "ResourceNotFound".to_owned(),
        other => format!("Error {other}"),
    }
}
