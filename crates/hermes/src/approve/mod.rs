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

use hermes_approval::{Answer, Asker, Question, Scope, SecretQuestion};
use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use hermes_tool::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::elicit::Echo;
pub(crate) use hooks::HookObserver;
use line::{Line, next_line, unseen_line};
pub(crate) use prompt::{Prompt, choice};

/// Puts the gate's questions to the person at the terminal.
pub(crate) struct TerminalAsker;

impl Asker for TerminalAsker {
    fn ask(&self, question: Question) -> BoxFuture<Answer> {
        Box::pin(put(Prompt::about_command(&question), question.wait, question.cancellation))
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

/// How long the question of a plugin's rule stays on the screen.
pub(crate) const PLUGIN_WAIT: Duration = hermes_approval::DEFAULT_TIMEOUT;

/// Puts the questions of plugins' rules to the person at the terminal.
pub(crate) struct TerminalApprover;

impl Approver for TerminalApprover {
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Decision> {
        Box::pin(async move {
            let token = CancellationToken::new();
            // Whoever no longer wants the answer drops this future, and the prompt hears of it.
            let _over = token.clone().drop_guard();
            decision(&put(Prompt::about_call(&request), PLUGIN_WAIT, token).await)
        })
    }
}

/// An answer, in the words of plugins' rules.
pub(crate) fn decision(answer: &Answer) -> Decision {
    match answer {
        Answer::Allowed(Scope::Once) => Decision::Once,
        Answer::Allowed(Scope::Session | Scope::Always) => Decision::ForSession,
        Answer::Denied { .. } | Answer::Failed(_) => Decision::Denied,
        Answer::TimedOut => Decision::TimedOut,
        Answer::NobodyThere => Decision::NobodyThere,
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
        Line::Typed(typed) => Some(typed),
        Line::Ended | Line::TimedOut | Line::Over => None,
    }
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

/// Asks for one line at the terminal, seen or unseen; none when nobody answers in time.
pub(crate) fn terminal_line(
    prompt: &str,
    echo: Echo,
    wait: Duration,
    over: &CancellationToken,
) -> Option<String> {
    let input = std::io::stdin();
    let mut err = anstream::stderr();
    let typed = if echo == Echo::Unseen {
        let typed = unseen_line(&input, wait, over, || {
            write!(err, "{prompt}")?;
            err.flush()
        });
        let _ = writeln!(anstream::stderr());
        typed
    } else {
        write!(err, "{prompt}").and_then(|()| err.flush()).ok()?;
        next_line(&input, wait, over)
    };
    match typed {
        Line::Typed(typed) => Some(typed),
        Line::Ended | Line::TimedOut | Line::Over => None,
    }
}
