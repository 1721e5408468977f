//! What is known of one client while its session lasts.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::{CancellationToken, DropGuard};

use super::ServerContext;
use super::log::LogLevel;

/// Addresses one client may hear about: each is looked at again and again.
pub(super) const MAX_SUBSCRIPTIONS: usize = 256;

/// One client. When it is dropped, whoever works for the client hears that it is gone.
pub(super) struct ClientState {
    pub(super) server: Arc<ServerContext>,
    id: Arc<str>,
    /// Whether something was done in its session. Where requests stand alone, most have none.
    has_session: AtomicBool,
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
            has_session: AtomicBool::new(false),
            subscriptions: Arc::default(),
            level: Mutex::default(),
            _over: over.clone().drop_guard(),
            over,
        }
    }

    /// The id of its session.
    pub(super) fn session(&self) -> Arc<str> {
        self.has_session.store(true, Ordering::Relaxed);
        Arc::clone(&self.id)
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
        if self.has_session.load(Ordering::Relaxed) {
            self.server.end_session(&self.id);
        }
    }
}

/// Addresses a client wants to hear about, with the revision it knows.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(Mutex<BTreeMap<String, Option<String>>>);

impl Subscriptions {
    /// Adds one, unless there are too many.
    pub(super) fn insert(&self, uri: String, revision: Option<String>) -> bool {
        let mut all = self.lock();
        let fits = all.len() < MAX_SUBSCRIPTIONS || all.contains_key(&uri);
        if fits {
            all.insert(uri, revision);
        }
        fits
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
