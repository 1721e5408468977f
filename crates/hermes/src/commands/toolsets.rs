//! `hermes toolsets`: which tools belong together.
//!
//! Toolsets name tools whether this build has them or not; the tables tell the two apart. `resolve`
//! follows includes, or asks what the configuration gives a platform; `distributions` are the odds
//! by which batches draw toolsets, and can be drawn from here.
//!
//! What never happens here: something is switched on or off (`hermes tools enable` does that), or a
//! tool is called.

use hermes_runtime::distributions::SplitMix64;
use hermes_runtime::toolsets::{ToolsetInfo, ToolsetKind, ToolsetSource, means_everything};
use hermes_runtime::{DefinitionRequest, Runtime, ToolScope};
use hermes_tools::product;
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::args::ToolsetsCommand;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui, count};

/// Runs one of the subcommands.
pub(crate) fn run(command: &ToolsetsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let runtime = host.runtime();
    let _plugins = host::plugins(host, &runtime, ui)?;
    match command {
        ToolsetsCommand::List { json } => list(&runtime, *json, ui),
        ToolsetsCommand::Show { name, json } => show(&runtime, name, *json, ui),
        ToolsetsCommand::Resolve { names, platform, json } => {
            resolve(&runtime, host, names, platform, *json, ui)
        }
        ToolsetsCommand::Distributions { sample, seed, json } => {
            distributions(&runtime, host, sample.as_deref(), *seed, *json, ui)
        }
    }
}

fn info(runtime: &Runtime, name: &str) -> anyhow::Result<ToolsetInfo> {
    let tables = runtime.registry().snapshot();
    let toolsets = runtime.toolsets().snapshot();
    if means_everything(name) {
        return Ok(ToolsetInfo {
            name: name.into(),
            description: "Every tool of every toolset".into(),
            own_tools: Vec::new(),
            includes: toolsets.names(&*tables),
            tools: toolsets.resolve(name, &*tables),
            kind: ToolsetKind::Ordinary,
            source: ToolsetSource::BuiltIn,
        });
    }
    toolsets.info(name, &*tables).ok_or_else(|| {
        let nearest = toolsets.suggestion(name, &*tables);
        UsageError::unknown("toolset", name, nearest.as_deref(), "hermes toolsets list").into()
    })
}

fn source(info: &ToolsetInfo) -> &'static str {
    match info.source {
        ToolsetSource::BuiltIn => "built-in",
        ToolsetSource::Custom => "custom",
        ToolsetSource::Registry => "registered",
        ToolsetSource::McpServer => "mcp",
        ToolsetSource::PluginPlatform => "platform",
    }
}

/// How many of its tools this build has.
fn present(runtime: &Runtime, info: &ToolsetInfo) -> usize {
    let tables = runtime.registry().snapshot();
    info.tools.iter().filter(|name| tables.get(name).is_some()).count()
}

fn as_json(runtime: &Runtime, info: &ToolsetInfo) -> Value {
    json!({
        "name": info.name,
        "description": info.description,
        "source": source(info),
        "own_tools": info.own_tools,
        "includes": info.includes,
        "tools": info.tools,
        "tools_in_this_build": present(runtime, info),
    })
}

