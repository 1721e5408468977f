//! Asking the person behind an MCP client. Whatever is no clear yes is a no.

use std::sync::Arc;

use hermes_approval::{Answer, Asker, Concern, Question, Scope};
use hermes_mcp::server::bridge::{Desk, Ruling};
use hermes_mcp::server::{Caller, CallerError, Callers, Choice};
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use hermes_tool::BoxFuture;
use serde_json::{Map, Value};

use crate::approve::{PLUGIN_WAIT, Prompt, decision};

/// The answers there are, the shortest-lasting first. The first of all is what an unchanged form says.
const DENY: (&str, &str) = ("deny", "No, do not run it");
const YES: [(Scope, &str, &str); 3] = [
    (Scope::Once, "once", "Yes, this once"),
    (Scope::Session, "session", "Yes, and the like until this session ends"),
    (Scope::Always, "always", "Yes, and the like from now on"),
];

/// Puts the gate's questions to the client behind the call and, if there is one, on a desk where other
/// clients see them. The first answer counts.
pub(crate) struct ClientAsker {
    pub(crate) callers: Arc<Callers>,
    pub(crate) desk: Option<Arc<Desk>>,
}

impl Asker for ClientAsker {
    fn ask(&self, question: Question) -> BoxFuture<Answer> {
        let found = self.callers.find(&question.call);
        let caller = found.or_else(|| self.callers.of_session(&question.session));
        let ticket = self.desk.as_ref().map(|desk| desk.put(&question.session, details(&question)));
        Box::pin(async move {
            let prompt = Prompt::about_command(&question);
            let asked = put(caller, &prompt, question.widest, question.wait);
            let Some(mut ticket) = ticket else { return asked.await };
            tokio::select! {
                ruling = ticket.ruling() => answer_of(ruling),
                answer = asked => match answer {
                    // The client shows no forms, so the desk is all there is until time runs out.
                    Answer::NobodyThere => answer_of(ticket.ruling().await),
                    heard => heard,
                },
            }
        })
    }
}

fn answer_of(ruling: Ruling) -> Answer {
    match ruling {
        Ruling::AllowOnce => Answer::Allowed(Scope::Once),
        Ruling::AllowAlways => Answer::Allowed(Scope::Always),
        Ruling::Deny => Answer::no(),
    }
}

/// A question as others may see it.
fn details(question: &Question) -> Map<String, Value> {
    let concerns: Vec<Value> = question.concerns.iter().map(Concern::to_json).collect();
    let mut details = Map::new();
    details.insert("command".into(), question.command.as_str().into());
    details.insert("concerns".into(), concerns.into());
    details
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
