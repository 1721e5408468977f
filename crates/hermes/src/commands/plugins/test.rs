//! `hermes plugins test`.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use hermes_plugins::{Plugins, Wake};
use hermes_runtime::repair::arguments::parse_arguments;
use hermes_runtime::{CallOutcome, Runtime, Status, ToolCall};
use hermes_tui::approval::TerminalApprover;
use serde_json::{Map, Value, json};

use super::show;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::block_on;

pub(super) fn run(
    host: &Host,
    name: &str,
    call: Option<&[String]>,
    json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let discovery = super::discover(host);
    let found = super::find(&discovery, name, host)?;
    let call = call.map(read_call).transpose()?;
    let runtime = host.runtime_with(Arc::new(TerminalApprover));
    let plugins = Plugins::open_one(host.plugin_setup(), &runtime, found.clone());
    let started = Instant::now();
    plugins.wake_blocking(Wake::AndWait);
    let took = started.elapsed();
    let report = plugins.reports().into_iter().next().context("the plugin is gone")?;
    let outcome = match (&report.error, call) {
        (None, Some((tool, args))) => {
            if !report.tools.contains(&tool) {
                let known = report.tools.join(", ");
                let text = format!("plugin `{name}` has no tool `{tool}`\n  it has: {known}");
                return Err(UsageError::new(text).into());
            }
            Some(try_call(host, &runtime, &plugins, ToolCall::new(tool, args), ui)?)
        }
        _ => None,
    };
    plugins.close_blocking();
    let exit = match (&report.error, &outcome) {
        (Some(_), _) => Exit::Failed,
        (None, Some(outcome)) if outcome.verdict().status != Status::Ok => Exit::Failed,
        _ => Exit::Done,
    };
    if json {
        let result = outcome.as_ref().map(CallOutcome::text);
        ui.json(&json!({
            "key": found.key,
            "started_in_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "report": report,
            "result": result,
        }))?;
        return Ok(exit);
    }
    match &report.error {
        Some(_) => ui.line(format_args!("✗ {} does not work", found.key))?,
        None => ui.line(format_args!("✓ {} started in {took:.0?}", found.key))?,
    }
    for (label, text) in show::brings(&report).iter().filter(|(_, text)| !text.is_empty()) {
        for (at, row) in text.lines().enumerate() {
            let label = if at == 0 { label } else { "" };
            ui.line(format_args!("  {label:<12} {row}"))?;
        }
    }
    if let Some(outcome) = outcome {
        ui.note(format_args!("{} answered in {:.0?}:", outcome.tool, outcome.duration))?;
        ui.line(outcome.text())?;
    }
    Ok(exit)
}

fn read_call(given: &[String]) -> anyhow::Result<(String, Value)> {
    let (tool, args) = match given {
        [tool] => (tool, Map::new()),
        [tool, args, ..] => {
            let read = parse_arguments(args).map_err(|problem| {
                UsageError::new(format!("cannot read the arguments: {problem}"))
            })?;
            (tool, read.object)
        }
        [] => return Err(UsageError::new("--call names no tool").into()),
    };
    Ok((tool.clone(), Value::Object(args)))
}

fn try_call(
    host: &Host,
    runtime: &Runtime,
    plugins: &Plugins,
    mut call: ToolCall,
    ui: &mut Ui,
) -> anyhow::Result<CallOutcome> {
    let (services, warnings) = host.call_services(runtime, &host::at_the_terminal());
    ui.warn_all(warnings)?;
    call.context = services.context();
    plugins.set_context(call.context.clone());
    block_on(async {
        let outcome = runtime.call(call).await;
        services.close().await;
        Ok(outcome)
    })
}
