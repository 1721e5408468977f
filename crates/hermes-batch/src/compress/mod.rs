//! The compressor: finished trajectories made short enough to train on, with no call cut off from its answer.
//!
//! ```text
//! line ──► tokens of each turn ──► decide: as it is, or this region ──► a summary instead of the region
//!   └──────────────── rows are read one by one and written in the order of the input ───────────────┘
//! ```
//!
//! The memory it takes does not depend on the size of the input: rows wait for their summary only within a window of
//! bytes and requests. A row whose summary cannot be had stays as it is and is counted; nothing is made up for it.

mod decide;
mod options;
mod pass;
mod progress;
mod summary;
mod tokens;
mod totals;

pub use decide::{CompressPlan, decide};
pub use options::{CompressOptions, ProtectedTurns, SummaryOptions};
pub use pass::{CompressJob, compress};
pub use summary::TrajectorySummariser;
pub use tokens::TokenCounter;
pub use totals::{CompressTotals, RowMetrics};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// One turn of a trajectory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrajectoryTurn<'a> {
    /// `system`, `human`, `gpt` or `tool`.
    #[serde(borrow)]
    pub from: Cow<'a, str>,
    /// What was said.
    #[serde(borrow)]
    pub value: Cow<'a, str>,
}

/// Whether the calls before each turn of results are as many as the results in it. A turn of the model that ends the
/// row may have calls nobody answered.
#[must_use]
pub fn is_paired(turns: &[TrajectoryTurn<'_>]) -> bool {
    let calls = |turn: &TrajectoryTurn<'_>| turn.value.matches("<tool_call>").count();
    let answers = |turn: &TrajectoryTurn<'_>| turn.value.matches("<tool_response>").count();
    turns.iter().enumerate().filter(|(_, turn)| turn.from == "tool").all(|(place, turn)| {
        let before = place.checked_sub(1).and_then(|before| turns.get(before));
        before.is_some_and(|before| before.from == "gpt" && calls(before) == answers(turn))
    })
}
