//! How many times a model may still be asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A counter of model calls that an agent shares with nobody, or a parent with its children.
#[derive(Clone, Debug)]
pub struct IterationBudget(Arc<AtomicU32>);

impl IterationBudget {
    /// A budget of so many calls.
    #[must_use]
    pub fn new(calls: u32) -> Self {
        Self(Arc::new(AtomicU32::new(calls)))
    }

    /// Takes one; whether there was one to take.
    #[must_use]
    pub fn take(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Takes back an iteration that turned out to cost nothing.
    pub fn give_back(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many model calls may still be made.
    #[must_use]
    pub fn left(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_can_be_given_back_and_never_goes_below_nothing() {
        let budget = IterationBudget::new(1);
        assert!(budget.take());
        assert!(!budget.clone().take());
        budget.give_back();
        assert_eq!(budget.left(), 1);
    }
}
