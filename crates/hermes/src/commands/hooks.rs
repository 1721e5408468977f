//! `hermes hooks`: shell hooks and the consent to them.
//!
//! Which hooks there are is in config.yaml; which of them may run is in a file of approvals, by
//! event and exact command. `approve` and `revoke` change that file, `list` shows both, and `test`
//! runs the hooks of an event on a made-up call to see what they would say.
//!
//! What never happens here: a hook takes part in a call. `test` runs without consent because the
//! user has just asked for that very run; approving is a separate step.

use hermes_plugins::shell_hooks::{
    End, HookAnswer, ShellHook, TestReport, sample_payload, test_run,
};
use hermes_runtime::hooks::HookEvent;
use hermes_runtime::repair::arguments::parse_arguments;
use owo_colors::Style;
use serde_json::{Value, json};

use crate::args::HooksCommand;
use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::{Cell, Table, Ui};
use crate::workers::block_on;

/// Runs one of the subcommands.
pub(crate) fn run(command: &HooksCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    match command {
        HooksCommand::List { json } => list(host, *json, ui),
        HooksCommand::Test { event, tool, args, json } => test(host, event, tool, args, *json, ui),
        HooksCommand::Approve { command } => approve(host, command.as_deref(), ui),
        HooksCommand::Revoke { command } => revoke(host, command, ui),
    }
}

const WHERE_HOOKS_GO: &str = "`hooks` in config.yaml is where they go";

/// Whether a hook may run, in a few words.
fn consent_state(host: &Host, hook: &ShellHook) -> anyhow::Result<(bool, String)> {
    let approvals = host.allowlist().approvals()?;
    let runner = host.hook_runner();
    let found = approvals.iter().find(|approval| approval.covers(hook.event, &hook.command));
    Ok(match found {
        None => (false, "not approved".to_owned()),
        Some(approval) => match approval.script_state(runner.user_folder()) {
            state if state.is_as_approved() => (true, "approved".to_owned()),
            state => (true, format!("approved; {state}")),
        },
    })
}

fn list(host: &Host, json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let configured = host.shell_hooks();
    for problem in &configured.problems {
        ui.warn(problem)?;
    }
    if json {
        let mut rows = Vec::new();
        for hook in &configured.hooks {
            let (approved, state) = consent_state(host, hook)?;
            rows.push(json!({
                "event": hook.event.name(),
                "command": hook.command,
                "matcher": hook.matcher.as_ref().map(|matcher| matcher.source()),
                "timeout_seconds": hook.timeout.as_secs(),
                "approved": approved,
                "state": state,
            }));
        }
        ui.json(&rows)?;
        return Ok(Exit::Done);
    }
    if configured.hooks.is_empty() {
        ui.note(format_args!("no shell hook is configured; {WHERE_HOOKS_GO}"))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["event", "tools", "timeout", "state", "command"]).wrapped();
    for hook in &configured.hooks {
        let (approved, state) = consent_state(host, hook)?;
        let (mark, style) =
            if approved { ("✓", Style::new().green()) } else { ("✗", Style::new().yellow()) };
        let matcher = hook.matcher.as_ref().map_or("all", |matcher| matcher.source());
        table.row([
            hook.event.name().into(),
            matcher.into(),
            Cell::dim(format!("{}s", hook.timeout.as_secs())),
            Cell::styled(format!("{mark} {state}"), style),
            hook.command.as_str().into(),
        ]);
    }
    ui.table(&table)?;
    ui.note("`hermes hooks approve` allows them to run; `hermes hooks test EVENT` tries them")?;
    Ok(Exit::Done)
}

fn event_named(name: &str) -> anyhow::Result<HookEvent> {
    HookEvent::from_name(name).ok_or_else(|| {
        let events: Vec<&str> = HookEvent::ALL.iter().map(|event| event.name()).collect();
        UsageError::none_of("event", name, &events).into()
    })
}

