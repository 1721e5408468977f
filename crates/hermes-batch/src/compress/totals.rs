//! What was done, for one row and for all.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What was done with one row; kept in it under `compression_metrics` if it was compressed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RowMetrics {
    /// Tokens before.
    pub original_tokens: u64,
    /// Tokens after.
    pub compressed_tokens: u64,
    /// Fewer by so many.
    pub tokens_saved: u64,
    /// After by before, to four places.
    pub compression_ratio: f64,
    /// Turns before.
    pub original_turns: usize,
    /// Turns after.
    pub compressed_turns: usize,
    /// Fewer by so many.
    pub turns_removed: usize,
    /// What was replaced.
    pub compression_region: CompressedRegion,
    /// Whether anything was.
    pub was_compressed: bool,
    /// Whether it is longer than the target all the same.
    pub still_over_limit: bool,
    /// Whether there was nothing to do.
    pub skipped_under_target: bool,
    /// Requests for its summary.
    pub summarization_api_calls: u32,
    /// Those that gave none.
    pub summarization_errors: u32,
}

/// The turns that a summary stands for; −1, −1, 0 if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CompressedRegion {
    /// The first of them.
    pub start_idx: i64,
    /// The first behind them.
    pub end_idx: i64,
    /// How many there are.
    pub turns_count: usize,
}

impl Default for CompressedRegion {
    fn default() -> Self {
        Self { start_idx: -1, end_idx: -1, turns_count: 0 }
    }
}

impl RowMetrics {
    /// Of a row that stays as it is.
    #[must_use]
    pub fn unchanged(tokens: u64, turns: usize) -> Self {
        Self {
            original_tokens: tokens,
            compressed_tokens: tokens,
            compression_ratio: 1.0,
            original_turns: turns,
            compressed_turns: turns,
            ..Self::default()
        }
    }
}

/// Sums over all rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompressTotals {
    /// Rows that were written or would have been.
    pub rows: u64,
    /// Lines that are no rows.
    pub bad_lines: u64,
    /// Rows that were made shorter.
    pub compressed: u64,
    /// Rows that were short enough.
    pub short: u64,
    /// Rows that are too long still.
    pub long: u64,
    /// Rows whose summary could not be had.
    pub failed: u64,
    /// Compressed rows in which calls and results do not match up.
    pub unpaired: u64,
    before: u64,
    after: u64,
    turns_before: u64,
    turns_after: u64,
    ratios: f64,
    saved: u64,
    removed: u64,
    calls: u64,
    errors: u64,
}

impl CompressTotals {
    /// Counts a row.
    pub fn add(&mut self, row: &RowMetrics) {
        self.rows += 1;
        self.before += row.original_tokens;
        self.after += row.compressed_tokens;
        self.turns_before += row.original_turns as u64;
        self.turns_after += row.compressed_turns as u64;
        self.short += u64::from(row.skipped_under_target);
        self.long += u64::from(row.still_over_limit);
        self.calls += u64::from(row.summarization_api_calls);
        self.errors += u64::from(row.summarization_errors);
        if row.was_compressed {
            self.compressed += 1;
            self.ratios += row.compression_ratio;
            self.saved += row.tokens_saved;
            self.removed += row.turns_removed as u64;
        }
    }

    /// The file of totals; `began` and `ended` are when the work began and ended.
    #[must_use]
    pub fn to_json(&self, began: jiff::Timestamp, ended: jiff::Timestamp) -> Value {
        let share = |part: f64, of: u64, empty: f64, places| {
            if of == 0 { empty } else { round(part / of as f64, places) }
        };
        let all = self.compressed;
        json!({
            "summary": {
                "total_trajectories": self.rows, "trajectories_compressed": all,
                "trajectories_skipped_under_target": self.short,
                "trajectories_still_over_limit": self.long, "trajectories_failed": self.failed,
                "compression_rate": share(all as f64, self.rows, 0.0, 4),
                "bad_lines": self.bad_lines, "unpaired": self.unpaired,
            },
            "tokens": {
                "total_before": self.before, "total_after": self.after,
                "total_saved": self.before.saturating_sub(self.after),
                "overall_compression_ratio": share(self.after as f64, self.before, 1.0, 4),
            },
            "turns": {
                "total_before": self.turns_before, "total_after": self.turns_after,
                "total_removed": self.turns_before.saturating_sub(self.turns_after),
            },
            "averages": {
                "avg_compression_ratio": share(self.ratios, all, 1.0, 4),
                "avg_tokens_saved_per_compressed": share(self.saved as f64, all, 0.0, 1),
                "avg_turns_removed_per_compressed": share(self.removed as f64, all, 0.0, 2),
            },
            "summarization": {
                "total_api_calls": self.calls, "total_errors": self.errors,
                "success_rate": share(self.calls.saturating_sub(self.errors) as f64, self.calls, 1.0, 4),
            },
            "processing": {
                "start_time": began.to_string(), "end_time": ended.to_string(),
                "duration_seconds": round((ended - began).total(jiff::Unit::Second).unwrap_or(0.0), 2),
            },
        })
    }
}

pub(super) fn round(value: f64, places: i32) -> f64 {
    let unit = 10_f64.powi(places);
    (value * unit).round() / unit
}
