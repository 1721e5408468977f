//! The rooms of this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_host::AgentFactory;

use super::room::Room;

/// The tools and models all rooms share, made when first needed: without a model there is a dashboard, too.
pub(crate) type Workshop = tokio::sync::Mutex<Option<Arc<AgentFactory>>>;

/// The rooms of this process.
#[derive(Default)]
pub(crate) struct Rooms {
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    pub(crate) workshop: Workshop,
}

impl Rooms {
    /// All of them.
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The room of a session, if it was used.
    pub(crate) fn find(&self, session: &str) -> Option<Arc<Room>> {
        self.lock().get(session).cloned()
    }

    /// How many are at work.
    pub(crate) fn at_work(&self) -> usize {
        self.lock().values().filter(|room| room.is_busy()).count()
    }
}
