//! What hooks hear of sessions that end or give way to others.

use hermes_agent::Agent;
use hermes_runtime::hooks::{HookEvent, Payload};

use crate::PLATFORM;

/// A session is closed for good.
pub async fn session_finalized(agent: &Agent, reason: &str) {
    let session = agent.conversation().id();
    raise(agent, HookEvent::OnSessionFinalize, &[("session_id", session), ("reason", reason)])
        .await;
}

/// A session gives way to another, which the agent is in by now.
pub async fn session_reset(agent: &Agent, old: &str, reason: &str) {
    let new = agent.conversation().id();
    let fields =
        [("session_id", new), ("old_session_id", old), ("new_session_id", new), ("reason", reason)];
    raise(agent, HookEvent::OnSessionReset, &fields).await;
}

async fn raise(agent: &Agent, event: HookEvent, fields: &[(&str, &str)]) {
    let hooks = agent.runtime().hooks();
    if !hooks.listens(event) {
        return;
    }
    let mut payload = Payload::new();
    for (key, value) in fields.iter().chain(&[("platform", PLATFORM)]) {
        payload.insert((*key).to_owned(), (*value).into());
    }
    hooks.raise(event, payload).await;
}
