//! `terminal`: one command, in the foreground or on its own.
//!
//! The way of a command, in this order: its arguments are checked, its environment is found or
//! started, the gate decides, it runs, and what it wrote is made fit to be read (cut, stripped of
//! terminal codes, without secrets).

use std::sync::Arc;
use std::time::Duration;

use hermes_approval::{Approved, Purpose, ShellLine};
use hermes_exec::background::{ProcessSnapshot, ProcessStart};
use hermes_exec::manager::EnvironmentLease;
use hermes_exec::{ExecEnd, ExecError, ExecOptions, ExecResult};
use hermes_guard::command_line::{exit_code, foreground, gateway, poller, workdir};
use hermes_process::{CaptureLimit, PtySize};
use hermes_tool::{
    CallDisplay, PastCall, ResultView, SchemaPatch, SchemaScope, ToolContext, ToolError,
    ToolOutput, ToolResult, tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::context::{TerminalContext, available};
use super::outcome::{failed, for_reading, with_fields};
use crate::brief_schema::brief;

/// The size of a pseudo-terminal.
const PTY_SIZE: PtySize = PtySize { rows: 30, columns: 120 };

/// Arguments of `terminal`.
#[derive(Deserialize, JsonSchema)]
struct Terminal {
    /// The command, as you would type it into bash.
    #[schemars(with = "String")]
    command: Value,
    /// Start it and return at once.
    #[serde(default)]
    background: bool,
    /// Seconds after which a foreground command is stopped.
    #[serde(default, deserialize_with = "seconds")]
    #[schemars(with = "Option<u64>")]
    timeout: Option<u64>,
    /// Directory for this command alone.
    workdir: Option<String>,
    /// Give a background command a terminal.
    #[serde(default)]
    pty: bool,
    /// Tell when a background command ends.
    #[serde(default)]
    notify_on_complete: bool,
    /// Tell when a background command writes a line with one of these texts.
    watch_patterns: Option<Vec<String>>,
}

fn briefly(scope: &SchemaScope<'_>) -> SchemaPatch {
    let arguments = [("command", "string", ""), ("background", "boolean", "for servers")];
    brief(scope, "Run a shell command.", &arguments, 1).unwrap_or(SchemaPatch::Keep)
}

/// The tool that looks after what runs in the background.
const LOOKS_AFTER: &str = "process";

/// Zero and nothing mean the default.
fn seconds<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<u64>::deserialize(value)?.filter(|seconds| *seconds > 0))
}

#[tool(
    toolset = "terminal",
    emoji = "💻",
    effects(runs),
    max_result_chars = 100_000,
    failure = exit_code,
    display = CallDisplay::verb("$").args(&["command"]).view(ResultView::Output),
    summary = summary,
    dynamic_schema = briefly,
    check = available,
    description = include_str!("terminal.md")
)]
async fn terminal(args: Terminal, cx: &ToolContext) -> ToolResult {
    let Some(command) = args.command.as_str() else {
        return failed("error", &format!("command must be a text, not {}", kind_of(&args.command)));
    };
    let terminal = TerminalContext::of(cx)?;
    let settings = match terminal.environments.settings(terminal.task()) {
        Ok(settings) => settings,
        Err(error) => return not_run(&error),
    };
    if let Some(refusal) = unfit(command, &args, settings.max_foreground_timeout) {
        return refusal;
    }
    if terminal.is_gateway()
        && let Some(words) = gateway::stops_gateway(command)
    {
        return failed_with_code(
            1,
            &format!(
                "Blocked: `{words}` would stop the gateway this conversation runs in. Ask the \
                 user to do it from another terminal"
            ),
        );
    }
    let environment = match terminal.environments.of_task(terminal.task()).await {
        Ok(environment) => environment,
        Err(error) => return not_run(&error),
    };
    let purpose = match (args.background, args.pty) {
        (false, _) => Purpose::Foreground,
        (true, false) => Purpose::Background,
        (true, true) => Purpose::Pty,
    };
    let cwd = args.workdir.clone().or_else(|| terminal.directory());
    let line = match terminal.admit(command, &environment, cwd.as_deref(), purpose).await {
        Ok(line) => line,
        Err(refusal) => return ToolOutput::json(&Value::Object(refusal.to_result())),
    };
    terminal.checkpoint(command, &environment, cwd.as_deref()).await;
    let run = Run { terminal: &terminal, environment, line, command, cwd };
    if args.background { run.in_background(&args).await } else { run.in_foreground(&args).await }
}

