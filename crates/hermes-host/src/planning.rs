//! Plan mode: the agent looks, says what it would do, and does it once somebody has agreed.
//!
//! What holds it back is the gate of the runtime ([`ReadOnlyGate`]), which goes by the declared effects of tools; the
//! note only tells the model, so that it does not run into the gate at every step. The tools on offer stay the same,
//! so that a provider's cache of the conversation stays good.

use std::sync::Arc;

use hermes_agent::Agent;
use hermes_runtime::pipeline::ReadOnlyGate;

/// What the model hears with each message while it plans.
pub(crate) const PLAN_NOTE: &str = "\
Plan mode is on: the person wants to see a plan first. Look at whatever the plan needs; tools that write, run or start \
something are refused for now, so do not try them. End with the plan: what you found, the steps in order with the files \
each of them touches, how the result will be checked, and what is open. The person accepts it or asks for changes.";

/// What holds back the tools of an agent.
pub(crate) fn gate_of(agent: &Agent) -> Option<Arc<ReadOnlyGate>> {
    agent.template().context().services.get::<ReadOnlyGate>()
}

/// Whether an agent only looks for now.
pub(crate) fn is_planning(agent: &Agent) -> bool {
    gate_of(agent).is_some_and(|gate| gate.is_engaged())
}
