//! A request on its way: how it is sent, how its answer comes, what is known when it does not.

use std::sync::Arc;

use hermes_runtime::bridge::shared_runtime;
use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotification, ClientRequest, CustomRequest, ErrorData, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::progress::{Listener, ProgressTable};
use super::session::Failure;
use super::transport::decode::Reply;
use super::transport::http;
use super::transport::lane::{Lane, SendError, Sending};
use super::transport::tap::Wire;

/// How requests get to the server.
pub(crate) enum Way {
    /// Over the SDK's loop.
    Sdk(Peer<RoleClient>),
    /// Straight into the program's pipe.
    Pipe(Arc<Lane>),
}

/// A request as it is written into a pipe.
#[derive(Serialize)]
struct Line<'a> {
    jsonrpc: &'static str,
    id: i64,
    method: &'a str,
    params: Params<'a>,
}

/// What a request asks for, and the number by which the server can tell of its progress.
struct Params<'a> {
    asked: &'a Value,
    token: i64,
}

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.asked.as_object().into_iter().flatten() {
            map.serialize_entry(name, value)?;
        }
        map.serialize_entry("_meta", &Meta { progress_token: self.token })?;
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    progress_token: i64,
}

/// A request that was sent. Dropping it tells the server that nobody waits.
pub(crate) struct Sent {
    answer: Answer,
    notice: Notice,
    wire: Arc<Wire>,
}

enum Answer {
    Sdk(RequestId, oneshot::Receiver<Result<ServerResult, ServiceError>>),
    Pipe { reply: oneshot::Receiver<Reply>, rest: Option<Rest> },
}

type Rest = oneshot::Receiver<Result<(), SendError>>;

impl Way {
    /// Sends a request; the server's notes on it come separately.
    pub(crate) async fn send(
        &self,
        method: &str,
        params: &Value,
        progress: &Arc<ProgressTable>,
        wire: &Arc<Wire>,
    ) -> Result<(Sent, Listener), Failure> {
        let wire = Arc::clone(wire);
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
                let answer = Answer::Sdk(id, rx);
                Ok((Sent { answer, notice, wire }, progress.listen(&token)))
            }
            Self::Pipe(lane) => {
                let (id, reply) = lane.expect();
                let mut notice = Notice(Some(Whom::Pipe(Arc::clone(lane), id)));
                let params = Params { asked: params, token: id };
                let rest = match lane.send(&Line { jsonrpc: "2.0", id, method, params }) {
                    Ok(Sending::Done) => None,
                    Ok(Sending::Later(rest)) => {
                        lane.wait_elsewhere();
                        Some(rest)
                    }
                    Err(error) => {
                        notice.not_needed();
                        return Err(Failure::NotDelivered(error.to_string()));
                    }
                };
                // What is told before somebody listens is kept by the table.
                let notes = if rest.is_none() && lane.wait_at_the_pipe(id) {
                    Listener::deaf()
                } else {
                    progress.listen(&id.into())
                };
                Ok((Sent { answer: Answer::Pipe { reply, rest }, notice, wire }, notes))
            }
        }
    }
}

impl Sent {
    /// Waits for the answer or the end of the connection. Loses nothing when dropped half way.
    pub(crate) async fn answer(&mut self) -> Result<Value, Failure> {
        let gone = self.wire.gone.clone();
        // The connection has ended, and the last of the line is still on its way.
        let mut pending_end = false;
        loop {
            let outcome = match &mut self.answer {
                Answer::Sdk(id, answer) => tokio::select! {
                    biased;
                    answer = answer => match answer {
                        Ok(Ok(result)) => Ok(plain(result)),
                        Ok(Err(ServiceError::TransportClosed)) | Err(_) => Err(lost(&self.wire, id)),
                        Ok(Err(error)) => Err(failure(error)),
                    },
                    () = gone.cancelled() => Err(lost(&self.wire, id)),
                },
                Answer::Pipe { reply, rest } => tokio::select! {
                    biased;
                    reply = reply => match reply {
                        Ok(Ok(result)) => Ok(result),
                        Ok(Err(error)) => Err(refused(error)),
                        Err(_) => Err(Failure::Lost(LOST.into())),
                    },
                    told = written(rest) => match told {
                        Ok(()) if pending_end => Err(Failure::Lost(LOST.into())),
                        Ok(()) => continue,
                        Err(error) => Err(Failure::NotDelivered(error.to_string())),
                    },
                    // Of a line that is not whole yet we hear what became of it: the pipe breaks.
                    () = gone.cancelled(), if !pending_end => {
                        if rest.is_none() {
                            Err(Failure::Lost(LOST.into()))
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

impl Drop for Sent {
    fn drop(&mut self) {
        if let Answer::Sdk(id, _) = &self.answer {
            self.wire.take_handed(id);
        }
    }
}

/// The rest of a line has been written, or could not be; waits for ever without one.
async fn written(rest: &mut Option<Rest>) -> Result<(), SendError> {
    let Some(waiting) = rest else { return std::future::pending().await };
    let told = waiting.await;
    *rest = None;
    told.unwrap_or(Err(SendError::Closed))
}

const LOST: &str = "the connection was lost while the server had the request";

fn closed() -> Failure {
    Failure::NotDelivered("the connection is closed".into())
}

/// The connection has ended under a request.
fn lost(wire: &Wire, id: &RequestId) -> Failure {
    if wire.take_handed(id) {
        Failure::Lost(LOST.into())
    } else {
        Failure::NotDelivered("the connection was lost before the request was sent".into())
    }
}

fn failure(error: ServiceError) -> Failure {
    match error {
        ServiceError::McpError(error) => refused(error),
        ServiceError::TransportSend(error) => http::send_failure(error.error.as_ref()),
        other => Failure::Lost(other.to_string()),
    }
}

/// The server's own error.
fn refused(error: ErrorData) -> Failure {
    let message = error.message.into_owned();
    if is_session_lost(&message) {
        return Failure::Lost(message);
    }
    Failure::Rpc { code: i64::from(error.code.0), message }
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
struct Notice(Option<Whom>);

enum Whom {
    Sdk(Peer<RoleClient>, RequestId),
    Pipe(Arc<Lane>, i64),
}

impl Notice {
    fn not_needed(&mut self) {
        self.0 = None;
    }

    fn send(&mut self, reason: &'static str) {
        match self.0.take() {
            None => {}
            Some(Whom::Pipe(lane, id)) => {
                lane.forget(id);
                // The program may be gone, and then there is nobody to tell.
                let _ = lane.send(&notice(id, reason));
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
