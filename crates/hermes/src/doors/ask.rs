//! Asking the person behind an MCP client. Whatever is no clear yes is a no.

use std::sync::Arc;

use hermes_approval::{Answer, Asker, Question, Scope};
use hermes_mcp::server::{Caller, CallerError, Callers, Choice};
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use hermes_tool::BoxFuture;

use crate::approve::{PLUGIN_WAIT, Prompt, decision};

/// The answers there are, the shortest-lasting first. The first of all is what an unchanged form says.
const DENY: (&str, &str) = ("deny", "No, do not run it");
const YES: [(Scope, &str, &str); 3] = [
    (Scope::Once, "once", "Yes, this once"),
    (Scope::Session, "session", "Yes, and the like until this session ends"),
    (Scope::Always, "always", "Yes, and the like from now on"),
];

/// Puts the gate's questions to the client behind the call, and to nobody else.
pub(crate) struct ClientAsker(pub(crate) Arc<Callers>);

impl Asker for ClientAsker {
    fn ask(&self, question: Question) -> BoxFuture<Answer> {
        let found = self.0.find(&question.call);
        let caller = found.or_else(|| self.0.of_session(&question.session));
        Box::pin(async move {
            let prompt = Prompt::about_command(&question);
            put(caller, &prompt, question.widest, question.wait).await
        })
    }
}

/// Puts the questions of plugins' rules to the client behind the call.
pub(crate) struct ClientApprover(pub(crate) Arc<Callers>);

impl Approver for ClientApprover {
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Decision> {
        let caller = self.0.of_session(&request.session_id);
        Box::pin(async move {
            let prompt = Prompt::about_call(&request);
            decision(&put(caller, &prompt, Scope::Session, PLUGIN_WAIT).await)
        })
    }
}

async fn put(
    caller: Option<Caller>,
    prompt: &Prompt,
    widest: Scope,
    wait: std::time::Duration,
) -> Answer {
    let Some(caller) = caller else { return Answer::NobodyThere };
    let yes = YES.iter().filter(|(scope, ..)| *scope <= widest);
    let options: Vec<(&str, &str)> =
        std::iter::once(DENY).chain(yes.map(|(_, value, words)| (*value, *words))).collect();
    let text = anstream::adapter::strip_str(&prompt.statement()).to_string();
    match caller.choose(text.trim(), &options, Some(wait)).await {
        Ok(Choice::Picked(picked)) => match YES.iter().find(|(_, value, _)| *value == picked) {
            Some((scope, ..)) => Answer::Allowed(*scope),
            None => Answer::no(),
        },
        Ok(Choice::Declined) => Answer::no(),
        Err(CallerError::TimedOut) => Answer::TimedOut,
        Err(CallerError::NoQuestions | CallerError::Gone) => Answer::NobodyThere,
        Err(why @ CallerError::Failed(_)) => Answer::Failed(why.to_string()),
    }
}
