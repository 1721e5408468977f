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
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, RunningService};
use serde_json::{Map, Value, json};
use tokio::time::sleep_until;

use super::failure::RequestFailure;
use super::handler::ServerRequestHandler;
use super::progress::{OpenCalls, ProgressTable};
use super::request::RequestRoute;
use super::request_error::REFUSED;
use super::transport::monitor::ConnectionMonitor;
use super::transport::pipe::RequestPipe;

/// Pages of a listing read before it is cut off.
const MOST_PAGES: usize = 50;
/// How long the end of a connection may take before it is left to itself.
const CLOSING: Duration = Duration::from_secs(10);

/// How often a server may ask for something before it does what was asked of it.
const MOST_ROUNDS: u32 = 10;
/// The first pause before a server is asked again that asked for nothing but time; the next are longer.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Which way of speaking was agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Revision {
    /// A handshake at the beginning, and then short requests.
    #[default]
    WithHandshake,
    /// Every request stands for itself; what the server wants to know comes as the answer to one.
    Newest,
}

/// What the server said about itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerHello {
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) server: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) revision: Revision,
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
    handler: ServerRequestHandler,
    running: Mutex<Option<RunningService<RoleClient, ServerRequestHandler>>>,
}

impl Connection {
    pub(crate) fn new(
        running: RunningService<RoleClient, ServerRequestHandler>,
        hello: ServerHello,
        pipe: Option<Arc<RequestPipe>>,
    ) -> Self {
        let handler = running.service().clone();
        let route = match pipe {
            None => RequestRoute::Sdk(running.peer().clone()),
            Some(pipe) => {
                let introduction = match hello.revision {
                    Revision::Newest => handler.introduction(),
                    Revision::WithHandshake => Map::new(),
                };
                RequestRoute::Pipe(pipe, introduction)
            }
        };
        if hello.revision == Revision::Newest
            && hello.capabilities.get("tools").is_some_and(|tools| tools["listChanged"] == true)
        {
            shared_runtime().spawn(follow_tools(running.peer().clone(), handler.clone()));
        }
        Self {
            hello,
            born: Instant::now(),
            monitor: Arc::clone(&handler.monitor),
            calls: Arc::clone(&handler.calls),
            progress: Arc::clone(&handler.progress),
            route,
            handler,
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

    /// Sends a request and waits for its result. What the server wants to know before it gives one is
    /// answered on the way.
    pub(crate) async fn request(
        &self,
        method: &str,
        params: &Value,
        limits: RequestLimits,
        cx: &ToolContext,
    ) -> Result<Value, RequestFailure> {
        let mut result = self.ask(method, params, limits, cx).await?;
        let mut pause = FIRST_PAUSE;
        for _ in 0..MOST_ROUNDS {
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            let answers = tokio::select! {
                answers = self.input(&result["inputRequests"]) => answers?,
                () = cx.cancellation().cancelled() => return Err(RequestFailure::Cancelled),
                () = self.monitor.gone.cancelled() => return Err(self.monitor.loss()),
            };
            let mut params = params.clone();
            if answers.is_empty() {
                tokio::time::sleep(pause).await;
                pause *= 2;
            } else {
                params["inputResponses"] = answers.into();
            }
            if let Some(state) = result.get("requestState").filter(|state| !state.is_null()) {
                params["requestState"] = state.clone();
            }
            result = self.ask(method, &params, limits, cx).await?;
        }
        let message = format!("the server asked for something {MOST_ROUNDS} times in a row");
        Err(RequestFailure::Rpc { code: REFUSED, message })
    }

    /// Our answers to what a server wants to know, under the names it gave its questions.
    async fn input(&self, questions: &Value) -> Result<Map<String, Value>, RequestFailure> {
        let mut answers = Map::new();
        for (name, question) in questions.as_object().into_iter().flatten() {
            let method = question["method"].as_str().unwrap_or_default();
            let answer = self.handler.answer(method, &question["params"]).await;
            let answer = answer.map_err(|error| RequestFailure::Rpc {
                code: error.code(),
                message: format!("the server wants something it does not get: {}", error.message()),
            })?;
            answers.insert(name.clone(), answer);
        }
        Ok(answers)
    }

    async fn ask(
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

/// Asks to be told when the server's tools change, and passes it on. In the newest revision nobody is told
/// who did not ask.
async fn follow_tools(peer: Peer<RoleClient>, handler: ServerRequestHandler) {
    let gone = handler.monitor.gone.clone();
    let wanted = SubscriptionFilter::builder().tools_list_changed().build();
    let listening = async {
        let mut subscription = match peer.listen(wanted).await {
            Ok(subscription) => subscription,
            Err(error) => return tracing::debug!(%error, "changes of the tools are not told"),
        };
        while let Ok(Some(note)) = subscription.next().await {
            if matches!(note, ServerNotification::ToolListChangedNotification(_)) {
                handler.tools_changed.notify_one();
            }
        }
    };
    gone.run_until_cancelled(listening).await;
}
