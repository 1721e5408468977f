//! Asking the person at the terminal. Enter means no.

use std::io::{IsTerminal, Write};

use hermes_runtime::approval::{ApprovalRequest, Approver, Decision};
use hermes_tool::BoxFuture;

/// Asks on the terminal; without one, nobody is there.
pub(crate) struct TerminalApprover;

impl Approver for TerminalApprover {
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Decision> {
        Box::pin(async move {
            tokio::task::spawn_blocking(move || ask(&request)).await.unwrap_or(Decision::Denied)
        })
    }
}

fn ask(request: &ApprovalRequest) -> Decision {
    if !is_interactive() {
        return Decision::NobodyThere;
    }
    let args = serde_json::to_string(&request.args).unwrap_or_default();
    let question = format!(
        "\n{} wants to run with {args}\n  reason: {}\n  rule:   {}\nAllow? [o]nce, for the [s]ession, [N]o: ",
        request.tool, request.reason, request.rule_key
    );
    match answer(&question).as_deref() {
        Some("o" | "once" | "y" | "yes") => Decision::Once,
        Some("s" | "session") => Decision::ForSession,
        _ => Decision::Denied,
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
