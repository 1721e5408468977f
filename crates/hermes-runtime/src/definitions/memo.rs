//! The memory of the last few definitions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::{DefinitionRequest, Definitions};

/// How many results are kept; the oldest goes first.
const CAPACITY: usize = 8;

/// Counters of everything that may change under a request, beside the moment its availability answers
/// expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoState {
    pub(crate) registry: u64,
    pub(crate) toolsets: u64,
    pub(crate) settings: u64,
    pub(crate) availability: u64,
}

struct Kept {
    request: DefinitionRequest,
    state: MemoState,
    definitions: Arc<Definitions>,
    valid_until: Option<Instant>,
}

#[derive(Default)]
pub(crate) struct Memo(Mutex<VecDeque<Kept>>);

impl Memo {
    /// A result that still holds.
    pub(crate) fn get(
        &self,
        state: MemoState,
        request: &DefinitionRequest,
        now: impl FnOnce() -> Instant,
    ) -> Option<Arc<Definitions>> {
        let kept = self.kept();
        let found = kept.iter().find(|kept| kept.state == state && kept.request == *request)?;
        let fresh = found.valid_until.is_none_or(|until| now() < until);
        fresh.then(|| Arc::clone(&found.definitions))
    }

    pub(crate) fn put(
        &self,
        state: MemoState,
        request: &DefinitionRequest,
        definitions: &Arc<Definitions>,
        valid_until: Option<Instant>,
    ) {
        let (request, definitions) = (request.clone(), Arc::clone(definitions));
        let mut kept = self.kept();
        kept.retain(|other| other.state != state || other.request != request);
        if kept.len() == CAPACITY {
            kept.pop_front();
        }
        kept.push_back(Kept { request, state, definitions, valid_until });
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
