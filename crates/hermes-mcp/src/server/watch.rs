//! Telling a client what has changed: the tools on offer, and resources it subscribed to.
//!
//! Both are looked at in intervals. Asking the registry for its generation costs next to nothing,
//! and definitions are made anew only when that has moved.

use std::sync::Arc;
use std::time::Duration;

use rmcp::Peer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::RoleServer;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::ServerContext;
use super::client_state::Subscriptions;

/// How often changes are looked for.
const INTERVAL: Duration = Duration::from_millis(250);

/// Looks for changes until the session is over.
pub(super) struct ChangeWatch {
    pub(super) server: Arc<ServerContext>,
    pub(super) subscriptions: Arc<Subscriptions>,
    pub(super) peer: Peer<RoleServer>,
    pub(super) over: CancellationToken,
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
                    if self.peer.notify_tool_list_changed().await.is_err() {
                        return;
                    }
                }
            }
            if self.tell_of_resources().await.is_err() {
                return;
            }
        }
    }

    async fn tell_of_resources(&self) -> Result<(), rmcp::ServiceError> {
        for (uri, before) in self.subscriptions.all() {
            let now = revision(&self.server, &uri).await;
            if now == before {
                continue;
            }
            if !self.subscriptions.advance(&uri, now) {
                continue;
            }
            self.peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
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