fn list(runtime: &Runtime, json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let tables = runtime.registry().snapshot();
    let toolsets = runtime.toolsets().snapshot();
    let infos: Vec<ToolsetInfo> =
        toolsets.names(&*tables).iter().filter_map(|name| toolsets.info(name, &*tables)).collect();
    if json {
        ui.json(&infos.iter().map(|info| as_json(runtime, info)).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["toolset", "tools", "here", "from", "about"]).right(&[1, 2]);
    for info in &infos {
        table.row([
            info.name.to_string().into(),
            info.tools.len().to_string().into(),
            present(runtime, info).to_string().into(),
            Cell::dim(source(info)),
            info.description.to_string().into(),
        ]);
    }
    ui.table(&table)?;
    ui.note(format_args!("{} toolsets; HERE counts the tools this build has", infos.len()))?;
    Ok(Exit::Done)
}

fn show(runtime: &Runtime, name: &str, json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let info = info(runtime, name)?;
    if json {
        ui.json(&as_json(runtime, &info))?;
        return Ok(Exit::Done);
    }
    ui.line(info.name.bold())?;
    ui.line(&info.description)?;
    ui.line("")?;
    if !info.includes.is_empty() {
        ui.prose(&format!("includes {}", info.includes.join(", ")))?;
        ui.line("")?;
    }
    let tables = runtime.registry().snapshot();
    for tool in &info.tools {
        match tables.get(tool) {
            Some(present) => ui.line(format_args!("  {} {tool}", present.emoji()))?,
            None => ui.line(format_args!("  –  {tool} {}", "(not in this build)".dimmed()))?,
        }
    }
    ui.note(count(info.tools.len(), "tool"))?;
    Ok(Exit::Done)
}

fn resolve(
    runtime: &Runtime,
    host: &Host,
    names: &[String],
    platform: &str,
    json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let enabled = if names.is_empty() {
        host::require_platform(host, runtime, platform)?;
        let enabled = host.platform_toolsets(runtime, platform);
        if enabled.is_empty() {
            ui.warn(format_args!(
                "the platform `{platform}` gets no tools: no preset is called so, and \
                 platform_toolsets.{platform} names no toolset"
            ))?;
        } else if !host.has_platform(runtime, platform) {
            ui.warn(format_args!(
                "only platform_toolsets in the configuration knows the platform `{platform}`; \
                 nothing runs under that name"
            ))?;
        }
        enabled
    } else {
        for name in names {
            info(runtime, name)?;
        }
        names.to_vec()
    };
    let tables = runtime.registry().snapshot();
    let toolsets = runtime.toolsets().snapshot();
    let tools = toolsets.resolve_each(enabled.iter().map(String::as_str), &*tables);
    if json {
        let request = DefinitionRequest {
            scope: ToolScope { enabled: Some(enabled.clone()), disabled: Vec::new() },
            ..DefinitionRequest::default()
        };
        let available = runtime.definitions(&request).available().to_vec();
        ui.json(&json!({"toolsets": enabled, "tools": tools, "available": available}))?;
        return Ok(Exit::Done);
    }
    for tool in &tools {
        ui.line(tool)?;
    }
    let from = if enabled.is_empty() { "no toolset".to_owned() } else { enabled.join(", ") };
    ui.note(format_args!("{} from {from}", count(tools.len(), "tool")))?;
    Ok(Exit::Done)
}

fn distributions(
    runtime: &Runtime,
    host: &Host,
    sample: Option<&str>,
    seed: Option<u64>,
    json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let mut known = product::distributions();
    for problem in known.load_config(host.config().value()) {
        ui.warn(problem)?;
    }
    if let Some(name) = sample {
        let tables = runtime.registry().snapshot();
        let toolsets = runtime.toolsets().snapshot();
        let mut draws = seed.map_or_else(SplitMix64::from_os, SplitMix64::new);
        let drawn = known
            .sample(name, &mut draws, |toolset| toolsets.is_valid(toolset, &*tables))
            .map_err(|problem| UsageError::new(problem.to_string()))?;
        for warning in drawn.warnings() {
            ui.warn(warning)?;
        }
        if json {
            ui.json(&drawn.toolsets)?;
        } else {
            for toolset in &drawn.toolsets {
                ui.line(toolset)?;
            }
        }
        return Ok(Exit::Done);
    }
    if json {
        let all: Vec<Value> = known
            .list()
            .iter()
            .map(|distribution| {
                let shares: serde_json::Map<String, Value> = distribution
                    .shares
                    .iter()
                    .map(|share| (share.toolset.to_string(), json!(share.percent)))
                    .collect();
                json!({"name": distribution.name, "description": distribution.description,
                       "shares": shares})
            })
            .collect();
        ui.json(&all)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["distribution", "percent per toolset"]).wrapped();
    for distribution in known.list() {
        let shares: Vec<String> = distribution
            .shares
            .iter()
            .map(|share| format!("{} {}", share.toolset, share.percent))
            .collect();
        table.row([distribution.name.to_string().into(), shares.join(", ").into()]);
    }
    ui.table(&table)?;
    Ok(Exit::Done)
}
