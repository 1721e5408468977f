//! What happened in a run, numbered, so that it can be read again from any place by any number of readers.

use std::collections::VecDeque;

use serde_json::Value;

/// Events that are kept of a run.
pub(crate) const MOST_EVENTS: usize = 1_000;

/// The events of a run, oldest first.
#[derive(Default)]
pub(crate) struct Journal {
    last: u64,
    events: VecDeque<(u64, Value)>,
}

impl Journal {
    /// Adds an event; its number.
    pub(crate) fn push(&mut self, event: Value) -> u64 {
        self.last += 1;
        self.events.push_back((self.last, event));
        if self.events.len() > MOST_EVENTS {
            self.events.pop_front();
        }
        self.last
    }

    /// The events after one, and whether some between are no longer kept.
    pub(crate) fn after(&self, seen: u64) -> (Vec<(u64, Value)>, bool) {
        let oldest = self.events.front().map_or(self.last + 1, |(number, _)| *number);
        let rest = self.events.iter().filter(|(number, _)| *number > seen).cloned().collect();
        (rest, seen + 1 < oldest)
    }

    /// The number of the newest.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// The newest.
    pub(crate) fn newest(&self) -> Option<&Value> {
        self.events.back().map(|(_, event)| event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_begin_anywhere_and_hear_what_is_missing() {
        let mut journal = Journal::default();
        for number in 1..=3 {
            journal.push(number.into());
        }
        assert_eq!(journal.after(1), (vec![(2, 2.into()), (3, 3.into())], false));
        assert_eq!(journal.after(3), (vec![], false));
        for number in 0..MOST_EVENTS {
            journal.push(number.into());
        }
        assert!(journal.after(1).1);
        assert!(!journal.after(3).1);
        assert_eq!(journal.after(0).0.len(), MOST_EVENTS);
    }
}
