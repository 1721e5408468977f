//! Knowing when compressing is of no use.

use super::{CompactionMethod, CompactionOutcome};

/// Poor compressions in a row after which a session is left alone.
const MAX_POOR: u32 = 2;

/// Counts compressions that were not worth it. One for each session.
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

    /// Takes note of what came of a try: less than a tenth saved, or a summary without a model, is poor.
    pub fn record(&mut self, outcome: &CompactionOutcome) {
        let poor = match outcome {
            CompactionOutcome::Changed(change) => {
                let saved = change.tokens_before.saturating_sub(change.tokens_after);
                saved * 10 < change.tokens_before
                    || matches!(change.how, CompactionMethod::Outline { .. })
            }
            CompactionOutcome::Unchanged => true,
            // The caller waits before it tries again; that is enough.
            CompactionOutcome::Postponed { .. } => return,
        };
        self.poor = if poor { self.poor + 1 } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::super::CompactedHistory;
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
        thrash.record(&changed(100, 95));
        assert!(thrash.may_try());
        thrash.record(&changed(100, 50));
        thrash.record(&CompactionOutcome::Unchanged);
        assert!(thrash.may_try());
        thrash.record(&changed(100, 91));
        assert!(!thrash.may_try());
    }
}
