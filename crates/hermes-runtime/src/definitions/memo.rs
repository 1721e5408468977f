//! The memory of the last few definitions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::{DefinitionRequest, Definitions};
use crate::runtime::Runtime;

/// How many results are kept; the oldest goes first.
const CAPACITY: usize = 8;

/// Everything a result depends on, beside the moment its availability answers expire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    request: DefinitionRequest,
    state: State,
}

/// Counters of everything that may change under a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    registry: u64,
    toolsets: u64,
    settings: u64,
    availability: u64,
}

impl State {
    fn of(runtime: &Runtime) -> Self {
        Self {
            registry: runtime.registry().generation(),
            toolsets: runtime.toolsets().revision(),
            settings: runtime.settings_revision(),
            availability: runtime.availability().epoch(),
        }
    }
}

struct Kept {
    key: Key,
    definitions: Arc<Definitions>,
    valid_until: Option<Instant>,
}

#[derive(Default)]
pub(crate) struct Memo(Mutex<VecDeque<Kept>>);

impl Memo {
    /// A result that still holds.
    pub(crate) fn get(
        &self,
        runtime: &Runtime,
        request: &DefinitionRequest,
    ) -> Option<Arc<Definitions>> {
        let state = State::of(runtime);
        let kept = self.kept();
        let found =
            kept.iter().find(|kept| kept.key.state == state && kept.key.request == *request)?;
        let fresh = found.valid_until.is_none_or(|until| runtime.availability().now() < until);
        fresh.then(|| Arc::clone(&found.definitions))
    }

    /// The key under which a result about to be built belongs. Taken before building: a change made
    /// meanwhile then makes the key stale, never the result.
    pub(crate) fn key(&self, runtime: &Runtime, request: &DefinitionRequest) -> Key {
        Key { request: request.clone(), state: State::of(runtime) }
    }

    pub(crate) fn put(
        &self,
        key: Key,
        definitions: &Arc<Definitions>,
        valid_until: Option<Instant>,
    ) {
        let mut kept = self.kept();
        kept.retain(|other| other.key != key);
        if kept.len() == CAPACITY {
            kept.pop_front();
        }
        kept.push_back(Kept { key, definitions: Arc::clone(definitions), valid_until });
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
