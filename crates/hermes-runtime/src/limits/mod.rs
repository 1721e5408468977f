//! How much of a tool's result the model gets to see.
//!
//! Three layers, from the inside out:
//!
//! 1. **Tool-local caps** ([`hermes_tool::OutputCaps`]): a tool bounds its output while it is captured. This
//!    module only reads the numbers from the configuration.
//! 2. **Per result** ([`limit_result`]): a text longer than its [`Threshold`] is moved to a file,
//!    and a block with the path and a preview takes its place. The model reads on with `read_file`.
//! 3. **Per turn** ([`enforce_turn_budget`]): many results that are each small enough can still be
//!    too much together; the largest ones move out until the sum fits.
//!
//! [`ResultLimits`] holds the numbers of layers 2 and 3 and shrinks them for models with a small
//! context window. Where the file goes is the caller's choice: a [`SpillStore`] writes inside the
//! execution environment, so that `read_file` finds the file on every backend; [`LocalSpill`] is
//! the store for this machine.
//!
//! All lengths are Unicode scalar values, never bytes. What never happens here: a result with
//! images is never touched (callers pass text only), a failed write never fails the call, and no
//! file is written on an async worker thread.

mod local;
mod numbers;
mod preview;
mod result;
mod spill;
mod thresholds;
mod turn;

pub use local::LocalSpill;
pub(crate) use numbers::whole_number;
pub use preview::{PERSISTED_CLOSE, PERSISTED_OPEN, PREVIEW_CHARS};
pub use result::{LimitAction, Limited, limit_result};
pub use spill::{FileStem, MAX_STEM_CHARS, SPILL_FOLDER, SPILL_TIMEOUT, SpillStore};
pub use thresholds::{DEFAULT_RESULT_CHARS, DEFAULT_TURN_CHARS, ResultLimits, Threshold};
pub use turn::{TurnCut, TurnText, enforce_turn_budget};
