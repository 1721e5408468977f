//! The executor: all the calls of one model turn.
//!
//! [`Runtime::read_call`](crate::Runtime::read_call) turns what the model wrote into a call.
//! [`plan`] cuts the calls into runs that may go at the same time and calls that must go alone.
//! [`Runtime::run_turn`](crate::Runtime::run_turn) follows the plan. Gate and guardrails are asked up front, in order, on the
//! caller's task; then the handlers of a run start together. Results come back in the order of the
//! calls, one for each, whatever happened: a call that never started, or was left behind, says so.

use std::sync::Arc;
use std::time::Duration;

use hermes_tool::{Args, Vars};
use tokio_util::sync::CancellationToken;

use crate::limits::ResultLimits;
use crate::pipeline::CallOutcome;

mod admission;
mod plan;
mod run;
#[cfg(test)]
mod tests;

pub use crate::pipeline::{Disposition, TurnState};
pub use admission::{Unreadable, WrittenCall};
pub use plan::{Placement, Segment, place, plan};

/// How many handlers of a run work at the same time.
pub const MAX_WORKERS: usize = 8;
/// How long a whole run may take, unless configured otherwise.
pub const DEFAULT_RUN_LIMIT: Duration = Duration::from_secs(420);
/// Overrides [`DEFAULT_RUN_LIMIT`], in seconds; zero or less means no limit.
pub const RUN_LIMIT_VAR: &str = "HERMES_CONCURRENT_TOOL_TIMEOUT_S";
/// How long running handlers may wind up after an interrupt.
pub const INTERRUPT_GRACE: Duration = Duration::from_secs(3);
/// How often a long run says that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(30);

/// What becomes of the calls of a turn, told while it goes.
#[derive(Clone, Copy, Debug)]
pub enum CallUpdate<'a> {
    /// A call passed the gate and its handler begins.
    Started {
        /// Which of the turn's calls, from zero.
        index: usize,
        /// The tool.
        tool: &'a str,
        /// The arguments the handler gets.
        args: &'a Args,
    },
    /// A call has its result, before the budget of the whole turn is applied.
    Settled {
        /// Which of the turn's calls, from zero.
        index: usize,
        /// The result.
        outcome: &'a CallOutcome,
    },
}

/// Told of each call of a turn.
pub type Watch = Arc<dyn Fn(CallUpdate<'_>) + Send + Sync>;

/// Told what is still running, now and then.
pub type Heartbeat = Arc<dyn Fn(&[String]) + Send + Sync>;

/// How a turn is run.
#[derive(Clone)]
pub struct TurnOptions {
    /// Cancelled when the user interrupts.
    pub interrupt: CancellationToken,
    /// How long a parallel run may take; `None` for as long as it likes.
    pub run_limit: Option<Duration>,
    /// A pause between sequential calls.
    pub tool_delay: Duration,
    /// Limits on results where the session's model calls for others than the configured ones.
    pub limits: Option<Arc<ResultLimits>>,
    /// Told about long runs.
    pub heartbeat: Option<Heartbeat>,
    /// Told of each call. Must not block.
    pub watch: Option<Watch>,
}

impl Default for TurnOptions {
    fn default() -> Self {
        Self {
            interrupt: CancellationToken::new(),
            run_limit: Some(DEFAULT_RUN_LIMIT),
            tool_delay: Duration::ZERO,
            limits: None,
            heartbeat: None,
            watch: None,
        }
    }
}

impl TurnOptions {
    /// The defaults, with the run limit the variables ask for.
    #[must_use]
    pub fn from_vars(vars: &Vars) -> Self {
        let asked = vars.get(RUN_LIMIT_VAR).and_then(|text| text.trim().parse::<f64>().ok());
        let run_limit = match asked {
            Some(seconds) if seconds <= 0.0 => None,
            Some(seconds) if seconds.is_finite() => {
                Duration::try_from_secs_f64(seconds).ok().or(Some(DEFAULT_RUN_LIMIT))
            }
            _ => Some(DEFAULT_RUN_LIMIT),
        };
        Self { run_limit, ..Self::default() }
    }
}

impl std::fmt::Debug for TurnOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnOptions")
            .field("run_limit", &self.run_limit)
            .field("tool_delay", &self.tool_delay)
            .finish_non_exhaustive()
    }
}
