//! One question, one answer: `hermes -z`.
//!
//! The answer, and nothing else, goes to stdout. What happens on the way goes to stderr, and the exit
//! code says how it ended: a provider that fails is not an answer.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use hermes_agent::{ExitReason, TurnResult};
use hermes_host::{Expanded, HostError, Interaction, NOBODY_ANSWERS, content, setup};
use hermes_protocol::{UserInput, json_stream};
use hermes_store::atomic::{self, WriteOptions};
use hermes_tui::steps::{QuestionWatcher, Steps, write_line};
use owo_colors::OwoColorize as _;
use serde_json::json;

use crate::args::TalkFlags;
use crate::chat::{SLOW_START, looks};
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::session_flags::session_options;
use crate::ui::Ui;
use crate::workers::{block_on, stop_on_signals, telling};

/// Most bytes read from stdin: a longer question is a mistake.
const MAX_STDIN_BYTES: u64 = 8 * 1024 * 1024;

/// Asks, prints the answer, and leaves.
pub(crate) fn run(
    asked: &str,
    flags: &TalkFlags,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let question = question(asked)?;
    host.require_sound_config()?;
    host::warn_about_files(host, ui)?;
    block_on(ask(&question, flags, host, ui))
}

async fn ask(question: &str, flags: &TalkFlags, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let cancel = stop_on_signals()?;
    let tells = !flags.quiet && (std::io::stderr().is_terminal() || ui.is_verbose());
    let told = Arc::new(QuestionWatcher {
        steps: tells.then(|| Steps::new(host.redactor(), host.vars())),
        tells_warnings: !flags.quiet,
        streams: flags.json_stream,
        answer: NOBODY_ANSWERS,
    });
    if flags.json_stream {
        write_line(&json_stream::start());
    }
    let events = Arc::clone(&told);
    let interaction =
        Interaction { hook_question: host::hook_question(), ..Interaction::unattended() };
    let options = session_options(flags);
    let opening = host.agent_session(&options, events, &interaction);
    let slow = || drop(tells.then(|| ui.note(SLOW_START)));
    let opened = tokio::select! {
        biased;
        () = cancel.cancelled() => {
            ui.note(format_args!("{} interrupted", "error:".red().bold()))?;
            return Ok(Exit::Interrupted);
        }
        opened = telling(opening, slow) => opened,
    };
    let mut session = match opened {
        Err(problem @ HostError::NoModel(_)) => {
            anyhow::bail!(setup::what_is_missing(host, &problem).await)
        }
        opened => opened?,
    };
    let tools = session.tools().runtime().registry().snapshot();
    if let Some(steps) = &told.steps {
        steps.set_looks(looks(tools.tools()));
    }
    ui.warn_all(session.warnings())?;
    ui.warn_all(session.models().learn_window().await)?;
    let text = match session.expand_skills(question, &cancel).await? {
        Expanded::AsIs => question.to_owned(),
        Expanded::With { message, notes } => {
            ui.warn_all(&notes)?;
            message
        }
    };
    let asked = UserInput { text, images: flags.images.clone(), ..UserInput::default() };
    let result = told.moving_while(session.ask(content(asked)?, &cancel)).await;
    // The answer is there: nobody waits for it until everything is closed.
    let shown = show(&result, flags, ui);
    if let Some(warning) = session.close("user_exit").await {
        ui.warn(warning)?;
    }
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
    if flags.json_stream {
        let mut line = serde_json::to_value(result.report())?;
        if let Some(fields) = line.as_object_mut() {
            fields.insert("type".to_owned(), "result".into());
        }
        write_line(&line);
        return Ok(exit);
    }
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
