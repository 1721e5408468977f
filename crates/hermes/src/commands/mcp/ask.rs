//! The approval prompt for the person behind an MCP client. Whatever is no clear yes is a no.

use std::sync::Arc;

use hermes_approval::{ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, GrantScope};
use hermes_mcp::server::{Caller, CallerError, Callers, ClientChoice};
use hermes_protocol::approval::{ApprovalPrompt, PLUGIN_WAIT, decision};
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use hermes_tool::BoxFuture;

/// The answers there are, the shortest-lasting first. The first of all is what an unchanged form says.
const DENY: (&str, &str) = ("deny", "No, do not run it");
const YES: [(GrantScope, &str, &str); 3] = [
    (GrantScope::Once, "once", "Yes, this once"),
    (GrantScope::Session, "session", "Yes, and the like until this session ends"),
    (GrantScope::Always, "always", "Yes, and the like from now on"),
];

/// Puts the gate's questions to the client behind the call, and to nobody else.
pub(super) struct ClientAsker(pub(super) Arc<Callers>);

impl ApprovalPrompter for ClientAsker {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        let found = self.0.find(&question.call);
        let caller = found.or_else(|| self.0.of_session(&question.session));
        Box::pin(async move {
            let prompt = ApprovalPrompt::about_command(&question);
            put(caller, &prompt, question.widest, question.wait).await
        })
    }
}

/// Puts the questions of plugins' rules to the client behind the call.
pub(super) struct ClientApprover(pub(super) Arc<Callers>);

impl Approver for ClientApprover {
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Decision> {
        let caller = self.0.of_session(&request.session_id);
        Box::pin(async move {
            let prompt = ApprovalPrompt::about_call(&request);
            decision(&put(caller, &prompt, GrantScope::Session, PLUGIN_WAIT).await)
        })
    }
}

async fn put(
    caller: Option<Caller>,
    prompt: &ApprovalPrompt,
    widest: GrantScope,
    wait: std::time::Duration,
) -> ApprovalAnswer {
    let Some(caller) = caller else { return ApprovalAnswer::NobodyThere };
    // A yes for the session makes no sense for a call that has one to itself.
    let fits = |scope| scope <= widest && (scope != GrantScope::Session || caller.session_lasts());
    let yes = YES.iter().filter(|(scope, ..)| fits(*scope));
    let options: Vec<(&str, &str)> =
        std::iter::once(DENY).chain(yes.map(|(_, value, words)| (*value, *words))).collect();
    match caller.choose(prompt.statement().trim(), &options, Some(wait)).await {
        Ok(ClientChoice::Picked(picked)) => match YES.iter().find(|(_, value, _)| *value == picked)
        {
            Some((scope, ..)) => ApprovalAnswer::Allowed(*scope),
            None => ApprovalAnswer::no(),
        },
        Ok(ClientChoice::Declined) => ApprovalAnswer::no(),
        Err(CallerError::TimedOut) => ApprovalAnswer::TimedOut,
        Err(CallerError::NoQuestions | CallerError::Gone) => ApprovalAnswer::NobodyThere,
        Err(why @ CallerError::Failed(_)) => ApprovalAnswer::Failed(why.to_string()),
    }
}
