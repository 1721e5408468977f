//! What is known of one client while its session lasts.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::service::{RequestContext, RoleServer};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::ServerContext;
use super::log::LogLevel;

/// One client. When it is dropped, whoever works for the client hears that it is gone.
pub(super) struct ClientState {
    pub(super) server: Arc<ServerContext>,
    pub(super) id: Arc<str>,
    pub(super) subscriptions: Arc<Subscriptions>,
    pub(super) over: CancellationToken,
    level: Mutex<LogLevel>,
    _over: DropGuard,
}

impl ClientState {
    pub(super) fn new(server: Arc<ServerContext>) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let over = CancellationToken::new();
        Self {
            server,
            id: format!("mcp_{}_{number}", std::process::id()).into(),
            subscriptions: Arc::default(),
            level: Mutex::default(),
            _over: over.clone().drop_guard(),
            over,
        }
    }

    /// Log lines below this level are not sent.
    pub(super) fn log_level(&self) -> LogLevel {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_log_level(&self, level: LogLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }
}

impl Drop for ClientState {
    fn drop(&mut self) {
        if let Some(act) = &self.server.session_end {
            act(&self.id);
        }
    }
}

/// Whether a client shows forms to a person.
pub(super) fn takes_questions(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let offered = capabilities.and_then(|capabilities| capabilities.elicitation);
    // Before there were two kinds, offering elicitation meant forms.
    offered.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// Addresses a client wants to hear about, with the revision it knows.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(Mutex<BTreeMap<String, Option<String>>>);

impl Subscriptions {
    pub(super) fn insert(&self, uri: String, revision: Option<String>) {
        self.lock().insert(uri, revision);
    }

    pub(super) fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    /// All of them, as they are now.
    pub(super) fn all(&self) -> Vec<(String, Option<String>)> {
        self.lock().iter().map(|(uri, at)| (uri.clone(), at.clone())).collect()
    }

    /// Keeps the revision the client is about to hear of; false if it has unsubscribed meanwhile.
    pub(super) fn advance(&self, uri: &str, revision: Option<String>) -> bool {
        match self.lock().get_mut(uri) {
            Some(at) => {
                *at = revision;
                true
            }
            None => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Option<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
