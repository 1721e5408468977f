//! `process`: looking after background processes.

use std::time::Duration;

use hermes_exec::background::{ProcessSnapshot, TellError, TerminationSource, Waited};
use hermes_guard::ansi;
use hermes_tool::{CallDisplay, ResultView, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::context::{TerminalContext, available};

/// Characters of output shown by `poll`, by `wait` and `kill`, and in a list.
const POLL_CHARS: usize = 1_000;
const WAIT_CHARS: usize = 2_000;
const LIST_CHARS: usize = 200;
/// Lines shown by `log` unless more or fewer are asked for.
const LOG_LINES: u64 = 200;

const ACTIONS: [&str; 8] = ["list", "poll", "log", "wait", "kill", "write", "submit", "close"];

/// Arguments of `process`.
#[derive(Deserialize, JsonSchema)]
struct Process {
    /// What to do.
    #[schemars(extend("enum" = ACTIONS))]
    action: String,
    /// Which process, as `terminal` named it; not needed by list.
    #[schemars(with = "Option<String>")]
    session_id: Option<Value>,
    /// Text for write and submit.
    data: Option<String>,
    /// Seconds to wait at most.
    timeout: Option<u64>,
    /// First line of the log, counted from 0; 0 means the last `limit` lines.
    #[serde(default)]
    offset: u64,
    /// How many lines of the log.
    #[serde(default = "log_lines")]
    limit: u64,
}

fn log_lines() -> u64 {
    LOG_LINES
}

#[tool(
    toolset = "terminal",
    emoji = "⚙️",
    effects(runs),
    display = CallDisplay::verb("proc").args(&["action", "session_id"]).view(ResultView::Output),
    max_result_chars = 100_000,
    check = available,
    description = include_str!("process.md")
)]
async fn process(args: Process, cx: &ToolContext) -> ToolResult {
    let terminal = TerminalContext::of(cx)?;
    let actions = ProcessActions { terminal: &terminal };
    if args.action == "list" {
        return ToolOutput::json(&json!({"processes": actions.list()}));
    }
    if !ACTIONS.contains(&args.action.as_str()) {
        return Err(ToolError::answer(format!(
            "unknown action {:?}; the actions are {}. This tool looks after background processes; to run a \
             command: terminal",
            args.action,
            ACTIONS.join(", ")
        )));
    }
    let id = match &args.session_id {
        Some(Value::String(id)) if !id.trim().is_empty() => id.trim().to_owned(),
        Some(Value::Number(id)) => id.to_string(),
        _ => {
            return Err(ToolError::answer(format!(
                "{} needs session_id; process(action: \"list\") shows them. To run a command: terminal",
                args.action
            )));
        }
    };
    let Some(seen) = terminal.environments.processes().get(&id) else { return not_found(&id) };
    match args.action.as_str() {
        "poll" => actions.poll(&seen),
        "log" => actions.log(&seen, args.offset, args.limit.max(1)),
        "wait" => actions.wait(&seen, args.timeout).await,
        "kill" => actions.kill(&seen).await,
        "close" => actions.close(&seen).await,
        action => {
            let mut data = args.data.unwrap_or_default();
            if action == "submit" {
                data.push('\n');
            }
            actions.write(&seen, data).await
        }
    }
}

fn not_found(id: &str) -> ToolResult {
    ToolOutput::json(&json!({
        "status": "not_found",
        "error": format!(
            "no process {id:?}; process(action: \"list\") shows those there are. To run a command: terminal"
        ),
    }))
}

struct ProcessActions<'a> {
    terminal: &'a TerminalContext,
}

