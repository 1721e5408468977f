//! The task that keeps one server connected.
//!
//! Read it from [`ManagedServer::keep`]: connect, watch until something ends the connection, and decide by
//! what it was. Every wait in here hears [`ManagedServer::stop`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use hermes_tool::ToolContext;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::publish::{publish, withdraw};
use super::{ManagedServer, Phase, lock};
use crate::client::connect::{ConnectAttempt, connect};
use crate::client::connect_error::ConnectError;
use crate::client::connection::{Connection, RequestLimits};
use crate::client::failure::RequestFailure;
use crate::client::listing::read_listing;
use crate::client::settings::TransportSettings;

/// Further attempts after a first connection that failed, and after a lost one.
const FIRST_RETRIES: u32 = 3;
const LATER_RETRIES: u32 = 5;
/// How long a server may take to say that it lives.
const PING_LIMIT: Duration = Duration::from_secs(30);

/// What ended a connection.
enum Ended {
    Lost,
    Renewed,
    Recycled,
    Stopped,
}

/// How the server is asked whether it lives; some do not know the proper way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pulse {
    Ping,
    Listing,
}

impl ManagedServer {
    pub(super) async fn keep(self: Arc<Self>) {
        let stopping = self.stopping.clone();
        let connection = tokio::select! {
            // The connections inside are closed by being dropped; `watch` closes its own properly.
            () = stopping.cancelled() => None,
            connection = self.connect_for_life(ConnectAttempt::First) => Some(connection),
        };
        let mut current = connection;
        while let Some(connection) = current.take() {
            let ended = self.watch(&connection).await;
            if !matches!(ended, Ended::Lost) {
                tracing::debug!(server = %self.settings.name, "closing the connection");
            }
            match ended {
                Ended::Stopped => {
                    self.enter(Phase::Stopped);
                    connection.close().await;
                    break;
                }
                Ended::Recycled => {
                    self.enter(Phase::Recycled);
                    // A call that came in between has announced itself before it looked for us.
                    if !self.lasting.calls.is_empty() {
                        self.enter(Phase::Live(Arc::clone(&connection)));
                        current = Some(connection);
                        continue;
                    }
                }
                Ended::Lost | Ended::Renewed => self.enter(Phase::Reconnecting),
            }
            connection.close().await;
            let next = async {
                if matches!(ended, Ended::Recycled) {
                    self.called_for().await;
                    self.enter(Phase::Reconnecting);
                }
                self.connect_for_life(ConnectAttempt::Again).await
            };
            current = tokio::select! {
                () = stopping.cancelled() => None,
                connection = next => Some(connection),
            };
        }
        self.enter(Phase::Stopped);
        withdraw(&self);
    }

    /// Connects, however long it takes: a server that is given up is tried now and then.
    async fn connect_for_life(self: &Arc<Self>, attempt: ConnectAttempt) -> Arc<Connection> {
        let mut attempt = attempt;
        let mut retries =
            if attempt == ConnectAttempt::First { FIRST_RETRIES } else { LATER_RETRIES };
        loop {
            match self.connect_within(retries, attempt).await {
                Ok(connection) => return connection,
                Err(error) => {
                    let phase = match attempt {
                        ConnectAttempt::First => Phase::Failed,
                        ConnectAttempt::Again => Phase::Parked,
                    };
                    withdraw(self);
                    self.enter(phase);
                    self.settled.cancel();
                    self.pause_parked(&error).await;
                    // Silent from now on: one attempt at a time.
                    retries = 0;
                    attempt = if matches!(*self.phase.borrow(), Phase::Failed) {
                        ConnectAttempt::First
                    } else {
                        ConnectAttempt::Again
                    };
                }
            }
        }
    }

    /// Some attempts with growing pauses.
    async fn connect_within(
        self: &Arc<Self>,
        retries: u32,
        attempt: ConnectAttempt,
    ) -> Result<Arc<Connection>, ConnectError> {
        let mut pause = self.shared.pace.retry;
        let mut left = retries;
        loop {
            let error = match self.connect_once(attempt).await {
                Ok(connection) => return Ok(connection),
                Err(error) => error,
            };
            self.note_error(&error);
            if error.is_final() || left == 0 {
                return Err(error);
            }
            self.settled.cancel();
            left -= 1;
            tokio::select! {
                () = sleep(pause) => {}
                () = self.renew.notified() => {}
            }
            pause = (pause * 2).min(self.shared.pace.longest_retry);
        }
    }

