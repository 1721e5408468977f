//! Telling hooks that somebody is asked, and what they said.

use std::sync::Arc;

use hermes_approval::{ApprovalSurface, AskEvent, Observer, describe};
use hermes_runtime::hooks::{HookEvent, Hooks};
use hermes_tool::BoxFuture;
use serde_json::{Map, Value, json};

/// Raises `pre_approval_request` and `post_approval_response`.
pub(crate) struct HookObserver(pub(crate) Arc<Hooks>);

impl HookObserver {
    fn raise(&self, event: HookEvent, payload: Map<String, Value>) -> BoxFuture<()> {
        let hooks = Arc::clone(&self.0);
        Box::pin(async move {
            hooks.raise(event, payload).await;
        })
    }
}

impl Observer for HookObserver {
    fn before_asking(&self, event: AskEvent) -> BoxFuture<()> {
        self.raise(HookEvent::PreApprovalRequest, payload(&event))
    }

    fn after_answer(&self, event: AskEvent, choice: &'static str) -> BoxFuture<()> {
        let mut payload = payload(&event);
        payload.insert("choice".to_owned(), choice.into());
        payload.insert("decided_by".to_owned(), decided_by(event.surface, choice).into());
        self.raise(HookEvent::PostApprovalResponse, payload)
    }
}

fn decided_by(surface: ApprovalSurface, choice: &str) -> &'static str {
    match (surface, choice) {
        (_, "timeout") => "timeout",
        (ApprovalSurface::Smart, _) => "smart",
        (ApprovalSurface::Cli | ApprovalSurface::Gateway, _) => "user",
    }
}

fn payload(event: &AskEvent) -> Map<String, Value> {
    let question = &event.question;
    let keys: Vec<&str> = question.concerns.iter().map(|concern| concern.key.as_str()).collect();
    let payload = json!({
        "command": question.command,
        "description": describe(&question.concerns),
        "pattern_key": keys.first(),
        "pattern_keys": keys,
        "session_key": question.session,
        "surface": event.surface.name(),
        "turn_id": question.call.turn_id,
        "tool_call_id": question.call.tool_call_id,
    });
    match payload {
        Value::Object(payload) => payload,
        _ => Map::new(),
    }
}
