//! Reinforcement learning: what a trainer needs of an agent besides its words.
//!
//! A trainer wants to know exactly what its model saw and wrote: tokens, not text, and how likely each was. Text that
//! is made into tokens a second time is not always made into the same ones, and a history that was tidied up is not what
//! the model answered to; both teach a model from answers it never gave. Three rules follow.
//!
//! 1. **What was said stays.** Each request of a rollout begins with the one before, to the byte, and then the model's
//!    answer as its server wrote it ([`PolicyModel`]). A request that would not, ends the rollout.
//! 2. **Tokens come from the server.** A sequence to train on is made of the ids it returned and of those it read between
//!    two answers ([`RolloutTokens`]). Where its reading does not begin with what it wrote, the sequence is cut and marked,
//!    and where it returns no ids there is none.
//! 3. **Trouble is no reward.** A reward program that fails is a failure of the infrastructure; nothing is ever scored zero
//!    because something broke ([`RewardError`]).
//!
//! ```text
//! row or item ─► rollouts of a group ─► PolicyModel ─► policy server (vLLM, llama.cpp, …)
//!                   │                        └─► RolloutTokens: tokens, masks, log-probabilities
//!                   ├─► RewardSource: a program, a check, a server, a Python class; it may call tools in the rollout's
//!                   │     own sandbox (ToolDoor)
//!                   └─► ScoredGroup ─► TrajectoryApi (Atropos)
//! ```
//!
//! The rollouts themselves are tasks of `hermes-batch`, which knows agents and sandboxes; nothing here does.
//! [`training`] is the other side: choosing an environment, its settings, and looking after the processes of a training.
//!
//! What never happens here: a token is invented, text is made into tokens, a sampling parameter is added or changed.

mod atropos;
mod door;
mod policy;
mod python;
mod reward;
mod tokens;
pub mod training;

pub use atropos::{
    EnvRegistered, EnvRegistration, PostEnd, ScoredGroup, TrajectoryApi, TrajectoryError,
};
pub use door::{RolloutTools, ToolDoor};
pub use policy::{EarlyEnd, PolicyModel, PolicyOptions};
pub use python::{EnvItem, PythonEnv};
pub use reward::{Reward, RewardError, RewardRequest, RewardSource};
pub use tokens::{RolloutTokens, SampledTurn, TokenSequence};
