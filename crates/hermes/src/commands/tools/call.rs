//! `hermes tools call`: one call, by hand.
//!
//! The call takes the same way as a model's: repaired name, repaired arguments, coercion, hooks,
//! handler under a deadline, limits. The result goes to stdout as the model would get it, and the
//! exit code says how it ended. A dry run stops before the handler and shows what it would get.
//!
//! What never happens here: a result is changed on its way to stdout, or a rule is skipped because
//! a person is calling.

use std::io::Read;
use std::time::Duration;

use anyhow::Context;
use hermes_host::{McpStart, PluginStart, ToolOptions, ToolSession};
use hermes_runtime::pipeline::{Rehearsal, RehearsedGate};
use hermes_runtime::repair::arguments::parse_arguments;
use hermes_runtime::{Runtime, Status, ToolCall};
use hermes_tool::{CallIds, ContextParts, Tool};
use serde_json::{Map, Value, json};

use super::find_tool;
use crate::args::ToolsCall;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::{block_on, telling};

/// Most bytes of arguments read from stdin: larger ones are a mistake.
const MAX_STDIN_BYTES: u64 = 64 * 1024 * 1024;
/// How long MCP servers may take to show their tools.
const SERVERS_WAIT: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &ToolsCall, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let arguments = arguments(args, ui)?;
    block_on(async {
        let options = ToolOptions {
            plugins: PluginStart::Unknown,
            mcp: McpStart::ForTool { tool: args.name.clone(), wait: SERVERS_WAIT },
            ..ToolOptions::default()
        };
        let interaction = host::at_the_terminal();
        let tools = telling(host.tools(options, &interaction), || {
            // Whoever cannot be told this is told the result all the same.
            let _ = ui.warn(format_args!(
                "waiting for what `{}` needs: a server or plugin has not answered yet",
                args.name
            ));
        });
        let tools = tools.await?;
        ui.warn_all(tools.warnings())?;
        let exit = call_tool(args, arguments, &tools, ui).await;
        tools.close().await;
        exit
    })
}

async fn call_tool(
    args: &ToolsCall,
    arguments: Value,
    tools: &ToolSession,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let runtime = tools.runtime();
    let name = tools.servers().and_then(|servers| servers.names().look_up(&args.name));
    let tool = find_tool(runtime, name.as_deref().unwrap_or(&args.name), ui)?;
    let mut call = call(args, &tool, arguments)?;
    call.context = ContextParts {
        ids: CallIds { task_id: args.task_id.clone(), ..CallIds::default() },
        enabled_tools: tools.enabled_tools(),
        ..tools.context()
    };
    tools.plugins().set_context(call.context.clone());
    if args.dry_run { rehearse(runtime, call, ui).await } else { perform(runtime, call, ui).await }
}

fn call(args: &ToolsCall, tool: &Tool, arguments: Value) -> anyhow::Result<ToolCall> {
    let time_limit = match args.timeout {
        seconds if seconds <= 0.0 => None,
        seconds => Some(Duration::try_from_secs_f64(seconds).map_err(|_| {
            UsageError::new(format!("--timeout {seconds:?} is not a number of seconds"))
        })?),
    };
    Ok(ToolCall { time_limit, ..ToolCall::new(tool.name().to_string(), arguments) })
}

async fn perform(runtime: &Runtime, call: ToolCall, ui: &mut Ui) -> anyhow::Result<Exit> {
    let cancellation = call.context.cancellation.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            cancellation.cancel();
        }
    });
    let outcome = runtime.call(call).await;
    ui.line(outcome.text())?;
    if let Some(path) = &outcome.spilled_to {
        ui.note(format_args!("(the whole result is in {path})"))?;
    }
    Ok(match outcome.verdict().status {
        Status::Ok => Exit::Done,
        Status::Error => Exit::Failed,
        Status::Blocked => Exit::Blocked,
        Status::Cancelled => Exit::Interrupted,
        Status::Timeout => Exit::TimedOut,
    })
}

