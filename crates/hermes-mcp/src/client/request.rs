//! A request on its way: how it is sent, how its answer comes, what is known when it does not.
//!
//! Two routes lead to a server. Over HTTP the SDK's loop sends and matches answers; to a program our
//! requests go straight into its pipe. Whichever was taken, a [`SentRequest`] that is dropped tells the
//! server that nobody waits any more.

use std::sync::Arc;

use hermes_runtime::bridge::shared_runtime;
use rmcp::RoleClient;
use rmcp::model::{CancelledNotification, ClientRequest, CustomRequest, RequestId, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::failure::RequestFailure;
use super::progress::{ProgressListener, ProgressTable};
use super::transport::monitor::ConnectionMonitor;
use super::transport::pipe::{PipeAnswer, PipeSendError, PipeWrite, RequestPipe};
use super::transport::send_failure::send_failure;

/// How requests get to the server.
pub(crate) enum RequestRoute {
    /// Over the SDK's loop.
    Sdk(Peer<RoleClient>),
    /// Straight into the program's pipe, with what every request says of us.
    Pipe(Arc<RequestPipe>, Map<String, Value>),
}

/// A request as it is written into a pipe.
#[derive(Serialize)]
struct RequestLine<'a> {
    jsonrpc: &'static str,
    id: i64,
    method: &'a str,
    params: Params<'a>,
}

/// What a request asks for, and the number by which the server can tell of its progress.
struct Params<'a> {
    asked: &'a Value,
    meta: Meta<'a>,
}

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.asked.as_object().into_iter().flatten() {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("_meta", &self.meta)?;
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta<'a> {
    progress_token: i64,
    #[serde(flatten)]
    introduction: &'a Map<String, Value>,
}

/// A request that was sent. Dropping it tells the server that nobody waits.
pub(crate) struct SentRequest {
    answer: PendingAnswer,
    notice: Notice,
    monitor: Arc<ConnectionMonitor>,
}

enum PendingAnswer {
    Sdk(RequestId, oneshot::Receiver<Result<ServerResult, ServiceError>>),
    Pipe { reply: oneshot::Receiver<PipeAnswer>, rest: Option<Rest> },
}

type Rest = oneshot::Receiver<Result<(), PipeSendError>>;

impl RequestRoute {
    /// Sends a request; the server's notes on it come separately.
    pub(crate) async fn send(
        &self,
        method: &str,
        params: &Value,
        progress: &Arc<ProgressTable>,
        monitor: &Arc<ConnectionMonitor>,
    ) -> Result<(SentRequest, ProgressListener), RequestFailure> {
        let monitor = Arc::clone(monitor);
        match self {
            Self::Sdk(peer) => {
                let request = CustomRequest::new(method, Some(params.clone()));
                let request = ClientRequest::CustomRequest(request);
                let options = PeerRequestOptions::no_options();
                let sent = peer.send_cancellable_request(request, options).await;
                // Not even taken over by the loop: nothing was sent.
                let RequestHandle { rx, id, progress_token, .. } = sent.map_err(|_| closed())?;
                let token = serde_json::to_value(&progress_token).unwrap_or_default();
                let notice = Notice(Some(Whom::Sdk(peer.clone(), id.clone())));
                let answer = PendingAnswer::Sdk(id, rx);
                Ok((SentRequest { answer, notice, monitor }, progress.listen(&token)))
            }
            Self::Pipe(pipe, introduction) => {
                let (id, reply) = pipe.expect();
                let mut notice = Notice(Some(Whom::Pipe(Arc::clone(pipe), id)));
                let params =
                    Params { asked: params, meta: Meta { progress_token: id, introduction } };
                let rest = match pipe.send(&RequestLine { jsonrpc: "2.0", id, method, params }) {
                    Ok(PipeWrite::Whole) => None,
                    Ok(PipeWrite::Partly(rest)) => Some(rest),
                    Err(error) => {
                        notice.not_needed();
                        return Err(RequestFailure::NotDelivered(error.to_string()));
                    }
                };
                // What is told before somebody listens is kept by the table.
                let notes = progress.listen(&id.into());
                let answer = PendingAnswer::Pipe { reply, rest };
                Ok((SentRequest { answer, notice, monitor }, notes))
            }
        }
    }
}

