//! One server over its whole life.
//!
//! A [`ManagedServer`] outlives its connections. A task of its own (`keep`) makes them, watches them and
//! makes them anew; calls (`call`) find the present one here, or wait a moment for the next. What a
//! call needs is in a watched [`Phase`], so a call on a live connection waits for nobody.
//!
//! What never happens here: two connections to one server at the same time; a task that goes on
//! after [`ManagedServer::stop`].

mod breaker;
mod call;
mod keep;
mod publish;
mod utilities;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_runtime::bridge::shared_runtime;
use hermes_tool::{Availability, Check};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::connect::{LastingState, ServersContext};
use super::connect_error::ConnectError;
use super::connection::Connection;
use super::progress::OpenCalls;
use super::sampling::Sampling;
use super::settings::{CallOrder, ServerSettings};
use super::status::ServerState;
use breaker::CircuitBreaker;
use publish::withdraw;

/// Where a server is in its life.
#[derive(Clone)]
pub(crate) enum Phase {
    /// Never started.
    Configured,
    /// A connection is being made for the first time.
    Connecting,
    /// In use.
    Live(Arc<Connection>),
    /// Closed because it was idle or old; the next call starts it.
    Recycled,
    /// The connection was lost and is being made anew.
    Reconnecting,
    /// The first connection could not be made.
    Failed,
    /// Was there once, and could not be brought back.
    Parked,
    /// Stopped for good.
    Stopped,
}

impl Phase {
    fn state(&self) -> ServerState {
        match self {
            Self::Configured | Self::Stopped => ServerState::Configured,
            Self::Connecting | Self::Reconnecting => ServerState::Connecting,
            Self::Live(_) | Self::Recycled => ServerState::Connected,
            Self::Failed => ServerState::Failed,
            Self::Parked => ServerState::Parked,
        }
    }
}

/// What is shown and changes rarely.
#[derive(Default)]
pub(crate) struct ServerFacts {
    pub(crate) error: Option<String>,
    pub(crate) warnings: Vec<String>,
    /// Registered names.
    pub(crate) names: Vec<Arc<str>>,
    /// Whether what the server offers is registered.
    pub(crate) is_published: bool,
    pub(crate) server_info: Option<String>,
    pub(crate) instructions: Option<String>,
}

/// One server.
pub(crate) struct ManagedServer {
    pub(crate) settings: Arc<ServerSettings>,
    pub(crate) shared: Arc<ServersContext>,
    pub(crate) lasting: LastingState,
    pub(crate) check: Check,
    phase: watch::Sender<Phase>,
    facts: Mutex<ServerFacts>,
    breaker: Mutex<CircuitBreaker>,
    /// One place for servers that take one call at a time.
    turns: Option<Semaphore>,
    last_used: Mutex<Instant>,
    /// A call wants a connection.
    wanted: Notify,
    /// Somebody wants a new connection even if there is one.
    renew: Notify,
    /// Done with the first attempt, well or badly.
    settled: CancellationToken,
    stopping: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl ManagedServer {
    pub(crate) fn new(settings: Arc<ServerSettings>, shared: Arc<ServersContext>) -> Arc<Self> {
        Arc::new_cyclic(|own: &std::sync::Weak<Self>| {
            let own = own.clone();
            let name = Arc::clone(&settings.name);
            let check = Check::new(move |_| match own.upgrade() {
                Some(server) => server.availability(),
                None => Availability::unavailable(format!("MCP server '{name}' is stopped"), ""),
            });
            let lasting = LastingState {
                sampling: Arc::new(Sampling::new(&settings.name, settings.sampling.clone())),
                calls: Arc::new(OpenCalls::default()),
                tools_changed: Arc::new(Notify::new()),
            };
            let turns = (settings.calls == CallOrder::OneByOne).then(|| Semaphore::new(1));
            Self {
                settings,
                shared,
                lasting,
                check,
                phase: watch::Sender::new(Phase::Configured),
                facts: Mutex::default(),
                breaker: Mutex::default(),
                turns,
                last_used: Mutex::new(Instant::now()),
                wanted: Notify::new(),
                renew: Notify::new(),
                settled: CancellationToken::new(),
                stopping: CancellationToken::new(),
                task: Mutex::default(),
            }
        })
    }

    /// Starts the task that keeps the server connected; a second call changes nothing.
    pub(crate) fn start(self: &Arc<Self>) {
        let mut task = lock(&self.task);
        if task.is_none() && !self.stopping.is_cancelled() {
            self.enter(Phase::Connecting);
            *task = Some(shared_runtime().spawn(Arc::clone(self).keep()));
        }
    }

    /// Wants a new connection, also if the server was given up.
    pub(crate) fn renew(&self) {
        lock(&self.breaker).reached();
        self.renew.notify_one();
    }

    /// Ends the connection and the task; false if that takes longer than `limit`.
    pub(crate) async fn stop(&self, limit: Duration) -> bool {
        self.stopping.cancel();
        let task = lock(&self.task).take();
        let Some(mut task) = task else { return true };
        let ended = tokio::time::timeout(limit, &mut task).await.is_ok();
        if !ended {
            // Dropping what it holds kills the program.
            task.abort();
            withdraw(self);
        }
        self.enter(Phase::Stopped);
        ended
    }

    /// Resolves when the first attempt has ended.
    pub(crate) async fn settled(&self) {
        self.settled.cancelled().await;
    }

    /// How it is doing. Connected means that its tools are there.
    pub(crate) fn state(&self) -> ServerState {
        let state = self.phase.borrow().state();
        if state == ServerState::Connected && !self.facts().is_published {
            return ServerState::Connecting;
        }
        state
    }

    pub(crate) fn facts(&self) -> MutexGuard<'_, ServerFacts> {
        lock(&self.facts)
    }

    fn availability(&self) -> Availability {
        let phase = self.phase.borrow();
        if matches!(&*phase, Phase::Live(_) | Phase::Recycled) {
            return Availability::Available;
        }
        let name = &self.settings.name;
        let reason = format!("MCP server '{name}' is {}", phase.state().label());
        Availability::unavailable(reason, "`hermes mcp list` says why")
    }

    fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    fn note_error(&self, error: &ConnectError) {
        tracing::warn!(server = %self.settings.name, "{error}");
        self.facts().error = Some(error.to_string());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
