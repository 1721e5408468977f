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

use super::session::{Subscriptions, lock};
use super::{Shared, catalog};

/// How often changes are looked for.
const INTERVAL: Duration = Duration::from_millis(250);

/// Looks for changes until the session is over.
pub(super) struct Watch {
    pub(super) shared: Arc<Shared>,
    pub(super) subscriptions: Subscriptions,
    pub(super) peer: Peer<RoleServer>,
    pub(super) over: CancellationToken,
}

impl Watch {
    pub(super) async fn run(self) {
        let mut generation = self.shared.runtime.registry().generation();
        let mut offered = catalog::offers(&self.shared);
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.over.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let now = self.shared.runtime.registry().generation();
            if now != generation {
                generation = now;
                let offers = catalog::offers(&self.shared);
                if offers != offered {
                    offered = offers;
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
        let known: Vec<(String, Option<String>)> =
            lock(&self.subscriptions).iter().map(|(uri, at)| (uri.clone(), at.clone())).collect();
        for (uri, before) in known {
            let now = revision(&self.shared, &uri).await;
            if now == before {
                continue;
            }
            // Unless the client has unsubscribed in the meantime.
            if let Some(at) = lock(&self.subscriptions).get_mut(&uri) {
                *at = now;
            } else {
                continue;
            }
            self.peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
        }
        Ok(())
    }
}

/// The revision of a resource, from the first source that knows it.
pub(super) async fn revision(shared: &Shared, uri: &str) -> Option<String> {
    for source in &shared.resources {
        if let Some(revision) = source.revision(uri).await {
            return Some(revision);
        }
    }
    None
}
