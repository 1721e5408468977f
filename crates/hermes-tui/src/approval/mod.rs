//! The approval prompt of a single command's terminal. Enter means no.
//!
//! Commands that the gate wants a person's word on, and calls that a plugin's rule stops, are put
//! to the person by the same prompt, so a question looks the same wherever it comes from. In a chat the
//! question goes through its channel instead ([`crate::channel`]) and takes the place of the input line.

mod prompt;

use std::io::Write;
use std::time::Duration;

use hermes_approval::{ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, SecretQuestion};
use hermes_protocol::ApprovalPrompt;
use hermes_protocol::approval::{PLUGIN_WAIT, decision};
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use hermes_tool::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::line_prompt::is_interactive;
use crate::terminal::line::{LineInput, unseen_line};
pub(crate) use prompt::statement;

/// Puts the gate's questions to the person at stdin and stderr; without a terminal nobody is there.
#[derive(Debug)]
pub struct TerminalAsker;

impl ApprovalPrompter for TerminalAsker {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        let prompt = ApprovalPrompt::about_command(&question);
        Box::pin(put(prompt, question.wait, question.cancellation))
    }

    fn secret(&self, question: SecretQuestion) -> BoxFuture<Option<String>> {
        Box::pin(async move {
            if !is_interactive() {
                return None;
            }
            tokio::task::spawn_blocking(move || unseen(&question)).await.ok().flatten()
        })
    }
}

/// Puts the questions of plugins' rules to the person at stdin and stderr.
#[derive(Debug)]
pub struct TerminalApprover;

impl Approver for TerminalApprover {
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Decision> {
        Box::pin(async move {
            let token = CancellationToken::new();
            // Whoever no longer wants the answer drops this future, and the prompt hears of it.
            let _over = token.clone().drop_guard();
            decision(&put(ApprovalPrompt::about_call(&request), PLUGIN_WAIT, token).await)
        })
    }
}

/// Shows a prompt and waits for the answer; without a terminal nobody is there.
async fn put(prompt: ApprovalPrompt, wait: Duration, over: CancellationToken) -> ApprovalAnswer {
    if !is_interactive() {
        return ApprovalAnswer::NobodyThere;
    }
    let asked = tokio::task::spawn_blocking(move || prompt::put(&prompt, wait, &over));
    asked.await.unwrap_or_else(|_| ApprovalAnswer::Failed("the prompt broke".to_owned()))
}

/// Asks for something that is typed unseen.
fn unseen(question: &SecretQuestion) -> Option<String> {
    let SecretQuestion { text, wait, cancellation } = question;
    let input = std::io::stdin();
    let mut err = anstream::stderr();
    let typed = unseen_line(&input, *wait, cancellation, || {
        write!(err, "\n{text} ({} s, nothing is shown): ", wait.as_secs())?;
        err.flush()
    });
    let _ = writeln!(err);
    match typed {
        LineInput::Typed(typed) => Some(typed),
        LineInput::Ended | LineInput::TimedOut | LineInput::Over => None,
    }
}
