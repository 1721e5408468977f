//! One connection to a server: requests, their limits, and how they can fail.
//!
//! The SDK's loop matches answers to requests. What is added here is about time and doubt: how long a
//! request may take with and without signs of life, that the server is told when nobody waits any
//! more, and whether a request that failed can have had an effect. Nothing here waits for a server
//! that does not read: a notice that a request is cancelled is sent on the side.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_tool::ToolContext;
use rmcp::RoleClient;
use rmcp::service::RunningService;
use serde_json::{Map, Value, json};
use tokio::time::sleep_until;

use super::failure::RequestFailure;
use super::handler::ServerRequestHandler;
use super::progress::{OpenCalls, ProgressTable};
use super::request::RequestRoute;
use super::transport::monitor::ConnectionMonitor;
use super::transport::pipe::RequestPipe;

/// Pages of a listing read before it is cut off.
const MOST_PAGES: usize = 50;
/// How long the end of a connection may take before it is left to itself.
const CLOSING: Duration = Duration::from_secs(10);

/// What the server said at the handshake.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerHello {
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) server: Option<String>,
    pub(crate) instructions: Option<String>,
}

/// How long a request may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestLimits {
    /// Without a sign of life.
    pub(crate) quiet: Duration,
    /// In all.
    pub(crate) total: Duration,
}

impl RequestLimits {
    /// The same limit with and without signs of life.
    pub(crate) fn hard(limit: Duration) -> Self {
        Self { quiet: limit, total: limit }
    }
}

/// A live connection to a server: what it said at the handshake, and the way to ask it something.
pub(crate) struct Connection {
    pub(crate) hello: ServerHello,
    pub(crate) born: Instant,
    pub(crate) monitor: Arc<ConnectionMonitor>,
    pub(crate) calls: Arc<OpenCalls>,
    progress: Arc<ProgressTable>,
    route: RequestRoute,
    running: Mutex<Option<RunningService<RoleClient, ServerRequestHandler>>>,
}

impl Connection {
    pub(crate) fn new(
        running: RunningService<RoleClient, ServerRequestHandler>,
        hello: ServerHello,
        pipe: Option<Arc<RequestPipe>>,
    ) -> Self {
        let handler = running.service();
        Self {
            hello,
            born: Instant::now(),
            monitor: Arc::clone(&handler.monitor),
            calls: Arc::clone(&handler.calls),
            progress: Arc::clone(&handler.progress),
            route: pipe
                .map_or_else(|| RequestRoute::Sdk(running.peer().clone()), RequestRoute::Pipe),
            running: Mutex::new(Some(running)),
        }
    }

    /// Whether the server said it can do this. A server that said nothing is old, and asked anyway.
    pub(crate) fn offers(&self, capability: &str) -> bool {
        self.hello.capabilities.contains_key(capability)
    }

    /// Whether there are tools to list.
    pub(crate) fn may_have_tools(&self) -> bool {
        self.hello.capabilities.is_empty() || self.offers("tools")
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: &Value,
        limits: RequestLimits,
        cx: &ToolContext,
    ) -> Result<Value, RequestFailure> {
        let begun = Instant::now();
        let sending = self.route.send(method, params, &self.progress, &self.monitor);
        let (mut sent, mut notes) = sending.await?;
        let end = tokio::time::Instant::from_std(begun + limits.total);
        let mut quiet = tokio::time::Instant::from_std(begun + limits.quiet).min(end);
        loop {
            let note = tokio::select! {
                biased;
                answer = sent.answer() => return answer,
                () = cx.cancellation().cancelled() => {
                    sent.give_up("the caller no longer wants the result");
                    return Err(RequestFailure::Cancelled);
                }
                () = sleep_until(quiet) => {
                    sent.give_up("timed out");
                    let elapsed = begun.elapsed();
                    let limit = if elapsed >= limits.total { limits.total } else { limits.quiet };
                    return Err(RequestFailure::TimedOut { elapsed, limit });
                }
                note = notes.next() => note,
            };
            quiet = (tokio::time::Instant::now() + limits.quiet).min(end);
            note.report(cx);
        }
    }

    /// All entries of a paged listing.
    pub(crate) async fn list(
        &self,
        method: &str,
        field: &str,
        limit: Duration,
    ) -> Result<Vec<Value>, RequestFailure> {
        let cx = ToolContext::default();
        let mut found = Vec::new();
        let mut params = json!({});
        for _ in 0..MOST_PAGES {
            let mut page = self.request(method, &params, RequestLimits::hard(limit), &cx).await?;
            if let Some(Value::Array(entries)) = page.get_mut(field).map(Value::take) {
                found.extend(entries);
            }
            match page["nextCursor"].as_str() {
                Some(cursor) if !cursor.is_empty() => params = json!({"cursor": cursor}),
                _ => return Ok(found),
            }
        }
        tracing::warn!(%method, pages = MOST_PAGES, "a listing does not end; the rest is left out");
        Ok(found)
    }

    /// Ends the connection; a program is ended with it.
    pub(crate) async fn close(&self) {
        // First, so that questions we are answering do not hold it up.
        self.monitor.gone.cancel();
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut running) = running {
            match running.close_with_timeout(CLOSING).await {
                Ok(Some(_)) => {}
                Ok(None) => tracing::warn!("a connection took too long to close"),
                Err(error) => tracing::warn!(%error, "a connection did not close well"),
            }
        }
    }
}