/// What can be told to be wrong before anything is started or anybody is asked.
fn unfit(command: &str, args: &Terminal, ceiling: Duration) -> Option<ToolResult> {
    if let Some(workdir) = &args.workdir
        && let Some(offending) = workdir::offending(workdir)
    {
        return Some(failed(
            "blocked",
            &format!("workdir has a character that is not allowed in it: {offending:?}"),
        ));
    }
    if args.background {
        return None;
    }
    if let Some(timeout) = args.timeout.filter(|timeout| *timeout > ceiling.as_secs()) {
        return Some(Err(ToolError::answer(format!(
            "timeout {timeout} is more than the {} seconds a foreground command may take; run it \
             with background: true and notify_on_complete: true",
            ceiling.as_secs()
        ))));
    }
    let refusal = foreground::refusal(command)?;
    Some(failed("error", &format!("{} ({})", refusal.advice, refusal.words)))
}

/// A command that may run.
struct Run<'a> {
    terminal: &'a TerminalContext,
    environment: EnvironmentLease,
    line: Approved<ShellLine>,
    command: &'a str,
    cwd: Option<String>,
}

impl Run<'_> {
    async fn in_foreground(self, args: &Terminal) -> ToolResult {
        let Self { terminal, environment, line, command, cwd } = self;
        let settings = &environment.settings;
        let how = ExecOptions {
            cwd,
            timeout: args.timeout.map_or(settings.timeout, Duration::from_secs),
            capture: CaptureLimit::chars(settings.max_output_chars),
            cancel: terminal.cancellation(),
            exports: terminal.exports(),
            sudo: Some(Arc::new(terminal.sudo())),
            live: terminal.live_output(),
            ..ExecOptions::default()
        };
        let live = how.live.clone();
        let running = environment.execute(&line, how);
        let ran = match terminal.show_while(running, live, command).await {
            Ok(ran) => ran,
            Err(error) => return not_run(&error),
        };
        if let Some(cwd) = ran.moved_to.clone() {
            terminal.remember_directory(cwd);
        }
        let ExecResult { output, code, ending, .. } = ran;
        let read = for_reading(terminal, &environment, command, code, output).await;
        let mut fields = Map::new();
        fields.insert("output".into(), read.text.into());
        fields.insert("exit_code".into(), code.into());
        fields.insert("error".into(), Value::Null);
        if let Some(meaning) = exit_code::meaning(command, code) {
            fields.insert("exit_code_meaning".into(), meaning.into());
        }
        let note = match ending {
            ExecEnd::Interrupted => line.grant().note_interrupted(),
            ExecEnd::Finished | ExecEnd::TimedOut => line.grant().note(),
        };
        if let Some(note) = note {
            fields.insert("approval".into(), note.into());
        }
        fields.extend(read.notes);
        ToolOutput::json(&Value::Object(fields))
    }

    async fn in_background(self, args: &Terminal) -> ToolResult {
        let Self { terminal, environment, line, command, cwd } = self;
        let mut fields = Map::new();
        let watched = args.watch_patterns.clone().unwrap_or_default();
        let delivers = terminal.delivers_later();
        let notify = args.notify_on_complete && delivers;
        let watch = if args.notify_on_complete || !delivers { Vec::new() } else { watched.clone() };
        // It reads a token from its input, which a terminal would echo.
        let takes_token = takes_token(command);
        let pty = (args.pty && !takes_token).then_some(PTY_SIZE);
        if args.pty && takes_token {
            fields.insert(
                "pty_note".into(),
                "started without a terminal: it reads a token from its input".into(),
            );
        }
        let mut exports = terminal.exports();
        exports.push(("PYTHONUNBUFFERED".to_owned(), "1".to_owned()));
        let start = ProcessStart {
            command: command.to_owned(),
            cwd: cwd.unwrap_or_else(|| environment.cwd()),
            environment: environment.key.clone(),
            on_host: false,
            target: None,
            task_id: terminal.task().to_owned(),
            session_key: terminal.conversation().to_owned(),
            notify_on_complete: notify,
            watch_patterns: watch.clone(),
            pty,
            exports,
        };
        let processes = terminal.environments.processes();
        let place = match processes.reserve(environment.settings.max_background).await {
            Ok(place) => place,
            Err(running) => return full(terminal, environment.settings.max_background, &running),
        };
        let started = match processes.start(&environment, &line, start, place).await {
            Ok(started) => started,
            Err((id, error)) => {
                fields.insert("session_id".into(), id.into());
                let answer = failed("error", &format!("could not be started: {error}"));
                return answer.map(|answer| with_fields(answer, fields));
            }
        };
        fields.insert("output".into(), "Background process started".into());
        fields.insert("session_id".into(), started.id.as_str().into());
        fields.insert("pid".into(), json!(started.pid));
        fields.insert("exit_code".into(), 0.into());
        fields.insert("error".into(), Value::Null);
        if notify {
            fields.insert("notify_on_complete".into(), true.into());
        } else if args.notify_on_complete || !watched.is_empty() && !delivers {
            fields.insert("notify_on_complete".into(), false.into());
            fields.insert(
                "notify_unsupported".into(),
                match terminal.offers(LOOKS_AFTER) {
                    true => "nobody can be told later here; use the process tool to wait for it",
                    false => "nobody can be told later here",
                }
                .into(),
            );
        }
        if !watch.is_empty() {
            fields.insert("watch_patterns".into(), json!(watch));
        } else if !watched.is_empty() && args.notify_on_complete {
            fields.insert(
                "watch_patterns_ignored".into(),
                "notify_on_complete is set, so only the end is told".into(),
            );
        }
        let after = match terminal.offers(LOOKS_AFTER) {
            true => AfterStart::ByTool(&started.id),
            false => AfterStart::ByCommands(started.pid),
        };
        if let Some(hint) = hint(command, after, notify || !watch.is_empty()) {
            fields.insert("hint".into(), hint.into());
        }
        if let Some(note) = line.grant().note() {
            fields.insert("approval".into(), note.into());
        }
        ToolOutput::json(&Value::Object(fields))
    }
}

