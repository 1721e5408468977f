//! The task that keeps one server connected.
//!
//! Read it from [`Server::keep`]: connect, watch until something ends the connection, and decide by
//! what it was. Every wait in here hears [`Server::stop`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use hermes_tool::ToolContext;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::{Phase, Server, lock};
use crate::client::connect::{Visit, connect};
use crate::client::connect_error::ConnectError;
use crate::client::register;
use crate::client::session::{Failure, Limits, Session};
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

impl Server {
    pub(super) async fn keep(self: Arc<Self>) {
        let stopping = self.stopping.clone();
        let session = tokio::select! {
            // The sessions inside are closed by being dropped; `watch` closes its own properly.
            () = stopping.cancelled() => None,
            session = self.connect_for_life(Visit::First) => Some(session),
        };
        let mut current = session;
        while let Some(session) = current.take() {
            let ended = self.watch(&session).await;
            if !matches!(ended, Ended::Lost) {
                tracing::debug!(server = %self.settings.name, "closing the connection");
            }
            match ended {
                Ended::Stopped => {
                    self.enter(Phase::Stopped);
                    session.close().await;
                    break;
                }
                Ended::Recycled => {
                    self.enter(Phase::Recycled);
                    // A call that came in between has announced itself before it looked for us.
                    if !self.lasting.calls.is_empty() {
                        self.enter(Phase::Live(Arc::clone(&session)));
                        current = Some(session);
                        continue;
                    }
                }
                Ended::Lost | Ended::Renewed => self.enter(Phase::Reconnecting),
            }
            session.close().await;
            let next = async {
                if matches!(ended, Ended::Recycled) {
                    self.called_for().await;
                    self.enter(Phase::Reconnecting);
                }
                self.connect_for_life(Visit::Again).await
            };
            current = tokio::select! {
                () = stopping.cancelled() => None,
                session = next => Some(session),
            };
        }
        self.enter(Phase::Stopped);
        register::withdraw(&self);
    }

    /// Connects, however long it takes: a server that is given up is tried now and then.
    async fn connect_for_life(self: &Arc<Self>, visit: Visit) -> Arc<Session> {
        let mut visit = visit;
        let mut retries = if visit == Visit::First { FIRST_RETRIES } else { LATER_RETRIES };
        loop {
            match self.connect_within(retries, visit).await {
                Ok(session) => return session,
                Err(error) => {
                    let phase = match visit {
                        Visit::First => Phase::Failed,
                        Visit::Again => Phase::Parked,
                    };
                    register::withdraw(self);
                    self.enter(phase);
                    self.settled.cancel();
                    self.pause_parked(&error).await;
                    // Silent from now on: one attempt at a time.
                    retries = 0;
                    visit = if matches!(*self.phase.borrow(), Phase::Failed) {
                        Visit::First
                    } else {
                        Visit::Again
                    };
                }
            }
        }
    }

    /// Some attempts with growing pauses.
    async fn connect_within(
        self: &Arc<Self>,
        retries: u32,
        visit: Visit,
    ) -> Result<Arc<Session>, ConnectError> {
        let mut pause = self.shared.pace.retry;
        let mut left = retries;
        loop {
            let error = match self.connect_once(visit).await {
                Ok(session) => return Ok(session),
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
    async fn connect_once(self: &Arc<Self>, visit: Visit) -> Result<Arc<Session>, ConnectError> {
        let limit = self.settings.connect_timeout;
        let attempt = async {
            let session = connect(&self.shared, &self.settings, &self.lasting, visit).await?;
            let offer = register::read_offer(&session, &self.settings, limit).await?;
            Ok((session, offer))
        };
        let (session, offer) = timeout(limit, attempt).await.unwrap_or_else(|_| {
            let server = self.settings.name.to_string();
            Err(ConnectError::TimedOut { server, seconds: limit.as_secs() })
        })?;
        let session = Arc::new(session);
        {
            let mut facts = self.facts();
            facts.error = None;
            facts.server_info = session.hello.server.clone();
            facts.instructions = session.hello.instructions.clone();
        }
        lock(&self.breaker).reached();
        *lock(&self.last_used) = Instant::now();
        // Whoever wanted a new connection until now has one.
        let _ = self.renew.notified().now_or_never();
        self.enter(Phase::Live(Arc::clone(&session)));
        register::publish(self, offer);
        self.settled.cancel();
        Ok(session)
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
    async fn watch(self: &Arc<Self>, session: &Arc<Session>) -> Ended {
        let mut pulse = Pulse::Ping;
        loop {
            let check = self.next_check(session);
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return Ended::Stopped,
                () = session.wire.gone.cancelled() => return Ended::Lost,
                () = self.renew.notified() => return Ended::Renewed,
                () = self.lasting.tools_changed.notified() => {
                    if self.refresh(session).await.is_err() {
                        return Ended::Lost;
                    }
                }
                () = sleep(check) => {
                    if self.is_spent(session) {
                        return Ended::Recycled;
                    }
                    let quiet = session.wire.quiet_for() >= self.settings.keepalive_interval;
                    if quiet && session.calls.is_empty() && !self.lives(session, &mut pulse).await {
                        return Ended::Lost;
                    }
                }
            }
        }
    }

    /// When there is something to look at next.
    fn next_check(&self, session: &Session) -> Duration {
        /// Often enough while a call puts things off.
        const SOON: Duration = Duration::from_millis(500);
        let keepalive = self.settings.keepalive_interval;
        let mut next = keepalive.saturating_sub(session.wire.quiet_for());
        if matches!(self.settings.transport, TransportSettings::Stdio(_)) {
            if let Some(limit) = self.settings.idle_timeout {
                next = next.min(limit.saturating_sub(lock(&self.last_used).elapsed()));
            }
            if let Some(limit) = self.settings.max_lifetime {
                next = next.min(limit.saturating_sub(session.born.elapsed()));
            }
        }
        if next.is_zero() { SOON } else { next }
    }

    /// Whether a program has been idle or alive for too long, and nobody uses it right now.
    fn is_spent(&self, session: &Session) -> bool {
        if !matches!(self.settings.transport, TransportSettings::Stdio(_))
            || !session.calls.is_empty()
        {
            return false;
        }
        let idle = lock(&self.last_used).elapsed();
        self.settings.idle_timeout.is_some_and(|limit| idle >= limit)
            || self.settings.max_lifetime.is_some_and(|limit| session.born.elapsed() >= limit)
    }

    async fn lives(&self, session: &Session, pulse: &mut Pulse) -> bool {
        let cx = ToolContext::default();
        if *pulse == Pulse::Ping {
            match session.request("ping", &json!({}), Limits::hard(PING_LIMIT), &cx).await {
                Ok(_) => return true,
                Err(Failure::Rpc { code, message }) if is_unknown_method(code, &message) => {
                    *pulse = Pulse::Listing;
                }
                Err(error) => {
                    tracing::warn!(server = %self.settings.name, %error, "no sign of life");
                    return false;
                }
            }
        }
        let alive = session.request("tools/list", &json!({}), Limits::hard(PING_LIMIT), &cx).await;
        // Any answer is a sign of life, also one about a method it does not know.
        !alive.is_err_and(|error| error.is_transport())
    }

    /// Reads the list of tools again and registers what has changed.
    async fn refresh(self: &Arc<Self>, session: &Session) -> Result<(), ()> {
        let limit = self.settings.connect_timeout;
        match register::read_offer(session, &self.settings, limit).await {
            Ok(offer) => {
                register::publish(self, offer);
                Ok(())
            }
            Err(error) if session.wire.gone.is_cancelled() => {
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
