//! Variables that somebody was asked for and did not give.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most answers remembered.
const MAX_DECLINED: usize = 4096;

/// What people left out, by conversation: they are not asked twice.
#[derive(Debug, Default)]
pub struct DeclinedVariables(Mutex<HashSet<(String, String)>>);

impl DeclinedVariables {
    /// Remembers that a variable was left out in a conversation.
    pub fn note(&self, conversation: &str, variable: &str) {
        let mut known = self.known();
        if known.len() >= MAX_DECLINED {
            known.clear();
        }
        known.insert((conversation.to_owned(), variable.to_owned()));
    }

    /// Whether it was left out in this conversation.
    #[must_use]
    pub fn holds(&self, conversation: &str, variable: &str) -> bool {
        self.known().contains(&(conversation.to_owned(), variable.to_owned()))
    }

    fn known(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