/// The answer when as many background processes run as may.
fn full(terminal: &TerminalContext, most: usize, running: &[ProcessSnapshot]) -> ToolResult {
    /// Characters of each command that are shown.
    const SHOWN: usize = 80;
    let listed: Vec<Value> = running
        .iter()
        .map(|seen| {
            let command = terminal.redacted(&seen.start.command, &seen.start.command);
            let command: String = command.chars().take(SHOWN).collect();
            json!({
                "session_id": seen.id, "command": command, "uptime_seconds": seen.uptime.as_secs()
            })
        })
        .collect();
    let mut fields = Map::new();
    fields.insert("running".into(), listed.into());
    let others = most.saturating_sub(running.len());
    let elsewhere = match others {
        0 => String::new(),
        others => format!(", {others} of them started by other conversations or left behind"),
    };
    let answer = failed(
        "error",
        &format!(
            "not started: {most} background processes run already{elsewhere}, which is the most \
             there may be (terminal.max_background). End some with process(action: \"kill\"), or \
             wait for them"
        ),
    );
    answer.map(|answer| with_fields(answer, fields))
}

fn takes_token(command: &str) -> bool {
    let lower = command.trim_start().to_ascii_lowercase();
    lower.starts_with("gh auth login") && lower.contains("--with-token")
}

/// How a background process can be looked after.
#[derive(Clone, Copy)]
enum AfterStart<'a> {
    /// By the tool for it, under this name.
    ByTool(&'a str),
    /// By ordinary commands, by its number.
    ByCommands(Option<u32>),
}

fn hint(command: &str, after: AfterStart<'_>, tells: bool) -> Option<String> {
    let mut hints = Vec::new();
    match after {
        AfterStart::ByTool(_) if tells => {}
        AfterStart::ByTool(id) => hints.push(format!(
            "nobody will tell you when this ends: look with process(action: \"poll\", session_id: \
             {id:?}), or start it with notify_on_complete"
        )),
        AfterStart::ByCommands(Some(pid)) => hints.push(format!(
            "it runs on by itself; look after it with terminal: `ps -p {pid}` tells whether it runs, `kill \
             {pid}` ends it. To see its output, start it with `> FILE 2>&1` and read that file"
        )),
        AfterStart::ByCommands(None) => {}
    }
    if poller::is_home_made_ci_poller(command) {
        hints.push(
            "to wait for checks of a pull request, `gh pr checks --watch` with \
             notify_on_complete does the polling for you"
                .to_owned(),
        );
    }
    (!hints.is_empty()).then(|| hints.join("; "))
}

/// The answer when nothing was run.
fn not_run(error: &ExecError) -> ToolResult {
    let status = if error.is_missing_dependency() { "disabled" } else { "error" };
    failed(status, &error.to_string())
}

fn failed_with_code(code: i32, message: &str) -> ToolResult {
    ToolOutput::json(&json!({
        "output": "", "exit_code": code, "error": message, "status": "error"
    }))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn summary(call: &PastCall<'_>) -> Option<String> {
    let command = call.text("command")?;
    let lines = call.result["output"].as_str().map_or(0, |output| output.lines().count());
    let exit = &call.result["exit_code"];
    Some(format!("ran {command} -> exit {exit}, {lines} lines output"))
}
