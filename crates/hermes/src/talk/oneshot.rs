//! One question, one answer: `hermes -z`.
//!
//! The answer, and nothing else, goes to stdout. What happens on the way goes to stderr, and the exit
//! code says how it ended: a provider that fails is not an answer.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use hermes_agent::{Event, ExitReason, FrontEnd, Level, TurnResult};
use hermes_llm::model::BoxFuture;
use hermes_runtime::approval::Nobody;
use hermes_store::atomic::{self, WriteOptions};
use owo_colors::OwoColorize as _;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::chat::content;
use super::{Company, Talk};
use crate::chat::conversation::Ask;
use crate::cli::TalkFlags;
use crate::exit::{Exit, UsageError};
use crate::host::{Host, PLATFORM};
use crate::ui::Ui;

/// Most bytes read from stdin: a longer question is a mistake.
const MAX_STDIN_BYTES: u64 = 8 * 1024 * 1024;

/// How long MCP servers are waited for: who asks one question wants it answered with all tools.
const SERVER_PATIENCE: Duration = Duration::from_secs(10);

/// Asks, prints the answer, and leaves.
pub(crate) fn run(
    asked: &str,
    flags: &TalkFlags,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let question = question(asked)?;
    host.warn_about_files(ui)?;
    let workers = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let exit = workers.block_on(ask(&question, flags, host, ui));
    // A tool left behind by an interrupt must not hold up the end of the process.
    workers.shutdown_background();
    exit
}

async fn ask(question: &str, flags: &TalkFlags, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let cancel = CancellationToken::new();
    stop_on_signals(&cancel);
    let company = Company {
        front: Arc::new(Quiet { is_shown: std::io::stderr().is_terminal() || host.is_verbose() }),
        asker: None,
        approver: Arc::new(Nobody),
        person: None,
        vars: host.vars.clone(),
        platform: PLATFORM,
    };
    let mut talk = Talk::open(host, flags, company, ui).await?;
    for warning in &talk.warnings {
        ui.warn(warning)?;
    }
    if let Some(warning) = talk.models.learn_window().await {
        ui.warn(warning)?;
    }
    let patience = talk.servers.discovery_timeout().max(SERVER_PATIENCE);
    cancel.run_until_cancelled(talk.servers.wait_ready(patience)).await;
    let asked = Ask { text: question.to_owned(), images: flags.images.clone(), ..Ask::default() };
    let result = talk.agent.turn(content(asked)?, &cancel).await;
    if let Some(problem) = talk.agent.conversation_mut().take_trouble() {
        ui.warn(format_args!("this conversation is not saved: {problem}"))?;
    }
    talk.close("user_exit").await;
    let shown = show(&result, flags, ui);
    if let Some(file) = &flags.usage_file {
        write_usage(file, &result)?;
    }
    shown
}

fn show(result: &TurnResult, flags: &TalkFlags, ui: &mut Ui) -> anyhow::Result<Exit> {
    let exit = match result.exit {
        ExitReason::TextResponse => Exit::Done,
        ExitReason::Interrupted => Exit::Interrupted,
        exit if exit.is_partial() => Exit::Partial,
        _ => Exit::Failed,
    };
    if flags.json {
        ui.json(&result.report())?;
        return Ok(exit);
    }
    if exit != Exit::Failed && !result.final_response.is_empty() {
        ui.line(&result.final_response)?;
    }
    if exit != Exit::Done {
        let why = result.error.as_deref().unwrap_or(match exit {
            Exit::Interrupted => "interrupted",
            _ => result.exit.name(),
        });
        ui.note(format_args!("{} {why}", "error:".red().bold()))?;
        if exit == Exit::Failed && result.error.as_deref() != Some(&*result.final_response) {
            let advised = result.advice.as_deref();
            let said = result.final_response.trim();
            if advised.is_none_or(|advice| !said.ends_with(advice)) && !said.is_empty() {
                ui.note(format_args!("  {said}"))?;
            }
        }
        if let Some(advice) = &result.advice {
            ui.note(format_args!("  {advice}"))?;
        }
    }
    Ok(exit)
}

fn write_usage(file: &Path, result: &TurnResult) -> anyhow::Result<()> {
    let report = json!({
        "model": result.model,
        "provider": result.provider,
        "session_id": result.session_id,
        "api_calls": result.api_calls,
        "input_tokens": result.usage.input_tokens,
        "output_tokens": result.usage.output_tokens,
        "cache_read_tokens": result.usage.cache_read_tokens,
        "cache_write_tokens": result.usage.cache_write_tokens,
        "reasoning_tokens": result.usage.reasoning_tokens,
        "estimated_cost_usd": result.cost_usd,
        "completed": result.exit.is_complete(),
    });
    let text = format!("{report:#}\n");
    atomic::write(file, text.as_bytes(), WriteOptions::KEEP)?;
    Ok(())
}

/// The question: what is asked, and what stdin holds if it is not a terminal and was meant.
fn question(asked: &str) -> anyhow::Result<String> {
    let is_meant = matches!(asked.trim(), "" | "-");
    let mut parts = Vec::new();
    if !is_meant {
        parts.push(asked.to_owned());
    }
    if is_meant && !std::io::stdin().is_terminal() {
        let mut bytes = Vec::new();
        let mut stdin = std::io::stdin().lock().take(MAX_STDIN_BYTES + 1);
        stdin.read_to_end(&mut bytes).context("read the question from stdin")?;
        if bytes.len() as u64 > MAX_STDIN_BYTES {
            return Err(UsageError::new("the question on stdin is longer than 8 MiB").into());
        }
        parts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    let question = parts.join("\n\n");
    if question.trim().is_empty() {
        return Err(UsageError::new(
            "nothing is asked: hermes -z 'QUESTION', or pipe it: echo QUESTION | hermes -z -",
        )
        .into());
    }
    Ok(question)
}

fn stop_on_signals(cancel: &CancellationToken) {
    let cancel = cancel.clone();
    tokio::spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut ends) = signal(SignalKind::terminate()) else { return };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = ends.recv() => {}
        }
        cancel.cancel();
    });
}

/// Tells of tools and troubles on stderr.
struct Quiet {
    is_shown: bool,
}

impl FrontEnd for Quiet {
    fn on_event(&self, event: Event) {
        let line = match event {
            Event::Notice { level: Level::Warning, text } => format!("warning: {text}"),
            Event::ToolFinished { tool, failed, took, .. } if self.is_shown => {
                let failed = if failed { " [failed]" } else { "" };
                format!("┊ {tool}  {:.1}s{failed}", took.as_secs_f64())
            }
            _ => return,
        };
        // Nobody is left to tell if stderr is gone.
        let _ = Ui::stdio().note(line);
    }

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(
            "(Nobody can answer: decide for yourself, and say what you assumed.)".to_owned(),
        )))
    }
}
