//! One call of a tool.
//!
//! The runtime does the work; this task carries messages meanwhile. Everything the call sends to its
//! client is sent from here, because the SDK ties a message to the stream of the request whose task
//! sends it: sent from elsewhere, a question would go to a stream that many clients never open.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hermes_runtime::{CallOutcome, ToolCall};
use hermes_tool::{CallIds, ContextParts};
use rmcp::Peer;
use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorData};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::caller::{Caller, CallerError, CallerMessage, ClientRequest};
use super::client_state::{ClientState, takes_questions};
use super::content;
use super::log::{self, LogLevel};
use super::progress::{Meter, SILENCE};

/// How long withdrawing open questions may hold up a result.
const WITHDRAWING: Duration = Duration::from_secs(1);

/// Makes the call and answers it.
pub(super) async fn serve(
    client: &ClientState,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let server = &client.server;
    let name = request.name.as_ref();
    let allowed = Arc::clone(&server.catalog().names);
    if !allowed.contains(name) {
        return Err(ErrorData::invalid_params(
            format!("Unknown tool: {name}. This server offers: {}", listed(&allowed)),
            None,
        ));
    }
    let (caller, messages) = Caller::new(Arc::clone(&client.id), takes_questions(&context));
    let id = call_id(&client.id);
    let _present = server.callers.enter(id.clone(), caller.clone());
    let meter = context.meta.get_progress_token().map(Meter::new);
    let sink = caller.clone();
    let parts = ContextParts {
        ids: CallIds {
            task_id: client.id.to_string(),
            session_id: client.id.to_string(),
            tool_call_id: id,
            ..CallIds::default()
        },
        cwd: server.cwd.clone(),
        cancellation: context.ct.child_token(),
        progress: Some(Arc::new(move |note| sink.report(note))),
        services: (server.services)(&caller).with(Arc::new(caller)),
        ..ContextParts::default()
    };
    let call = ToolCall {
        context: parts,
        scope: server.catalog.scope().clone(),
        allowed: Some(allowed),
        ..ToolCall::new(name, Value::Object(arguments(request.arguments)))
    };
    let level = client.log_level();
    let messenger = Messenger { peer: &context.peer, messages, meter, level };
    let outcome = messenger.carry(server.runtime.call(call)).await;
    Ok(content::result(&outcome))
}

/// Many clients send `null` for what they do not set, and mean that it is not there.
fn arguments(given: Option<Map<String, Value>>) -> Map<String, Value> {
    let mut arguments = given.unwrap_or_default();
    arguments.retain(|_, value| !value.is_null());
    arguments
}

/// An id that is good for a file name.
fn call_id(session: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{session}_{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn listed(names: &BTreeSet<String>) -> String {
    match names.is_empty() {
        true => "no tools".to_owned(),
        false => names.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
    }
}

/// Carries what a call wants to say to its client.
struct Messenger<'a> {
    peer: &'a Peer<RoleServer>,
    messages: mpsc::Receiver<CallerMessage>,
    meter: Option<Meter>,
    level: LogLevel,
}

impl Messenger<'_> {
    async fn carry(mut self, call: impl Future<Output = CallOutcome>) -> CallOutcome {
        let started = Instant::now();
        let mut questions = FuturesUnordered::new();
        let mut call = std::pin::pin!(call);
        let peer = self.peer;
        loop {
            tokio::select! {
                biased;
                Some(message) = self.messages.recv() => match message {
                    CallerMessage::Request(asked) => questions.push(ask(peer, *asked)),
                    other => self.tell(other).await,
                },
                Some(()) = questions.next(), if !questions.is_empty() => {}
                outcome = &mut call => {
                    // What was said before the end is heard before the result.
                    while let Ok(message) = self.messages.try_recv() {
                        self.tell(message).await;
                    }
                    // Nobody waits for an answer any more, so questions still open are withdrawn.
                    let withdrawn = async { while questions.next().await.is_some() {} };
                    let _ = tokio::time::timeout(WITHDRAWING, withdrawn).await;
                    return outcome;
                }
                () = tokio::time::sleep(SILENCE) => self.still_running(started.elapsed()).await,
            }
        }
    }

    /// A client that cannot be told is about to be noticed as gone, by the SDK.
    async fn tell(&mut self, message: CallerMessage) {
        match message {
            CallerMessage::Progress(note) => {
                if let Some(meter) = &mut self.meter {
                    let _ = self.peer.notify_progress(meter.notification(note)).await;
                }
            }
            CallerMessage::Log(line) if line.level >= self.level => {
                log::send(self.peer, line).await;
            }
            CallerMessage::Log(_) => {}
            // The call is over, so nobody waits for the answer.
            CallerMessage::Request(asked) => drop(asked),
        }
    }

    async fn still_running(&mut self, for_so_long: Duration) {
        if let Some(meter) = &mut self.meter {
            let _ = self.peer.notify_progress(meter.still_running(for_so_long)).await;
        }
    }
}

/// Sends a request and brings the answer back. When the answer is no longer wanted, the client
/// hears that the question is withdrawn.
async fn ask(peer: &Peer<RoleServer>, asked: ClientRequest) {
    let ClientRequest { request, wait, mut reply } = asked;
    let options = match wait {
        Some(wait) => PeerRequestOptions::with_timeout(wait),
        None => PeerRequestOptions::no_options(),
    };
    let mut handle = match peer.send_cancellable_request(request, options).await {
        Ok(handle) => handle,
        Err(why) => {
            let _ = reply.send(Err(reason(why)));
            return;
        }
    };
    let time_is_up = async {
        match wait {
            Some(wait) => tokio::time::sleep(wait).await,
            None => std::future::pending().await,
        }
    };
    let answer = tokio::select! {
        answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
        () = time_is_up => {
            let _ = handle.cancel(Some("nobody answered in time".to_owned())).await;
            let _ = reply.send(Err(CallerError::TimedOut));
            return;
        }
        () = reply.closed() => {
            let _ = handle.cancel(Some("the answer is no longer wanted".to_owned())).await;
            return;
        }
    };
    let _ = reply.send(answer.map_err(reason));
}

fn reason(error: ServiceError) -> CallerError {
    match error {
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => CallerError::Gone,
        ServiceError::Timeout { .. } => CallerError::TimedOut,
        other => CallerError::Failed(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn null_means_not_given() {
        let given = json!({"path": "a", "limit": null, "deep": {"x": null}});
        let kept = arguments(given.as_object().cloned());
        assert_eq!(Value::Object(kept), json!({"path": "a", "deep": {"x": null}}));
        assert!(arguments(None).is_empty());
    }
}
