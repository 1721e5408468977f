//! Asking the person at the terminal. Enter means no.
//!
//! Commands that the gate wants a person's word on, and calls that a plugin's rule stops, are put
//! to the person by the same prompt (`prompt`), so a question looks the same wherever it comes
//! from.

mod hooks;
mod line;
mod prompt;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use hermes_approval::{Answer, Asker, Question, Scope};
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use hermes_tool::BoxFuture;
use tokio_util::sync::CancellationToken;

pub(crate) use hooks::HookObserver;
use prompt::Prompt;

/// Puts the gate's questions to the person at the terminal.
pub(crate) struct TerminalAsker;

impl Asker for TerminalAsker {
    fn ask(&self, question: Question) -> BoxFuture<Answer> {
        Box::pin(put(Prompt::about_command(&question), question.wait, question.cancellation))
    }
}

/// How long the question of a plugin's rule stays on the screen.
const PLUGIN_WAIT: Duration = hermes_approval::DEFAULT_TIMEOUT;

/// Puts the questions of plugins' rules to the person at the terminal.
pub(crate) struct TerminalApprover;

impl Approver for TerminalApprover {
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Decision> {
        Box::pin(async move {
            let token = CancellationToken::new();
            // Whoever no longer wants the answer drops this future, and the prompt hears of it.
            let _over = token.clone().drop_guard();
            match put(Prompt::about_call(&request), PLUGIN_WAIT, token).await {
                Answer::Allowed(Scope::Once) => Decision::Once,
                Answer::Allowed(Scope::Session | Scope::Always) => Decision::ForSession,
                Answer::Denied { .. } | Answer::Failed(_) => Decision::Denied,
                Answer::TimedOut => Decision::TimedOut,
                Answer::NobodyThere => Decision::NobodyThere,
            }
        })
    }
}

/// Shows a prompt and waits for the answer; without a terminal nobody is there.
async fn put(prompt: Prompt, wait: Duration, over: CancellationToken) -> Answer {
    if !is_interactive() {
        return Answer::NobodyThere;
    }
    let asked = tokio::task::spawn_blocking(move || prompt.put(wait, &over));
    asked.await.unwrap_or_else(|_| Answer::Failed("the prompt broke".to_owned()))
}

/// Whether a person can be asked.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on stderr and reads a line; `None` when there is no answer.
pub(crate) fn answer(question: &str) -> Option<String> {
    let mut err = anstream::stderr();
    write!(err, "{question}").ok()?;
    err.flush().ok()?;
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim().to_lowercase())
}
