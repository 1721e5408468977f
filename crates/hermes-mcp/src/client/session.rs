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

use super::handler::Handler;
use super::progress::{OpenCalls, ProgressTable};
use super::sending::Way;
use super::transport::lane::Lane;
use super::transport::tap::Wire;

/// Pages of a listing read before it is cut off.
const MOST_PAGES: usize = 50;
/// How long the end of a connection may take before it is left to itself.
const CLOSING: Duration = Duration::from_secs(10);

/// What the server said at the handshake.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hello {
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) server: Option<String>,
    pub(crate) instructions: Option<String>,
}

/// How long a request may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Without a sign of life.
    pub(crate) quiet: Duration,
    /// In all.
    pub(crate) total: Duration,
}

impl Limits {
    /// The same limit with and without signs of life.
    pub(crate) fn hard(limit: Duration) -> Self {
        Self { quiet: limit, total: limit }
    }
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The server's own error.
    Rpc { code: i64, message: String },
    /// It certainly did not reach the server, or the server turned it away unread.
    NotDelivered(String),
    /// The connection went away while the server had it.
    Lost(String),
    /// The server answered, but with an HTTP error instead of a result.
    Refused(String),
    /// No answer in time; the server was told.
    TimedOut { elapsed: Duration, limit: Duration },
    /// Nobody wants the answer any more; the server was told.
    Cancelled,
    /// We are not let in.
    Auth(String),
}

impl Failure {
    /// Whether the connection is to blame, and not the request.
    pub(crate) fn is_transport(&self) -> bool {
        !matches!(self, Self::Rpc { .. } | Self::Cancelled)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rpc { code, message } => write!(f, "{message} ({code})"),
            Self::NotDelivered(text)
            | Self::Lost(text)
            | Self::Refused(text)
            | Self::Auth(text) => f.write_str(text),
            Self::TimedOut { elapsed, limit } => {
                let (elapsed, limit) = (elapsed.as_secs_f64(), limit.as_secs_f64());
                write!(f, "no answer after {elapsed:.1} s (limit {limit} s)")
            }
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// A live connection.
pub(crate) struct Session {
    pub(crate) hello: Hello,
    pub(crate) born: Instant,
    pub(crate) wire: Arc<Wire>,
    pub(crate) calls: Arc<OpenCalls>,
    progress: Arc<ProgressTable>,
    way: Way,
    running: Mutex<Option<RunningService<RoleClient, Handler>>>,
}

impl Session {
    pub(crate) fn new(
        running: RunningService<RoleClient, Handler>,
        hello: Hello,
        lane: Option<Arc<Lane>>,
    ) -> Self {
        let handler = running.service();
        Self {
            hello,
            born: Instant::now(),
            wire: Arc::clone(&handler.wire),
            calls: Arc::clone(&handler.calls),
            progress: Arc::clone(&handler.progress),
            way: lane.map_or_else(|| Way::Sdk(running.peer().clone()), Way::Pipe),
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
        limits: Limits,
        cx: &ToolContext,
    ) -> Result<Value, Failure> {
        let begun = Instant::now();
        let sending = self.way.send(method, params, &self.progress, &self.wire);
        let (mut sent, mut notes) = sending.await?;
        let end = tokio::time::Instant::from_std(begun + limits.total);
        let mut quiet = tokio::time::Instant::from_std(begun + limits.quiet).min(end);
        loop {
            let note = tokio::select! {
                biased;
                answer = sent.answer() => return answer,
                () = cx.cancellation().cancelled() => {
                    sent.give_up("the caller no longer wants the result");
                    return Err(Failure::Cancelled);
                }
                () = sleep_until(quiet) => {
                    sent.give_up("timed out");
                    let elapsed = begun.elapsed();
                    let limit = if elapsed >= limits.total { limits.total } else { limits.quiet };
                    return Err(Failure::TimedOut { elapsed, limit });
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
    ) -> Result<Vec<Value>, Failure> {
        let cx = ToolContext::default();
        let mut found = Vec::new();
        let mut params = json!({});
        for _ in 0..MOST_PAGES {
            let mut page = self.request(method, &params, Limits::hard(limit), &cx).await?;
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
        self.wire.gone.cancel();
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