async fn rehearse(runtime: &Runtime, call: ToolCall, ui: &mut Ui) -> anyhow::Result<Exit> {
    let Rehearsal { tool, args, coercions, trace, gate, needs_agent, .. } =
        runtime.rehearse(call).await;
    let changes: Vec<Value> = coercions
        .changes()
        .iter()
        .map(|change| {
            json!({"argument": change.parameter, "from": change.from.name(), "to": change.to.name()})
        })
        .collect();
    let (verdict, exit) = match &gate {
        RehearsedGate::Pass => (json!({"would": "run"}), Exit::Done),
        RehearsedGate::Block(message) => {
            (json!({"would": "block", "message": message}), Exit::Blocked)
        }
        RehearsedGate::Ask { reason, rule_key } => {
            (json!({"would": "ask", "reason": reason, "rule_key": rule_key}), Exit::Done)
        }
    };
    ui.json(&json!({
        "tool": tool,
        "arguments": args,
        "coerced": changes,
        "middleware": trace,
        "gate": verdict,
        "needs_agent": needs_agent,
    }))?;
    Ok(exit)
}

fn arguments(args: &ToolsCall, ui: &mut Ui) -> anyhow::Result<Value> {
    if !args.arg.is_empty() {
        return Ok(Value::Object(pairs(&args.arg)?));
    }
    let text = match args.json.as_deref() {
        None => return Ok(Value::Object(Map::new())),
        Some("-") => stdin()?,
        Some(text) => text.to_owned(),
    };
    let parsed = parse_arguments(&text).map_err(|problem| {
        UsageError::new(format!(
            "cannot read the arguments: {problem}\n  or give them one by one: --arg key=value"
        ))
    })?;
    if parsed.repaired {
        ui.note(format_args!(
            "(the arguments were not quite JSON; read as {})",
            beginning(&Value::Object(parsed.object.clone()).to_string())
        ))?;
    }
    Ok(Value::Object(parsed.object))
}

fn stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_STDIN_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("read the arguments from stdin")?;
    if bytes.len() as u64 > MAX_STDIN_BYTES {
        let most = MAX_STDIN_BYTES / (1024 * 1024);
        return Err(UsageError::new(format!("more than {most} MiB of arguments on stdin")).into());
    }
    String::from_utf8(bytes).map_err(|problem| {
        let at = problem.utf8_error().valid_up_to();
        UsageError::new(format!("the arguments on stdin are not UTF-8 text: see byte {at}")).into()
    })
}

/// `key=text` and `key:=JSON`.
fn pairs(given: &[String]) -> anyhow::Result<Map<String, Value>> {
    let mut args = Map::new();
    for pair in given {
        let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !matches!(*key, "" | ":"))
        else {
            return Err(UsageError::new(format!(
                "--arg {}: expected key=value, or key:=JSON for a value that is not text",
                beginning(pair)
            ))
            .into());
        };
        let (key, value) = match key.strip_suffix(':') {
            None => (key, Value::String(value.to_owned())),
            Some(key) => {
                let value = serde_json::from_str(value).map_err(|problem| {
                    let pair = beginning(pair);
                    UsageError::new(format!("--arg {pair}: the value is not JSON: {problem}"))
                })?;
                (key, value)
            }
        };
        args.insert(key.to_owned(), value);
    }
    Ok(args)
}

/// Enough of an argument to recognise it: a message need not repeat a megabyte.
fn beginning(pair: &str) -> String {
    const SHOWN_CHARS: usize = 200;
    match pair.char_indices().nth(SHOWN_CHARS) {
        None => pair.to_owned(),
        Some((end, _)) => format!("{}…", &pair[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(text: &str) -> anyhow::Result<Map<String, Value>> {
        pairs(&[text.to_owned()])
    }

    #[test]
    fn pairs_hold_text_or_json() {
        assert_eq!(pair("a=1").unwrap()["a"], json!("1"));
        assert_eq!(pair("a:=[1]").unwrap()["a"], json!([1]));
        assert_eq!(pair("a=b=c").unwrap()["a"], json!("b=c"));
        assert_eq!(pair("a=").unwrap()["a"], json!(""));
    }

    #[test]
    fn bad_pairs_say_what_is_expected() {
        assert!(pair("a").unwrap_err().to_string().contains("expected key=value"));
        assert!(pair(":=1").unwrap_err().to_string().contains("expected key=value"));
        assert!(pair("a:={").unwrap_err().to_string().contains("not JSON"));
        let huge = format!("a:={}", "[".repeat(100_000));
        assert!(pair(&huge).unwrap_err().to_string().len() < 400);
    }
}
