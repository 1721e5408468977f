//! A transport with notes taken on it: what was handed to it, when it was last used, how it ended.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use crate::client::failure::RequestFailure;

/// What is known of a connection from the outside.
#[derive(Debug)]
pub(crate) struct ConnectionMonitor {
    /// Requests handed to the transport. One that never was cannot have been delivered.
    handed: Mutex<HashSet<RequestId>>,
    last: Mutex<Instant>,
    why_ended: OnceLock<String>,
    /// Cancelled when the connection has ended.
    pub(crate) gone: CancellationToken,
}

impl ConnectionMonitor {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            handed: Mutex::default(),
            last: Mutex::new(Instant::now()),
            why_ended: OnceLock::new(),
            gone: CancellationToken::new(),
        })
    }

    /// Whether a request went to the transport; asked once, after which it is forgotten.
    pub(crate) fn take_handed(&self, id: &RequestId) -> bool {
        lock(&self.handed).remove(id)
    }

    /// How long nothing was sent or received.
    pub(crate) fn quiet_for(&self) -> Duration {
        lock(&self.last).elapsed()
    }

    /// Keeps why we are about to end the connection ourselves; the first reason stays.
    pub(crate) fn ends_because(&self, why: impl Into<String>) {
        let _ = self.why_ended.set(why.into());
    }

    /// What those are told whose requests the server had when the connection ended.
    pub(crate) fn loss(&self) -> RequestFailure {
        let usual = || "the connection was lost while the server had the request".to_owned();
        RequestFailure::Lost(self.why_ended.get().cloned().unwrap_or_else(usual))
    }

    /// Something was sent or has arrived.
    pub(crate) fn touch(&self) {
        *lock(&self.last) = Instant::now();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A transport and the notes taken on it.
pub(crate) struct MonitoredTransport<T> {
    inner: T,
    monitor: Arc<ConnectionMonitor>,
}

impl<T> MonitoredTransport<T> {
    pub(crate) fn new(inner: T, monitor: Arc<ConnectionMonitor>) -> Self {
        Self { inner, monitor }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for MonitoredTransport<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.monitor.touch();
        if let ClientJsonRpcMessage::Request(request) = &item {
            lock(&self.monitor.handed).insert(request.id.clone());
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await;
        self.monitor.touch();
        if message.is_none() {
            self.monitor.gone.cancel();
        }
        message
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.monitor.gone.cancel();
        self.inner.close()
    }
}
