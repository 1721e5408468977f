//! A transport that is listened to.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use std::sync::Arc;

/// What is known of a connection from the outside.
#[derive(Debug)]
pub(crate) struct Wire {
    /// Requests handed to the transport. One that never was cannot have been delivered.
    handed: Mutex<HashSet<RequestId>>,
    last: Mutex<Instant>,
    /// Cancelled when the connection has ended.
    pub(crate) gone: CancellationToken,
}

impl Wire {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            handed: Mutex::default(),
            last: Mutex::new(Instant::now()),
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

    pub(crate) fn touch(&self) {
        *lock(&self.last) = Instant::now();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A transport and the notes taken on it.
pub(crate) struct Tapped<T> {
    inner: T,
    wire: Arc<Wire>,
}

impl<T> Tapped<T> {
    pub(crate) fn new(inner: T, wire: Arc<Wire>) -> Self {
        Self { inner, wire }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Tapped<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.wire.touch();
        if let ClientJsonRpcMessage::Request(request) = &item {
            lock(&self.wire.handed).insert(request.id.clone());
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await;
        self.wire.touch();
        if message.is_none() {
            self.wire.gone.cancel();
        }
        message
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.wire.gone.cancel();
        self.inner.close()
    }
}
