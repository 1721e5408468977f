//! `hermes tools show`.

use hermes_tool::{Availability, Effect, ResultLimit};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use super::find_tool;
use crate::args::ToolsShow;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui};

pub(crate) fn run(args: &ToolsShow, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let runtime = host.runtime();
    let _plugins = host::plugins(host, &runtime, ui)?;
    let tool = find_tool(&runtime, &args.name, ui)?;
    let pass = runtime.availability().pass([&tool], host.vars());
    let availability = pass.of(&tool);
    let limit = match tool.result_limit() {
        ResultLimit::Default => "default".to_owned(),
        ResultLimit::Chars(chars) => format!("{chars} characters"),
        ResultLimit::Unlimited => "bounded by the tool itself".to_owned(),
    };
    if args.json {
        let (reason, fix) = match &availability {
            Availability::Available => (Value::Null, Value::Null),
            Availability::Unavailable { reason, fix } => (json!(reason), json!(fix)),
        };
        ui.json(&json!({
            "name": tool.name(),
            "toolset": tool.toolset(),
            "emoji": tool.emoji(),
            "available": availability.is_available(),
            "reason": reason,
            "fix": fix,
            "effects": tool.effects().iter().map(Effect::name).collect::<Vec<_>>(),
            "requires_env": tool.requires_env(),
            "result_limit": limit,
            "description": tool.description(),
            "parameters": tool.parameters(),
        }))?;
        return Ok(Exit::Done);
    }
    ui.line(format_args!("{} {}", tool.emoji(), tool.name().bold()))?;
    ui.line("")?;
    ui.prose(tool.description())?;
    ui.line("")?;
    let status = match &availability {
        Availability::Available => "available".to_owned(),
        Availability::Unavailable { reason, fix } if fix.is_empty() => {
            format!("unavailable: {reason}")
        }
        Availability::Unavailable { reason, fix } => format!("unavailable: {reason} ({fix})"),
    };
    for (label, text) in [
        ("toolset", tool.toolset().to_string()),
        ("status", status),
        ("effects", tool.effects().to_string()),
        ("wants", tool.requires_env().join(", ")),
        ("results", limit),
    ] {
        if !text.is_empty() {
            ui.line(format_args!("{label:<9}{text}"))?;
        }
    }
    ui.line("")?;
    parameters(tool.parameters(), ui)?;
    Ok(Exit::Done)
}

fn parameters(schema: &Value, ui: &mut Ui) -> anyhow::Result<()> {
    let Some(properties) = schema["properties"].as_object().filter(|map| !map.is_empty()) else {
        ui.line("takes no arguments")?;
        return Ok(());
    };
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
    };
    let mut table = Table::new(["argument", "type", "", "about"]).wrapped();
    for (name, property) in properties {
        let need = match property.get("default") {
            _ if required(name) => "required".to_owned(),
            Some(default) => format!("default {default}"),
            None => String::new(),
        };
        table.row([
            name.as_str().into(),
            Cell::dim(kind(property)),
            Cell::dim(need),
            property["description"].as_str().unwrap_or_default().replace('\n', " ").into(),
        ]);
    }
    Ok(ui.table(&table)?)
}

/// The type in one word, with the words of an enum.
fn kind(property: &Value) -> String {
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return words.join("|");
    }
    match &property["type"] {
        Value::String(name) if name == "array" => {
            format!("{} list", kind(&property["items"]))
        }
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
        _ => "any".to_owned(),
    }
}