fn test(
    host: &Host,
    event: &str,
    tool: &str,
    args: &str,
    json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let event = event_named(event)?;
    let args = parse_arguments(args)
        .map_err(|problem| UsageError::new(format!("cannot read --args: {problem}")))?;
    let mut payload = sample_payload(event);
    if event.is_about_a_tool() {
        payload.insert("tool_name".into(), tool.into());
        payload.insert("args".into(), Value::Object(args.object));
    }
    let hooks: Vec<ShellHook> = host
        .shell_hooks()
        .hooks
        .into_iter()
        .filter(|hook| hook.event == event && hook.applies_to(&payload))
        .collect();
    if hooks.is_empty() {
        ui.note(format_args!("no hook is configured for {event} with this call"))?;
        return Ok(Exit::Done);
    }
    let mut rows = Vec::new();
    let mut exit = Exit::Done;
    for hook in &hooks {
        let report = block_on(test_run(hook, &payload, &host.hook_runner()));
        if report.outcome.is_err() {
            exit = Exit::Failed;
        }
        if json {
            rows.push(report_json(hook, &report));
        } else {
            show_report(hook, &report, ui)?;
        }
    }
    if json {
        ui.json(&rows)?;
    }
    Ok(exit)
}

fn ended(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit code {code}"),
        End::Signalled(signal) => format!("killed by signal {signal}"),
        End::TimedOut => "timed out".to_owned(),
        End::Cancelled => "cancelled".to_owned(),
    }
}

fn wants(answer: &HookAnswer) -> String {
    match answer {
        HookAnswer::Silent => "nothing".to_owned(),
        HookAnswer::Directive(directive) => directive.to_string(),
        HookAnswer::Ignored(why) => format!("nothing that counts: {why}"),
    }
}

fn report_json(hook: &ShellHook, report: &TestReport) -> Value {
    match &report.outcome {
        Err(problem) => json!({"command": hook.command, "error": problem.to_string()}),
        Ok(run) => json!({
            "command": hook.command,
            "ended": ended(run.end),
            "seconds": run.duration.as_secs_f64(),
            "stdout": run.stdout,
            "stderr": run.stderr,
            "answer": match &run.answer {
                HookAnswer::Directive(directive) => directive.clone(),
                HookAnswer::Silent | HookAnswer::Ignored(_) => Value::Null,
            },
        }),
    }
}

fn show_report(hook: &ShellHook, report: &TestReport, ui: &mut Ui) -> anyhow::Result<()> {
    ui.line(&hook.command)?;
    match &report.outcome {
        Err(problem) => ui.line(format_args!("  could not run: {problem}"))?,
        Ok(run) => {
            ui.line(format_args!("  {} after {:.2?}", ended(run.end), run.duration))?;
            for (label, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
                for line in text.lines() {
                    ui.line(format_args!("  {label}: {line}"))?;
                }
            }
            ui.line(format_args!("  wants: {}", wants(&run.answer)))?;
        }
    }
    Ok(())
}

fn approve(host: &Host, command: Option<&str>, ui: &mut Ui) -> anyhow::Result<Exit> {
    let hooks: Vec<ShellHook> = host
        .shell_hooks()
        .hooks
        .into_iter()
        .filter(|hook| command.is_none_or(|command| hook.command == command))
        .collect();
    if hooks.is_empty() {
        return Err(UsageError::new(match command {
            None => format!("no shell hook is configured; {WHERE_HOOKS_GO}"),
            Some(command) => format!(
                "no hook with the command `{command}` is configured\n  \
                 `hermes hooks list` lists them"
            ),
        })
        .into());
    }
    let allowlist = host.allowlist();
    let runner = host.hook_runner();
    for hook in &hooks {
        allowlist.approve(hook.event, &hook.command, runner.user_folder())?;
        ui.line(format_args!("approved on {}: {}", hook.event, hook.command))?;
    }
    Ok(Exit::Done)
}

fn revoke(host: &Host, command: &str, ui: &mut Ui) -> anyhow::Result<Exit> {
    match host.allowlist().revoke(command)? {
        0 => Err(UsageError::new(format!(
            "`{command}` was not approved; nothing was changed\n  `hermes hooks list` lists hooks"
        ))
        .into()),
        count => {
            let approvals = crate::ui::count(count, "approval");
            ui.line(format_args!("{approvals} of `{command}` revoked"))?;
            Ok(Exit::Done)
        }
    }
}
