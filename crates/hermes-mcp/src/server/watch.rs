//! Telling a client what has changed: the tools on offer, and resources it subscribed to.
//!
//! Both are looked at in intervals. Asking the registry for its generation costs next to nothing,
//! and definitions are made anew only when that has moved.

use std::sync::Arc;
use std::time::Duration;

use rmcp::Peer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{RoleServer, SubscriptionSink};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::ServerContext;
use super::client_state::Subscriptions;

/// How often changes are looked for.
const INTERVAL: Duration = Duration::from_millis(250);

/// Looks for changes until the session, or the request, is over.
pub(super) struct ChangeWatch {
    pub(super) server: Arc<ServerContext>,
    pub(super) subscriptions: Arc<Subscriptions>,
    pub(super) listener: Listener,
    pub(super) over: CancellationToken,
}

/// Who is told.
pub(super) enum Listener {
    /// A client with a session, of everything.
    Session(Peer<RoleServer>),
    /// A request that listens, of what it asked for.
    Request(SubscriptionSink),
}

/// The client cannot be told any more.
struct Unheard;

impl Listener {
    async fn tools_changed(&self) -> Result<(), Unheard> {
        match self {
            Self::Session(peer) => peer.notify_tool_list_changed().await.map_err(|_| Unheard),
            Self::Request(sink) if sink.accepted().tools_list_changed != Some(true) => Ok(()),
            Self::Request(sink) => sink.notify_tool_list_changed().await.map_err(|_| Unheard),
        }
    }

    async fn resource_updated(&self, uri: String) -> Result<(), Unheard> {
        match self {
            Self::Session(peer) => {
                let news = ResourceUpdatedNotificationParam::new(uri);
                peer.notify_resource_updated(news).await.map_err(|_| Unheard)
            }
            Self::Request(sink) => sink.notify_resource_updated(uri).await.map_err(|_| Unheard),
        }
    }
}

impl ChangeWatch {
    pub(super) async fn run(self) {
        let mut generation = self.server.runtime.registry().generation();
        let mut offered = self.server.catalog();
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.over.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let now = self.server.runtime.registry().generation();
            if now != generation {
                generation = now;
                let catalog = self.server.catalog();
                if catalog.tools != offered.tools {
                    offered = catalog;
                    if self.listener.tools_changed().await.is_err() {
                        return;
                    }
                }
            }
            if self.tell_of_resources().await.is_err() {
                return;
            }
        }
    }

    async fn tell_of_resources(&self) -> Result<(), Unheard> {
        for (uri, before) in self.subscriptions.all() {
            let now = revision(&self.server, &uri).await;
            if now == before {
                continue;
            }
            if !self.subscriptions.advance(&uri, now) {
                continue;
            }
            self.listener.resource_updated(uri).await?;
        }
        Ok(())
    }
}

/// The revision of a resource, from the first source that knows it.
pub(super) async fn revision(server: &ServerContext, uri: &str) -> Option<String> {
    for source in &server.resources {
        if let Some(revision) = source.revision(uri).await {
            return Some(revision);
        }
    }
    None
}
