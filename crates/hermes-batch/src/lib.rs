//! Batch runs: a data set of tasks, each worked on by a fresh agent, and exactly one record for each.
//!
//! The promise: *execution at least once, exactly one record per task*, whatever is killed. It rests on three rules.
//!
//! 1. A record counts when it is whole on the disk, and not before ([`store`]: the commit rule).
//! 2. Every start of a run writes files of its own under a number of its own; nothing is appended to what a dead
//!    process left ([`store`]: epochs).
//! 3. Which record of a task counts is a function of the files alone ([`store::RunIndex`]). Counts, statistics and
//!    trajectories are derived from it and may be deleted at any time.
//!
//! ```text
//! Dataset ──► tasks (row × sample, each with its seed)
//!               │  minus those with a record
//!               ▼
//!          coordinate ──► TaskExecutor: an agent in a folder or container of its own
//!               │            └─ asks the model through one RateLimiter for the whole run
//!               ▼
//!          SegmentWriter ──► segments ──► RunIndex ──► merge, statistics, export, status
//! ```
//!
//! | module | answers |
//! |---|---|
//! | [`dataset`] | which lines are rows, and what do they ask for? |
//! | [`seed`] | which chance does a task have? |
//! | [`record`], [`trajectory`] | what is kept of a task? |
//! | [`store`] | where is it kept, and why is nothing lost? |
//! | [`run`] | what runs next, where, and when does it end? |
//! | [`filter`] | which trajectories are kept? |
//! | [`mod@derive`] | what is made from the records? |
//! | [`compress`] | which turns of a long trajectory make way for a summary? |
//! | [`place`] | which engine places parts of a run elsewhere? |
//! | [`mod@import`] | what did another program finish already? |
//! | [`verbs`] | what can a person ask for? |
//! | [`rollouts`] | how is a policy that is trained put to work, and what was that worth? |
//!
//! What never happens here: a person is asked (batch is a door of the gate like all others, and nobody stands at it),
//! a task sees another's files or conversation, trouble of the infrastructure becomes a trajectory.

pub mod compress;
pub mod dataset;
pub mod derive;
mod error;
pub mod filter;
pub mod import;
pub mod options;
pub mod place;
pub mod record;
pub mod rollouts;
pub mod run;
pub mod seed;
pub mod settings;
pub mod store;
pub mod trajectory;
pub mod verbs;

pub use error::BatchError;
