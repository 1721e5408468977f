//! The conversations with Hermes, for other programs: tools that list them, read them, tell what is new
//! in them, and show and answer what waits for a person's word.
//!
//! They are tools like any other, in a toolset of their own, and only there when a host registers them:
//! whoever may call them reads every conversation, secrets masked. Answering a question is for others
//! than who raised it: a client's model cannot agree to its own commands.
//!
//! What never happens here: a conversation is changed.

mod approvals;
mod conversations;
mod events;
mod watch;

use std::sync::Arc;

use hermes_sessions::SessionDatabase;
use hermes_tool::Tool;

pub use approvals::{ApprovalDecision, PendingApprovals, Ticket};
pub use events::EventQueue;

/// The toolset of these tools.
pub const BRIDGE_TOOLSET: &str = "bridge";

/// Changes a text on its way out, to hide secrets.
type Redact = fn(&str) -> String;

/// Everything these tools work on.
#[derive(Clone)]
pub struct Bridge {
    store: SessionDatabase,
    redact: Redact,
    events: Arc<EventQueue>,
    approvals: Arc<PendingApprovals>,
}

impl Bridge {
    /// The conversations of a store. Must be called inside an async runtime, in which the store is
    /// watched from now on.
    #[must_use]
    pub fn start(store: SessionDatabase, redact: Redact) -> Self {
        let events = Arc::<EventQueue>::default();
        let approvals = Arc::new(PendingApprovals::new(Arc::clone(&events)));
        tokio::spawn(watch::run(store.clone(), redact, Arc::downgrade(&events)));
        Self { store, redact, events, approvals }
    }

    /// Where questions to a person are put, for these tools to show.
    #[must_use]
    pub fn approvals(&self) -> &Arc<PendingApprovals> {
        &self.approvals
    }

    /// Those about conversations and those about events, for a registry.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let mut tools = conversations::tools(&self.store, self.redact);
        tools.extend(events::tools(&self.events));
        tools
    }

    /// The tools with which a client answers what others were asked, for hosts that put their questions
    /// among those that wait.
    #[must_use]
    pub fn answering_tools(&self) -> Vec<Tool> {
        approvals::tools(&self.approvals)
    }
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bridge")
    }
}

#[cfg(test)]
mod tests;
