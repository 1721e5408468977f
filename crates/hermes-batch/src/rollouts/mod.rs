//! Rollouts: tasks whose model is a policy that is trained, and what they are worth.
//!
//! A *group* is several rollouts of one item (a row of a data set, or what a Python environment gives). Each is an attempt
//! at a task like any other of this crate, with two differences that a [`TaskCompanion`](crate::run::TaskCompanion)
//! brings: its model is a [`PolicyModel`](hermes_rl::PolicyModel), which never rewrites history and keeps tokens, and at
//! the end a reward is found, with tools in the same sandbox if need be.
//!
//! ```text
//! ItemSource ─► GroupRunner ─► group_size × TaskExecutor::attempt ─► records with reward and tokens ─► ScoredGroup
//!                                                                                     │
//!            serve: posted to the trajectory API, never ahead of the trainer by more than two batches
//!            process: a line of a file          evaluate: pass@k
//! ```
//!
//! A rollout that failed for reasons of the infrastructure, the reward included, is tried again; a group that is not
//! complete then is dropped and counted. It is never filled up with zeros.

mod group;
mod items;
mod ledger;
mod serve;
mod side;
mod verbs;
mod words;

pub use group::{GroupEnd, GroupRunner, RolloutGroup};
pub use items::{ItemSource, RolloutItem};
pub use ledger::{PostLedger, PostState};
pub use side::{PolicyCompanion, PolicyHead};
pub use verbs::run_rl_here;
pub use words::{EnvVerb, EvaluateArgs, ProcessArgs, RlVerb, RolloutArgs, ServeArgs};
