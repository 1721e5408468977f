//! One connection to a server: requests, their limits, and how they can fail.
//!
//! The SDK's loop matches answers to requests. What is added here is about time and doubt: how long a
//! request may take with and without signs of life, that the server is told when nobody waits any
//! more, and whether a request that failed can have had an effect. Nothing here waits for a server
//! that does not read: a notice that a request is cancelled is sent on the side.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_runtime::bridge::shared_runtime;
use hermes_tool::ToolContext;
use rmcp::RoleClient;
use rmcp::model::{CancelledNotification, ClientRequest, CustomRequest, RequestId, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RunningService, ServiceError};
use serde_json::{Map, Value, json};
use tokio::time::sleep_until;

use super::handler::Handler;
use super::progress::{OpenCalls, ProgressTable};
use super::transport::http;
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
    peer: Peer<RoleClient>,
    running: Mutex<Option<RunningService<RoleClient, Handler>>>,
}

impl Session {
    pub(crate) fn new(running: RunningService<RoleClient, Handler>, hello: Hello) -> Self {
        let handler = running.service();
        Self {
            hello,
            born: Instant::now(),
            wire: Arc::clone(&handler.wire),
            calls: Arc::clone(&handler.calls),
            progress: Arc::clone(&handler.progress),
            peer: running.peer().clone(),
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
        params: Value,
        limits: Limits,
        cx: &ToolContext,
    ) -> Result<Value, Failure> {
        let begun = Instant::now();
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let options = PeerRequestOptions::no_options();
        let sent = self.peer.send_cancellable_request(request, options).await;
        // Not even taken over by the loop: nothing was sent.
        let sent = sent.map_err(|_| Failure::NotDelivered("the connection is closed".into()))?;
        let RequestHandle { rx: mut answer, id, progress_token, .. } = sent;
        let notice = Notice { peer: self.peer.clone(), id: Some(id.clone()) };
        let mut notes =
            self.progress.listen(&serde_json::to_value(&progress_token).unwrap_or_default());
        let end = tokio::time::Instant::from_std(begun + limits.total);
        let mut quiet = tokio::time::Instant::from_std(begun + limits.quiet).min(end);
        let outcome = loop {
            tokio::select! {
                biased;
                answer = &mut answer => break match answer {
                    Ok(Ok(result)) => Ok(plain(result)),
                    Ok(Err(error)) => Err(self.failure(error, &id)),
                    Err(_) => Err(self.lost(&id)),
                },
                () = self.wire.gone.cancelled() => break Err(self.lost(&id)),
                () = cx.cancellation().cancelled() => {
                    notice.send("the caller no longer wants the result");
                    self.wire.take_handed(&id);
                    return Err(Failure::Cancelled);
                }
                note = notes.next() => {
                    quiet = (tokio::time::Instant::now() + limits.quiet).min(end);
                    note.report(cx);
                }
                () = sleep_until(quiet) => {
                    notice.send("timed out");
                    self.wire.take_handed(&id);
                    let elapsed = begun.elapsed();
                    let limit = if elapsed >= limits.total { limits.total } else { limits.quiet };
                    return Err(Failure::TimedOut { elapsed, limit });
                }
            }
        };
        notice.not_needed();
        self.wire.take_handed(&id);
        outcome
    }

    /// The connection has ended under a request.
    fn lost(&self, id: &RequestId) -> Failure {
        if self.wire.take_handed(id) {
            Failure::Lost("the connection was lost while the server had the request".into())
        } else {
            Failure::NotDelivered("the connection was lost before the request was sent".into())
        }
    }

    fn failure(&self, error: ServiceError, id: &RequestId) -> Failure {
        match error {
            ServiceError::McpError(error) => {
                let message = error.message.into_owned();
                if is_session_lost(&message) {
                    return Failure::Lost(message);
                }
                Failure::Rpc { code: i64::from(error.code.0), message }
            }
            // Only HTTP can fail after something has arrived: a pipe takes a whole line or none.
            ServiceError::TransportSend(error) => http::send_failure(error.error.as_ref()),
            ServiceError::TransportClosed => self.lost(id),
            other => Failure::Lost(other.to_string()),
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
            let mut page = self.request(method, params, Limits::hard(limit), &cx).await?;
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

/// Texts by which servers say that they do not know our session any more.
fn is_session_lost(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["session expired", "session not found", "session terminated", "session was re-initialized"]
        .iter()
        .any(|text| message.contains(text))
}

/// The result as JSON, whatever type the SDK found for it.
fn plain(result: ServerResult) -> Value {
    match result {
        ServerResult::CustomResult(result) => result.0,
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

/// Tells the server that nobody waits for a request, unless an answer came. Also when the waiting
/// future is simply dropped.
struct Notice {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Notice {
    fn send(mut self, reason: &'static str) {
        self.dispatch(reason);
    }

    fn not_needed(mut self) {
        self.id = None;
    }

    fn dispatch(&mut self, reason: &'static str) {
        let Some(id) = self.id.take() else { return };
        let text = json!({"method": "notifications/cancelled",
            "params": {"requestId": id, "reason": reason}});
        let Ok(notice) = serde_json::from_value::<CancelledNotification>(text) else { return };
        let peer = self.peer.clone();
        shared_runtime().spawn(async move {
            // The connection may be gone, and then there is nobody to tell.
            let _ = peer.send_notification(notice.into()).await;
        });
    }
}

impl Drop for Notice {
    fn drop(&mut self) {
        self.dispatch("the caller went away");
    }
}
