//! Calls and their answers, on one connection.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use super::{CdpError, Transport};

/// Hears of everything that is no answer, on the task that reads: it must be quick and wait for nothing.
pub(crate) trait EventSink: Send + Sync {
    /// An event of a session; the browser's own have an empty one.
    fn event(&self, connection: &Connection, session: &str, method: &str, params: &RawValue);
    /// The connection has ended.
    fn closed(&self, reason: &str);
}

/// A connection to a browser. Cheap to clone; it ends when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Inner>);

/// For tasks that wait and must not keep a browser alive.
#[derive(Clone)]
pub(crate) struct WeakConnection(std::sync::Weak<Inner>);

impl WeakConnection {
    pub(crate) fn upgrade(&self) -> Option<Connection> {
        self.0.upgrade().map(Connection)
    }
}

struct Inner {
    outgoing: mpsc::UnboundedSender<String>,
    next: AtomicU64,
    open: Arc<Mutex<OpenCalls>>,
}

type Answer = Result<Box<RawValue>, CdpError>;

#[derive(Default)]
struct OpenCalls {
    waiting: HashMap<u64, (String, oneshot::Sender<Answer>)>,
    ended: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(skip_serializing_if = "str::is_empty")]
    session_id: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Incoming<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow, default)]
    session_id: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ProtocolError>,
}

#[derive(Deserialize)]
struct ProtocolError {
    #[serde(default)]
    message: String,
    #[serde(default)]
    data: Option<serde_json::Value>,
}

impl Connection {
    /// Begins to read; events go to `sink`.
    pub(crate) fn open(transport: Transport, sink: Arc<dyn EventSink>) -> Self {
        let Transport { outgoing, mut incoming } = transport;
        let open = Arc::new(Mutex::new(OpenCalls::default()));
        let inner = Inner { outgoing, next: AtomicU64::new(1), open: Arc::clone(&open) };
        let connection = Self(Arc::new(inner));
        let weak = Arc::downgrade(&connection.0);
        tokio::spawn(async move {
            let mut reason = "the connection was closed".to_owned();
            while let Some(message) = incoming.recv().await {
                let bytes = match message {
                    Ok(bytes) => bytes,
                    Err(end) => {
                        reason = end;
                        break;
                    }
                };
                let Some(inner) = weak.upgrade() else { break };
                Self(inner).receive(&bytes, &*sink);
            }
            end(&open, &reason);
            sink.closed(&reason);
        });
        connection
    }

    fn receive(&self, bytes: &[u8], sink: &dyn EventSink) {
        let incoming: Incoming<'_> = match serde_json::from_slice(bytes) {
            Ok(incoming) => incoming,
            Err(error) => {
                tracing::debug!(%error, "a message of the browser cannot be read");
                return;
            }
        };
        if let Some(id) = incoming.id {
            let Some((method, waiting)) = self.open_calls().waiting.remove(&id) else { return };
            let answer = match (incoming.error, incoming.result) {
                (Some(error), _) => Err(CdpError::Refused { method, message: error.text() }),
                (None, Some(result)) => Ok(result.to_owned()),
                (None, None) => Ok(RawValue::NULL.to_owned()),
            };
            let _ = waiting.send(answer);
        } else if let Some(method) = incoming.method {
            let params = incoming.params.unwrap_or(RawValue::NULL);
            sink.event(self, &incoming.session_id, &method, params);
        }
    }

    /// Sends a call; whoever wants the answer waits for what is returned. Never waits.
    pub(crate) fn send<R: DeserializeOwned>(
        &self,
        session: &str,
        method: &str,
        params: impl Serialize,
    ) -> PendingCall<R> {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        let request = Request { id, method, params, session_id: session };
        let text = serde_json::to_string(&request);
        {
            let mut open = self.open_calls();
            let problem = match (&open.ended, &text) {
                (Some(reason), _) => Some(CdpError::Closed(reason.clone())),
                (None, Err(error)) => {
                    let problem = error.to_string();
                    Some(CdpError::Unreadable { method: method.to_owned(), problem })
                }
                (None, Ok(_)) => None,
            };
            match problem {
                Some(problem) => drop(sender.send(Err(problem))),
                None => drop(open.waiting.insert(id, (method.to_owned(), sender))),
            }
        }
        if let Ok(text) = text {
            // If nobody carries it any more, the reader ends too and answers for all.
            let _ = self.0.outgoing.send(text);
        }
        let connection = self.clone();
        PendingCall { connection, id, method: method.to_owned(), answer, kind: PhantomData }
    }

    /// A call whose answer nobody waits for.
    pub(crate) fn tell(&self, session: &str, method: &str, params: impl Serialize) {
        drop(self.send::<serde::de::IgnoredAny>(session, method, params));
    }

    /// Sends a call and waits for its answer.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        session: &str,
        method: &str,
        params: impl Serialize,
        limit: Duration,
    ) -> Result<R, CdpError> {
        self.send(session, method, params).answer(limit).await
    }

    /// A handle that does not keep the connection open.
    pub(crate) fn downgrade(&self) -> WeakConnection {
        WeakConnection(Arc::downgrade(&self.0))
    }

    fn open_calls(&self) -> MutexGuard<'_, OpenCalls> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end(open: &Mutex<OpenCalls>, reason: &str) {
    let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
    open.ended = Some(reason.to_owned());
    for (_, (_, waiting)) in open.waiting.drain() {
        let _ = waiting.send(Err(CdpError::Closed(reason.to_owned())));
    }
}

impl ProtocolError {
    fn text(self) -> String {
        match self.data {
            Some(serde_json::Value::String(data)) => format!("{} ({data})", self.message),
            _ => self.message,
        }
    }
}

/// An answer that is on its way. Dropping it forgets the call, which may have been made all the same.
pub(crate) struct PendingCall<R> {
    connection: Connection,
    id: u64,
    method: String,
    answer: oneshot::Receiver<Answer>,
    kind: PhantomData<fn() -> R>,
}

impl<R: DeserializeOwned> PendingCall<R> {
    /// Waits for the answer.
    pub(crate) async fn answer(mut self, limit: Duration) -> Result<R, CdpError> {
        let answer = match tokio::time::timeout(limit, &mut self.answer).await {
            Ok(Ok(answer)) => answer?,
            Ok(Err(_)) => return Err(CdpError::Closed("the call was dropped".to_owned())),
            Err(_) => return Err(CdpError::Timeout { method: self.method.clone(), after: limit }),
        };
        serde_json::from_str(answer.get()).map_err(|error| CdpError::Unreadable {
            method: self.method.clone(),
            problem: error.to_string(),
        })
    }
}

impl<R> Drop for PendingCall<R> {
    fn drop(&mut self) {
        self.connection.open_calls().waiting.remove(&self.id);
    }
}
