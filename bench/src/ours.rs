//! Our side of the benchmark: the same work as `reference.py`, through the public crates.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hermes_runtime::coerce::{CoercionMode, coerce};
use hermes_runtime::registry::Registry;
use hermes_runtime::{DefinitionRequest, Runtime, ToolCall, ToolScope};
use hermes_tool::{Args, Effects, Tool, ToolContext, ToolOutput};
use hermes_tools as _;
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

use crate::measurements::{Cold, Cost, Hot, Phase};
use crate::timing::{fastest, median_after};

const TOOLSET: &str = "bench";
const ANSWER: &str = r#"{"ok":true}"#;

/// Measures a phase and prints its JSON.
pub(crate) fn print(phase: Phase) -> Result<()> {
    let text = match phase {
        Phase::Cold => serde_json::to_string(&cold()?)?,
        Phase::Hot => serde_json::to_string(&hot()?)?,
    };
    writeln!(std::io::stdout(), "{text}").context("printing the measurements")
}

/// A runtime with every tool.
pub(crate) fn runtime() -> Runtime {
    Runtime::builder()
        .registry(Arc::new(Registry::with_linked_tools()))
        .toolsets(hermes_tools::product::toolset_catalog())
        .build()
}

fn default_request() -> DefinitionRequest {
    DefinitionRequest {
        scope: ToolScope { enabled: Some(vec!["hermes-cli".to_owned()]), disabled: Vec::new() },
        ..DefinitionRequest::default()
    }
}

/// One start: building the runtime, then the first definitions.
fn cold() -> Result<Cold> {
    let (runtime, load) = cost(runtime)?;
    let (definitions, first) = cost(|| runtime.definitions(&default_request()))?;
    let resident_bytes = resident_bytes()?;
    Ok(Cold {
        load,
        definitions: first,
        resident_bytes,
        schema_bytes: definitions.json().len() as u64,
        tools: definitions.functions().len() as u64,
    })
}

fn cost<T>(act: impl FnOnce() -> T) -> Result<(T, Cost)> {
    let (start, cpu) = (Instant::now(), cpu_ns()?);
    let made = act();
    let wall_ns = start.elapsed().as_nanos() as f64;
    Ok((made, Cost { wall_ns, cpu_ns: cpu_ns()? - cpu }))
}

/// Nanoseconds this process has worked.
pub(crate) fn cpu_ns() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).context("reading processor time")?;
    let nanoseconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 * 1e9 + time.tv_usec() as f64 * 1e3;
    Ok(nanoseconds(usage.user_time()) + nanoseconds(usage.system_time()))
}

fn resident_bytes() -> Result<u64> {
    memory("VmRSS:")
}

/// Bytes of a line of the kernel's account of our memory.
pub(crate) fn memory(line_start: &str) -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("reading memory use")?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix(line_start))
        .and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok())
        .with_context(|| format!("/proc/self/status has no {line_start} line"))?;
    Ok(kilobytes * 1024)
}

fn tool(name: &str, properties: &Value) -> hermes_tool::ToolBuilder {
    Tool::builder(name, TOOLSET)
        .description("A tool of the benchmark.")
        .parameters(json!({"type": "object", "properties": properties}))
        .effects(Effects::NONE)
}

fn register(registry: &Registry) {
    let text = json!({"name": {"type": "string"}});
    registry.register_all([
        tool("bench_sync", &text).handler(|_, _| Ok(ToolOutput::text(ANSWER))),
        tool("bench_async", &text).async_handler(|_, _| async { Ok(ToolOutput::text(ANSWER)) }),
        tool("bench_five", &five()).handler(|_, _| Ok(ToolOutput::text(ANSWER))),
    ]);
}

fn five() -> Value {
    json!({
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "name": {"type": "string"},
    })
}

fn object(value: Value) -> Args {
    match value {
        Value::Object(args) => args,
        _ => Args::new(),
    }
}

fn fitting() -> Args {
    object(json!({"count": 3, "ratio": 2.5, "deep": true, "tags": ["a", "b"], "name": "world"}))
}

fn converting() -> Args {
    object(json!({
        "count": "3", "ratio": "2.5", "deep": "true", "tags": "[\"a\", \"b\"]", "name": "world"
    }))
}

fn greeting() -> Args {
    object(json!({"name": "world"}))
}

/// The steady state. As on the other side, async tools are called from sync code.
fn hot() -> Result<Hot> {
    let runtime = runtime();
    register(runtime.registry());
    let cx = ToolContext::default();
    let dispatch = |name: &'static str| {
        let (runtime, cx) = (&runtime, &cx);
        move |args: Args| runtime.dispatch_blocking(name, args, cx)
    };
    let pipeline = |name: &'static str| {
        let runtime = &runtime;
        move |args: Args| {
            let mut call = ToolCall::new(name, Value::Object(args));
            call.context.ids.task_id = "bench".to_owned();
            runtime.call_blocking(call)
        }
    };
    let five = runtime.registry().get("bench_five").context("the tool was registered")?;
    let convert = |mut args: Args| {
        coerce(&mut args, five.parameters(), CoercionMode::Deep);
        args
    };

    // A number for the wrong work is worthless: stop rather than time it.
    for name in ["bench_sync", "bench_async"] {
        ensure!(dispatch(name)(greeting()).output == ToolOutput::text(ANSWER), "dispatch {name}");
        ensure!(pipeline(name)(greeting()).text() == ANSWER, "pipeline {name}");
    }
    ensure!(convert(fitting()) == fitting(), "coercion, no-op");
    ensure!(convert(converting()) == fitting(), "coercion");

    let request = default_request();
    Ok(Hot {
        definitions_cached_ns: fastest(|| (), |()| runtime.definitions(&request)),
        definitions_recomputed_ns: median_after(
            || runtime.registry().register_toolset_alias("bench-alias", TOOLSET),
            || runtime.definitions(&request),
        ),
        dispatch_sync_ns: fastest(greeting, dispatch("bench_sync")),
        dispatch_async_ns: fastest(greeting, dispatch("bench_async")),
        pipeline_sync_ns: fastest(greeting, pipeline("bench_sync")),
        pipeline_async_ns: fastest(greeting, pipeline("bench_async")),
        coerce_fitting_ns: fastest(fitting, convert),
        coerce_converting_ns: fastest(converting, convert),
    })
}