impl ProcessActions<'_> {
    fn list(&self) -> Vec<Value> {
        let own_key = self.terminal.environments.key_of(self.terminal.task());
        let all = self.terminal.environments.processes().list();
        all.iter()
            .filter_map(|seen| {
                let of_task = seen.start.task_id == self.terminal.task()
                    || seen.start.environment == own_key && seen.start.session_key.is_empty();
                let of_session = seen.start.session_key == self.terminal.conversation();
                (of_task || of_session).then(|| self.line(seen, of_task))
            })
            .collect()
    }

    fn line(&self, seen: &ProcessSnapshot, of_task: bool) -> Value {
        let command: String = self.clean(&seen.start.command, seen).chars().take(200).collect();
        let mut line = json!({
            "session_id": seen.id,
            "command": command,
            "cwd": seen.start.cwd,
            "pid": seen.pid,
            "started_at": local_time(seen.started_at),
            "uptime_seconds": seen.uptime.as_secs(),
            "status": status(seen),
            "output_preview": self.tail(seen, LIST_CHARS),
        });
        let Value::Object(fields) = &mut line else { return line };
        if !seen.start.watch_patterns.is_empty() {
            fields.insert("watch_patterns".into(), json!(seen.start.watch_patterns));
            fields.insert("watch_hit".into(), seen.watch_hit.into());
        }
        if seen.notify {
            fields.insert("notify_on_complete".into(), true.into());
        }
        if let Some((code, ..)) = seen.ended {
            fields.insert("exit_code".into(), json!(code));
        }
        if seen.detached {
            fields.insert("detached".into(), true.into());
        }
        if !of_task {
            fields.insert("session_scoped".into(), true.into());
        }
        line
    }

    fn poll(&self, seen: &ProcessSnapshot) -> ToolResult {
        let mut fields = self.head(seen);
        fields.insert("status".into(), status(seen).into());
        fields.insert("pid".into(), json!(seen.pid));
        fields.insert("uptime_seconds".into(), seen.uptime.as_secs().into());
        fields.insert("output_preview".into(), self.tail(seen, POLL_CHARS).into());
        add_end(&mut fields, seen);
        if seen.detached {
            fields.insert("detached".into(), true.into());
            fields.insert(
                "note".into(),
                "started by an earlier run: its state and kill work, its output is gone".into(),
            );
        }
        ToolOutput::json(&Value::Object(fields))
    }

    fn log(&self, seen: &ProcessSnapshot, offset: u64, limit: u64) -> ToolResult {
        let text = self.clean(&seen.output, seen);
        let lines: Vec<&str> = text.lines().collect();
        let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let from = match offset {
            0 => lines.len().saturating_sub(whole(limit)),
            offset => whole(offset).min(lines.len()),
        };
        let to = from.saturating_add(whole(limit)).min(lines.len());
        if to == lines.len() && seen.ended.is_some() {
            self.terminal.environments.processes().consume(&seen.id);
        }
        let mut fields = self.head(seen);
        fields.insert("status".into(), status(seen).into());
        fields.insert("output".into(), lines[from..to].join("\n").into());
        fields.insert("total_lines".into(), lines.len().into());
        fields.insert("showing".into(), format!("{} lines", to - from).into());
        ToolOutput::json(&Value::Object(fields))
    }

    async fn wait(&self, seen: &ProcessSnapshot, asked: Option<u64>) -> ToolResult {
        let most = self.terminal.environments.settings(self.terminal.task());
        let most = most.map_or(Duration::from_secs(180), |settings| settings.timeout);
        let asked = asked.map(Duration::from_secs);
        let limit = asked.map_or(most, |asked| asked.min(most));
        let processes = self.terminal.environments.processes();
        let waited = match processes.wait(&seen.id, limit, &self.terminal.cancellation()).await {
            Ok(waited) => waited,
            Err(_) => return not_found(&seen.id),
        };
        let Some(now) = processes.get(&seen.id) else { return not_found(&seen.id) };
        let (status, chars) = match waited {
            Waited::Ended => ("exited", WAIT_CHARS),
            Waited::TimedOut => ("timeout", POLL_CHARS),
            Waited::Interrupted => ("interrupted", POLL_CHARS),
        };
        let mut fields = self.head(&now);
        fields.insert("status".into(), status.into());
        fields.insert("output".into(), self.tail(&now, chars).into());
        add_end(&mut fields, &now);
        if waited == Waited::Ended {
            processes.consume(&seen.id);
        } else if asked.is_some_and(|asked| asked > most) {
            fields.insert(
                "timeout_note".into(),
                format!("waited {} seconds, the most there is; still running", most.as_secs())
                    .into(),
            );
        } else if waited == Waited::TimedOut {
            fields.insert(
                "timeout_note".into(),
                format!("still running after {} seconds", limit.as_secs()).into(),
            );
        }
        ToolOutput::json(&Value::Object(fields))
    }

    async fn kill(&self, seen: &ProcessSnapshot) -> ToolResult {
        let processes = self.terminal.environments.processes();
        let killed = processes.kill(&seen.id, TerminationSource::ProcessKill).await;
        processes.consume(&seen.id);
        let Some(now) = processes.get(&seen.id) else { return not_found(&seen.id) };
        let mut fields = self.head(&now);
        match killed {
            Ok(()) => fields.insert("status".into(), "killed".into()),
            Err(TellError::AlreadyExited(_)) => {
                fields.insert("status".into(), "already_exited".into())
            }
            Err(error) => {
                fields.insert("error".into(), error.to_string().into());
                fields.insert("status".into(), "error".into())
            }
        };
        fields.insert("output".into(), self.tail(&now, WAIT_CHARS).into());
        add_end(&mut fields, &now);
        ToolOutput::json(&Value::Object(fields))
    }

    /// Types a text, if the gate lets it through: a shell that waits runs what it is given.
    async fn write(&self, seen: &ProcessSnapshot, data: String) -> ToolResult {
        let keyboard = match self.terminal.environments.processes().keyboard(&seen.id).await {
            Ok(keyboard) => keyboard,
            Err(error) => return refused(&error),
        };
        let input = match self.terminal.admit_input(data, &keyboard).await {
            Ok(input) => input,
            Err(refusal) => return ToolOutput::json(&Value::Object(refusal.to_result())),
        };
        let mut fields = Map::new();
        match keyboard.write(&input).await {
            Ok(count) => {
                fields.insert("status".into(), "ok".into());
                fields.insert("bytes_written".into(), count.into());
            }
            Err(error) => return refused(&error),
        }
        if let Some(note) = input.grant().note() {
            fields.insert("approval".into(), note.into());
        }
        ToolOutput::json(&Value::Object(fields))
    }

    async fn close(&self, seen: &ProcessSnapshot) -> ToolResult {
        match self.terminal.environments.processes().close(&seen.id).await {
            Ok(()) => ToolOutput::json(&json!({"status": "ok", "session_id": seen.id})),
            Err(error) => refused(&error),
        }
    }

    fn head(&self, seen: &ProcessSnapshot) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("session_id".into(), seen.id.as_str().into());
        fields.insert("command".into(), self.clean(&seen.start.command, seen).into());
        fields
    }

    fn tail(&self, seen: &ProcessSnapshot, chars: usize) -> String {
        let text = self.clean(&seen.output, seen);
        let total = text.chars().count();
        text.chars().skip(total.saturating_sub(chars)).collect()
    }

    /// Without terminal codes and secrets.
    fn clean(&self, text: &str, seen: &ProcessSnapshot) -> String {
        self.terminal.redacted(&ansi::strip(text), &seen.start.command)
    }
}

fn refused(error: &TellError) -> ToolResult {
    let status = match error {
        TellError::AlreadyExited(_) => "already_exited",
        TellError::NotFound(_) => "not_found",
        TellError::Failed { .. } => "error",
    };
    ToolOutput::json(&json!({"status": status, "error": error.to_string()}))
}

fn status(seen: &ProcessSnapshot) -> &'static str {
    if seen.ended.is_some() { "exited" } else { "running" }
}

fn add_end(fields: &mut Map<String, Value>, seen: &ProcessSnapshot) {
    if let Some((code, reason, source)) = seen.ended {
        fields.insert("exit_code".into(), json!(code));
        fields.insert("completion_reason".into(), reason.name().into());
        if let Some(source) = source {
            fields.insert("termination_source".into(), source.name().into());
        }
    }
}

/// Local time to the second.
fn local_time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds)
        .map(|at| {
            at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%dT%H:%M:%S").to_string()
        })
        .unwrap_or_default()
}