impl SentRequest {
    /// Waits for the answer or the end of the connection. Loses nothing when dropped half way.
    pub(crate) async fn answer(&mut self) -> Result<Value, RequestFailure> {
        let gone = self.monitor.gone.clone();
        // The connection has ended, and the last of the line is still on its way.
        let mut pending_end = false;
        loop {
            let outcome = match &mut self.answer {
                PendingAnswer::Sdk(id, answer) => tokio::select! {
                    biased;
                    answer = answer => match answer {
                        Ok(Ok(result)) => Ok(plain(result)),
                        Ok(Err(ServiceError::TransportClosed)) | Err(_) => Err(lost(&self.monitor, id)),
                        Ok(Err(error)) => Err(failure(error)),
                    },
                    () = gone.cancelled() => Err(lost(&self.monitor, id)),
                },
                PendingAnswer::Pipe { reply, rest } => tokio::select! {
                    biased;
                    reply = reply => reply.unwrap_or_else(|_| Err(self.monitor.loss())),
                    told = written(rest) => match told {
                        Ok(()) if pending_end => Err(self.monitor.loss()),
                        Ok(()) => continue,
                        Err(error) => Err(RequestFailure::NotDelivered(error.to_string())),
                    },
                    // Of a line that is not whole yet we hear what became of it: the pipe breaks.
                    () = gone.cancelled(), if !pending_end => {
                        if rest.is_none() {
                            Err(self.monitor.loss())
                        } else {
                            pending_end = true;
                            continue;
                        }
                    }
                },
            };
            self.notice.not_needed();
            return outcome;
        }
    }

    /// Tells the server that nobody waits any more, and why.
    pub(crate) fn give_up(mut self, reason: &'static str) {
        self.notice.send(reason);
    }
}

impl Drop for SentRequest {
    fn drop(&mut self) {
        if let PendingAnswer::Sdk(id, _) = &self.answer {
            self.monitor.take_handed(id);
        }
    }
}

/// The rest of a line has been written, or could not be; waits for ever without one.
async fn written(rest: &mut Option<Rest>) -> Result<(), PipeSendError> {
    let Some(waiting) = rest else { return std::future::pending().await };
    let told = waiting.await;
    *rest = None;
    told.unwrap_or(Err(PipeSendError::Closed))
}

fn closed() -> RequestFailure {
    RequestFailure::NotDelivered("the connection is closed".into())
}

/// The connection has ended under a request.
fn lost(monitor: &ConnectionMonitor, id: &RequestId) -> RequestFailure {
    if monitor.take_handed(id) {
        monitor.loss()
    } else {
        RequestFailure::NotDelivered("the connection was lost before the request was sent".into())
    }
}

fn failure(error: ServiceError) -> RequestFailure {
    match error {
        ServiceError::McpError(error) => error.into(),
        ServiceError::TransportSend(error) => send_failure(error.error.as_ref()),
        other => RequestFailure::Lost(other.to_string()),
    }
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
struct Notice(Option<Whom>);

enum Whom {
    Sdk(Peer<RoleClient>, RequestId),
    Pipe(Arc<RequestPipe>, i64),
}

impl Notice {
    fn not_needed(&mut self) {
        self.0 = None;
    }

    fn send(&mut self, reason: &'static str) {
        match self.0.take() {
            None => {}
            Some(Whom::Pipe(pipe, id)) => {
                pipe.forget(id);
                // The program may be gone, and then there is nobody to tell.
                let _ = pipe.send(&notice(id, reason));
            }
            Some(Whom::Sdk(peer, id)) => {
                let Ok(notice) =
                    serde_json::from_value::<CancelledNotification>(notice(id, reason))
                else {
                    return;
                };
                shared_runtime().spawn(async move {
                    let _ = peer.send_notification(notice.into()).await;
                });
            }
        }
    }
}

fn notice(id: impl Serialize, reason: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id, "reason": reason}})
}

impl Drop for Notice {
    fn drop(&mut self) {
        self.send("the caller went away");
    }
}
