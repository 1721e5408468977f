//! What stands between a call and its handler: the allow-list, `pre_tool_call` hooks, a person's
//! approval and an editor's consent.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use hermes_tool::{Args, BoxFuture, Effect, Tool};
use serde_json::Value;

use super::payload::call_payload;
use crate::approval::{ApprovalRequest, Decision, derived_rule_key};
use crate::call::ToolCall;
use crate::hooks::HookEvent;
use crate::runtime::Runtime;

/// Why a call was kept from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) message: String,
    pub(crate) error_type: &'static str,
}

type EditConsent = dyn Fn(&str, &Args) -> BoxFuture<Result<(), String>> + Send + Sync;

/// An editor that wants to see changes to files before they are made. Put it into the services of a
/// call; it is asked about every tool whose effects write to named paths.
pub struct EditGate(Box<EditConsent>);

impl EditGate {
    /// Wraps the editor's question; an `Err` says why the change is refused.
    pub fn new(
        ask: impl Fn(&str, &Args) -> BoxFuture<Result<(), String>> + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(ask))
    }
}

impl std::fmt::Debug for EditGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EditGate")
    }
}

/// Holds back every call that would change something, by the declared effects of its tool. Put it into the services
/// of calls; while it is engaged only tools run that neither write nor start anything. Tools nobody knows anything
/// about count as ones that do.
#[derive(Debug, Default)]
pub struct ReadOnlyGate(AtomicBool);

impl ReadOnlyGate {
    /// One that is engaged from the start.
    #[must_use]
    pub fn engaged() -> Self {
        Self(AtomicBool::new(true))
    }

    /// From now on only tools that look may run.
    pub fn engage(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Every tool may run again.
    pub fn lift(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether calls that change something are held back.
    #[must_use]
    pub fn is_engaged(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The block of a call that would change something while only looking is allowed.
pub(crate) fn not_read_only(tool: Option<&Tool>, call: &ToolCall) -> Option<Block> {
    call.context.services.get::<ReadOnlyGate>().filter(|gate| gate.is_engaged())?;
    let effects = tool.map(Tool::effects).unwrap_or_default();
    let changes = effects.has(Effect::Writes) || effects.has(Effect::Runs);
    changes.then(|| Block {
        message: format!(
            "Tool '{}' was not run: only tools that change nothing run now. Go on with tools that \
             read, and say in words what you would change.",
            call.name
        ),
        error_type: "read_only_block",
    })
}

/// What a hook wants done with a call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    Block(String),
    Approve { reason: String, rule_key: Option<String> },
}

impl Directive {
    fn read(returned: &Value) -> Option<Self> {
        let text =
            |key: &str| returned.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        match returned.get("action")?.as_str()? {
            "block" => Some(Self::Block(text("message")?.to_owned())),
            "approve" => Some(Self::Approve {
                reason: text("message").unwrap_or("a hook asks for approval").to_owned(),
                rule_key: text("rule_key").map(str::to_owned),
            }),
            _ => None,
        }
    }
}

/// The block of a call outside the caller's allow-list.
pub(crate) fn outside_allowed(tool: Option<&Tool>, call: &ToolCall) -> Option<Block> {
    let allowed = call.allowed.as_ref()?;
    (!is_listed(allowed, &call.name, tool)).then(|| Block {
        message: format!("Tool '{}' is not allowed here", call.name),
        error_type: "tool_scope_block",
    })
}

/// Whether an allow-list names a tool, be it by a name that it had before.
pub(super) fn is_listed(allowed: &BTreeSet<String>, name: &str, tool: Option<&Tool>) -> bool {
    allowed.contains(name)
        || tool
            .is_some_and(|tool| tool.policy().aliases.iter().any(|older| allowed.contains(*older)))
}

impl Runtime {
    /// Lets the call pass or says why not.
    pub(crate) async fn gate(
        &self,
        tool: Option<&Tool>,
        call: &ToolCall,
        args: &Args,
    ) -> Result<(), Block> {
        outside_allowed(tool, call).or_else(|| not_read_only(tool, call)).map_or(Ok(()), Err)?;
        match self.directive(call, args).await {
            None => {}
            Some(Directive::Block(message)) => {
                return Err(Block { message, error_type: "plugin_block" });
            }
            Some(Directive::Approve { reason, rule_key }) => {
                self.ask_person(call, args, reason, rule_key).await?;
            }
        }
        self.ask_editor(tool, call, args).await
    }

    /// What the hooks want done with the call; the first valid answer counts.
    pub(crate) async fn directive(&self, call: &ToolCall, args: &Args) -> Option<Directive> {
        if !self.hooks().listens(HookEvent::PreToolCall) {
            return None;
        }
        let payload = call_payload(call, args);
        let returned = self.hooks().raise(HookEvent::PreToolCall, payload).await;
        returned.iter().find_map(Directive::read)
    }

    async fn ask_person(
        &self,
        call: &ToolCall,
        args: &Args,
        reason: String,
        rule_key: Option<String>,
    ) -> Result<(), Block> {
        let request = ApprovalRequest {
            tool: call.name.clone(),
            args: args.clone(),
            rule_key: rule_key.unwrap_or_else(|| derived_rule_key(&call.name, &reason)),
            reason,
            session_id: call.context.ids.session_id.clone(),
        };
        if self.approvals().covers(&request) {
            return Ok(());
        }
        let asked = AssertUnwindSafe(async { self.approver().ask(request.clone()).await });
        let why = match asked.catch_unwind().await {
            Ok(Decision::Once) => return Ok(()),
            Ok(Decision::ForSession) => {
                self.approvals().remember(&request);
                return Ok(());
            }
            Ok(Decision::Denied) => "denied by the user",
            Ok(Decision::TimedOut) => "nobody answered in time",
            Ok(Decision::NobodyThere) => {
                "nobody is there to approve it; run it where somebody can answer, or allow the rule"
            }
            Err(_) => "the approval prompt failed",
        };
        Err(Block {
            message: format!("BLOCKED: {} (rule {}): {why}", request.reason, request.rule_key),
            error_type: "plugin_block",
        })
    }

    async fn ask_editor(
        &self,
        tool: Option<&Tool>,
        call: &ToolCall,
        args: &Args,
    ) -> Result<(), Block> {
        let edits = tool.is_some_and(|tool| {
            let effects = tool.effects();
            effects.has(Effect::Writes) && !effects.path_arguments().is_empty()
        });
        let Some(editor) = edits.then(|| call.context.services.get::<EditGate>()).flatten() else {
            return Ok(());
        };
        let asked = AssertUnwindSafe(async { (editor.0)(&call.name, args).await });
        let refused = match asked.catch_unwind().await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => why,
            Err(_) => "the editor's approval failed".to_owned(),
        };
        Err(Block { message: refused, error_type: "edit_block" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_well_formed_directives_count() {
        for ignored in [
            json!({"action": "block"}),
            json!({"action": "block", "message": ""}),
            json!({"action": "BLOCK", "message": "x"}),
            json!("block"),
            json!({"decision": "block", "message": "x"}),
        ] {
            assert_eq!(Directive::read(&ignored), None, "{ignored}");
        }
        assert!(matches!(
            Directive::read(&json!({"action": "approve"})),
            Some(Directive::Approve { rule_key: None, .. })
        ));
    }
}