    /// One attempt: connect, list, register.
    async fn connect_once(
        self: &Arc<Self>,
        attempt: ConnectAttempt,
    ) -> Result<Arc<Connection>, ConnectError> {
        let limit = self.settings.connect_timeout;
        let trial = async {
            let connection = connect(&self.shared, &self.settings, &self.lasting, attempt).await?;
            let listing = read_listing(&connection, &self.settings, limit).await?;
            Ok((connection, listing))
        };
        let (connection, listing) = timeout(limit, trial).await.unwrap_or_else(|_| {
            let server = self.settings.name.to_string();
            Err(ConnectError::TimedOut { server, seconds: limit.as_secs() })
        })?;
        let connection = Arc::new(connection);
        {
            let mut facts = self.facts();
            facts.error = None;
            facts.server_info = connection.hello.server.clone();
            facts.instructions = connection.hello.instructions.clone();
        }
        lock(&self.breaker).reached();
        *lock(&self.last_used) = Instant::now();
        // Whoever wanted a new connection until now has one.
        let _ = self.renew.notified().now_or_never();
        self.enter(Phase::Live(Arc::clone(&connection)));
        publish(self, listing);
        self.settled.cancel();
        Ok(connection)
    }

    async fn pause_parked(&self, error: &ConnectError) {
        // What is wrong with the entry itself does not heal: only a person can.
        let heals = !error.is_final() || matches!(error, ConnectError::Login { .. });
        tokio::select! {
            () = sleep(self.shared.pace.parked), if heals => {}
            () = self.renew.notified() => {}
            () = self.wanted.notified(), if heals => {}
        }
    }

    /// Waits for a call or for somebody who wants a new connection.
    async fn called_for(&self) {
        tokio::select! {
            () = self.wanted.notified() => {}
            () = self.renew.notified() => {}
        }
    }

    /// Looks after a connection until it ends.
    async fn watch(self: &Arc<Self>, connection: &Arc<Connection>) -> Ended {
        let mut pulse = Pulse::Ping;
        loop {
            let check = self.next_check(connection);
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return Ended::Stopped,
                () = connection.monitor.gone.cancelled() => return Ended::Lost,
                () = self.renew.notified() => return Ended::Renewed,
                () = self.lasting.tools_changed.notified() => {
                    if self.refresh(connection).await.is_err() {
                        return Ended::Lost;
                    }
                }
                () = sleep(check) => {
                    if self.is_spent(connection) {
                        return Ended::Recycled;
                    }
                    let quiet = connection.monitor.quiet_for() >= self.settings.keepalive_interval;
                    if quiet && connection.calls.is_empty() && !self.lives(connection, &mut pulse).await {
                        return Ended::Lost;
                    }
                }
            }
        }
    }

    /// When there is something to look at next.
    fn next_check(&self, connection: &Connection) -> Duration {
        /// Often enough while a call puts things off.
        const SOON: Duration = Duration::from_millis(500);
        let keepalive = self.settings.keepalive_interval;
        let mut next = keepalive.saturating_sub(connection.monitor.quiet_for());
        if matches!(self.settings.transport, TransportSettings::Stdio(_)) {
            if let Some(limit) = self.settings.idle_timeout {
                next = next.min(limit.saturating_sub(lock(&self.last_used).elapsed()));
            }
            if let Some(limit) = self.settings.max_lifetime {
                next = next.min(limit.saturating_sub(connection.born.elapsed()));
            }
        }
        if next.is_zero() { SOON } else { next }
    }

    /// Whether a program has been idle or alive for too long, and nobody uses it right now.
    fn is_spent(&self, connection: &Connection) -> bool {
        if !matches!(self.settings.transport, TransportSettings::Stdio(_))
            || !connection.calls.is_empty()
        {
            return false;
        }
        let idle = lock(&self.last_used).elapsed();
        self.settings.idle_timeout.is_some_and(|limit| idle >= limit)
            || self.settings.max_lifetime.is_some_and(|limit| connection.born.elapsed() >= limit)
    }

    async fn lives(&self, connection: &Connection, pulse: &mut Pulse) -> bool {
        let cx = ToolContext::default();
        if *pulse == Pulse::Ping {
            match connection.request("ping", &json!({}), RequestLimits::hard(PING_LIMIT), &cx).await
            {
                Ok(_) => return true,
                Err(RequestFailure::Rpc { code, message }) if is_unknown_method(code, &message) => {
                    *pulse = Pulse::Listing;
                }
                Err(error) => {
                    tracing::warn!(server = %self.settings.name, %error, "no sign of life");
                    return false;
                }
            }
        }
        let alive = connection
            .request("tools/list", &json!({}), RequestLimits::hard(PING_LIMIT), &cx)
            .await;
        // Any answer is a sign of life, also one about a method it does not know.
        !alive.is_err_and(|error| error.is_transport())
    }

    /// Reads the list of tools again and registers what has changed.
    async fn refresh(self: &Arc<Self>, connection: &Connection) -> Result<(), ()> {
        let limit = self.settings.connect_timeout;
        match read_listing(connection, &self.settings, limit).await {
            Ok(listing) => {
                publish(self, listing);
                Ok(())
            }
            Err(error) if connection.monitor.gone.is_cancelled() => {
                self.note_error(&error);
                Err(())
            }
            Err(error) => {
                tracing::warn!(server = %self.settings.name, %error, "the new list was not read");
                Ok(())
            }
        }
    }
}

fn is_unknown_method(code: i64, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    code == -32601 || message.contains("method not found") || message.contains("unknown method")
}
