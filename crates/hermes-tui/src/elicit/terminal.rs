//! A person at the terminal of a single command.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_mcp::client::elicitation::{Form, FormReply, PageConsent, PageRequest, Person};
use hermes_tool::BoxFuture;
use owo_colors::OwoColorize as _;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{LEAD, LinePrompter, LineQuestion, fill, visit};
use crate::line_prompt::{is_interactive, terminal_line};

/// Asks at the terminal, one question after the other.
#[derive(Clone, Default)]
pub struct TerminalPerson {
    turn: Arc<Mutex<()>>,
}

impl Person for TerminalPerson {
    fn fill(&self, form: Form) -> BoxFuture<FormReply> {
        let this = self.clone();
        Box::pin(async move {
            if !is_interactive() {
                return FormReply::Cancelled;
            }
            let _turn = this.turn.lock().await;
            fill(&TerminalLines, form).await
        })
    }

    fn visit(&self, page: PageRequest) -> BoxFuture<PageConsent> {
        let this = self.clone();
        Box::pin(async move {
            if !is_interactive() {
                return PageConsent::Cancelled;
            }
            let _turn = this.turn.lock().await;
            visit(&TerminalLines, page).await
        })
    }
}

/// Lines typed at the terminal.
pub struct TerminalLines;

impl LinePrompter for TerminalLines {
    fn line(&self, asked: LineQuestion) -> BoxFuture<Option<String>> {
        Box::pin(async move {
            // Whoever no longer wants the answer drops this future, and the prompt hears of it.
            let over = CancellationToken::new();
            let _guard = over.clone().drop_guard();
            let reading = tokio::task::spawn_blocking(move || read(&asked, &over));
            reading.await.ok().flatten()
        })
    }
}

fn read(asked: &LineQuestion, over: &CancellationToken) -> Option<String> {
    let mut err = anstream::stderr();
    for (at, row) in asked.statement.iter().enumerate() {
        let printed = match row.strip_prefix(LEAD).filter(|_| at == 0) {
            Some(rest) => writeln!(err, "\n{} {}", "?".yellow().bold(), rest.bold()),
            None => writeln!(err, "{row}"),
        };
        printed.ok()?;
    }
    let wait = asked.until.saturating_duration_since(Instant::now());
    let wait = wait.max(Duration::from_millis(1));
    terminal_line(&asked.prompt, asked.echo, wait, over)
}
