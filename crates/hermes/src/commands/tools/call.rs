//! `hermes tools call`: one call, by hand.
//!
//! The call takes the same way as a model's: repaired name, repaired arguments, coercion, hooks,
//! handler under a deadline, limits. The result goes to stdout as the model would get it, and the
//! exit code says how it ended. A dry run stops before the handler and shows what it would get.
//!
//! What never happens here: a result is changed on its way to stdout, or a rule is skipped because
//! a person is calling.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use hermes_mcp::client::Servers;
use hermes_plugins::{Plugins, Wake};
use hermes_runtime::pipeline::{Rehearsal, RehearsedGate};
use hermes_runtime::repair::arguments::parse_arguments;
use hermes_runtime::{Runtime, Status, ToolCall};
use hermes_tool::{CallIds, ContextParts, Tool};
use serde_json::{Map, Value, json};

use super::find_tool;
use crate::cli::ToolsCall;
use crate::exit::{Exit, UsageError};
use crate::host::{Host, PLATFORM};
use crate::ui::Ui;

/// Most bytes of arguments read from stdin: larger ones are a mistake.
const MAX_STDIN_BYTES: u64 = 64 * 1024 * 1024;
/// How long MCP servers may take to show their tools.
const SERVERS_WAIT: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &ToolsCall, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let runtime = host.runtime();
    let plugins = host.plugins(&runtime, ui)?;
    plugins.wake_blocking(Wake::Unknown);
    let workers = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let servers = start_servers(&workers, &args.name, &runtime, host, ui)?;
    let exit = call_tool(args, host, &Means { runtime, plugins, workers: &workers, servers }, ui);
    // A tool left behind by a timeout must not hold up the end of the process.
    workers.shutdown_background();
    exit
}

/// What a call is made with.
struct Means<'a> {
    runtime: Runtime,
    plugins: Plugins,
    workers: &'a tokio::runtime::Runtime,
    /// Servers that were started for the call.
    servers: Option<Servers>,
}

fn call_tool(
    args: &ToolsCall,
    host: &Host,
    means: &Means<'_>,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let Means { runtime, plugins, workers, servers } = means;
    let name = servers.as_ref().and_then(|servers| servers.names().look_up(&args.name));
    let tool = find_tool(runtime, name.as_deref().unwrap_or(&args.name), ui)?;
    let arguments = arguments(args, ui)?;
    host.register_shell_hooks(runtime, ui)?;
    let mut call = call(args, &tool, arguments, host)?;
    call.context.enabled_tools = enabled_tools(host, runtime);
    let settings = host.approval_settings(ui)?;
    let environments = host.environments();
    call.context.services = call
        .context
        .services
        .with(host.approvals(settings, runtime))
        .with(Arc::clone(&environments));
    plugins.set_context(call.context.clone());
    let exit = if args.dry_run {
        rehearse(workers, runtime, call, ui)
    } else {
        perform(workers, runtime, call, ui)
    };
    workers.block_on(async {
        if let Some(servers) = servers {
            servers.stop().await;
        }
        environments.close_all().await;
        plugins.close().await;
    });
    exit
}

/// Starts the MCP servers the tool can come from, and waits for them.
fn start_servers(
    workers: &tokio::runtime::Runtime,
    tool: &str,
    runtime: &Runtime,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Option<Servers>> {
    let Some(servers) = host.mcp_servers_for(tool, runtime.registry()) else { return Ok(None) };
    workers.block_on(async {
        servers.start();
        servers.wait_ready(SERVERS_WAIT).await;
    });
    for server in servers.status() {
        if let Some(error) = &server.error {
            ui.warn(error)?;
        }
    }
    Ok(Some(servers))
}

fn call(args: &ToolsCall, tool: &Tool, arguments: Value, host: &Host) -> anyhow::Result<ToolCall> {
    let time_limit = match args.timeout {
        seconds if seconds <= 0.0 => None,
        seconds => Some(Duration::try_from_secs_f64(seconds).map_err(|_| {
            UsageError::new(format!("--timeout {seconds:?} is not a number of seconds"))
        })?),
    };
    let context = ContextParts {
        ids: CallIds { task_id: args.task_id.clone(), ..CallIds::default() },
        cwd: std::env::current_dir().ok(),
        vars: host.vars.clone(),
        ..ContextParts::default()
    };
    Ok(ToolCall { context, time_limit, ..ToolCall::new(tool.name().to_string(), arguments) })
}

/// The tools of the configured toolsets, which are those that a tool may call in turn.
fn enabled_tools(host: &Host, runtime: &Runtime) -> Arc<[Arc<str>]> {
    let toolsets = host.platform_toolsets(runtime, PLATFORM);
    let names = toolsets.iter().map(String::as_str);
    let tables = runtime.registry().snapshot();
    runtime.toolsets().snapshot().resolve_each(names, &*tables).into_iter().collect()
}

fn perform(
    workers: &tokio::runtime::Runtime,
    runtime: &Runtime,
    call: ToolCall,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let cancellation = call.context.cancellation.clone();
    workers.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            cancellation.cancel();
        }
    });
    let outcome = workers.block_on(runtime.call(call));
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

fn rehearse(
    workers: &tokio::runtime::Runtime,
    runtime: &Runtime,
    call: ToolCall,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let Rehearsal { tool, args, coercions, trace, gate, needs_agent, .. } =
        workers.block_on(runtime.rehearse(call));
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
