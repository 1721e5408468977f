//! Knowing when compacting is of no use.

use super::CompactionOutcome;

/// Poor compactions in a row after which a session is left alone.
const MAX_POOR: u32 = 2;
/// A compaction that frees less than this part of the window is poor.
const WORTH_PART: u64 = 10;

/// Counts compactions that were not worth it; those that were may be as many as a long job needs. One for
/// each session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AntiThrash {
    poor: u32,
}

impl AntiThrash {
    /// Whether another try makes sense; if not, the user should be told so once.
    #[must_use]
    pub fn may_try(&self) -> bool {
        self.poor < MAX_POOR
    }

    /// Takes note of what came of a try in a window of this many tokens.
    pub fn record(&mut self, outcome: &CompactionOutcome, window: u64) {
        let is_poor = match outcome {
            CompactionOutcome::Changed(change) => !is_worth_it(change.freed(), window),
            CompactionOutcome::Unchanged => true,
            // The caller waits before it tries again; that is enough.
            CompactionOutcome::Postponed { .. } => return,
        };
        self.poor = if is_poor { self.poor + 1 } else { 0 };
    }
}

/// Whether so many tokens are progress in a window of this size.
pub(super) fn is_worth_it(freed: u64, window: u64) -> bool {
    freed.saturating_mul(WORTH_PART) >= window
}

#[cfg(test)]
mod tests {
    use super::super::{CompactedHistory, CompactionMethod};
    use super::*;

    fn changed(before: u64, after: u64) -> CompactionOutcome {
        CompactionOutcome::Changed(CompactedHistory {
            messages: Vec::new(),
            kept: 0,
            tokens_before: before,
            tokens_after: after,
            how: CompactionMethod::Pruned,
        })
    }

    #[test]
    fn two_poor_tries_in_a_row_are_enough() {
        let mut thrash = AntiThrash::default();
        thrash.record(&changed(100, 91), 100);
        assert!(thrash.may_try());
        thrash.record(&changed(100, 50), 100);
        thrash.record(&CompactionOutcome::Unchanged, 100);
        assert!(thrash.may_try());
        // Half of what there was, but next to nothing of the window.
        thrash.record(&changed(10, 5), 100);
        assert!(!thrash.may_try());
    }

    #[test]
    fn as_many_as_make_progress() {
        let mut thrash = AntiThrash::default();
        for _ in 0..1_000 {
            thrash.record(&changed(100, 90), 100);
            assert!(thrash.may_try());
        }
    }
}
