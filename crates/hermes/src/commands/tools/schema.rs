//! `hermes tools schema`.

use hermes_runtime::schema::Provider;
use hermes_runtime::{DefinitionRequest, ToolScope};
use serde_json::{Value, json};

use crate::args::ToolsSchema;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui, count};

/// A steady estimate; tokenizers differ by model anyway.
const CHARS_PER_TOKEN: usize = 4;

pub(crate) fn run(args: &ToolsSchema, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let provider: Provider =
        args.provider.parse().map_err(|problem| UsageError::new(format!("{problem}")))?;
    let runtime = host.runtime();
    let _plugins = host::plugins(host, &runtime, ui)?;
    let mut scope = match &args.toolsets {
        Some(names) => ToolScope { enabled: Some(given(names)), disabled: Vec::new() },
        None => host::scope(host, &runtime, ui)?,
    };
    scope.disabled.extend(given(&args.disable));
    let request = DefinitionRequest {
        scope,
        context_tokens: args.context.map(|tokens| tokens as u64),
        ..DefinitionRequest::default()
    };
    let definitions = runtime.definitions(&request);
    let is_typed = |name: &str| {
        args.disable.iter().chain(args.toolsets.iter().flatten()).any(|typed| typed.trim() == name)
    };
    if let Some(unknown) = definitions.unknown().iter().find(|unknown| is_typed(&unknown.name)) {
        return Err(UsageError::unknown(
            "toolset",
            &unknown.name,
            unknown.suggestion.as_deref(),
            "hermes toolsets list",
        )
        .into());
    }
    let functions: Vec<Value> =
        definitions.functions().iter().map(|function| provider.wire_form(function)).collect();
    if args.size {
        return sizes(&functions, args, ui);
    }
    ui.json(&functions)?;
    Ok(Exit::Done)
}

/// The names of a list with commas; `a,` has one.
fn given(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn sizes(functions: &[Value], args: &ToolsSchema, ui: &mut Ui) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    let mut total_bytes = 2; // the brackets of the array
    let mut total_chars = 2;
    for (index, function) in functions.iter().enumerate() {
        let text = function.to_string();
        let comma = usize::from(index > 0);
        total_bytes += text.len() + comma;
        total_chars += text.chars().count() + comma;
        rows.push((name_of(function), text.len(), tokens(text.chars().count())));
    }
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    if args.json {
        let tools: Vec<Value> = rows
            .iter()
            .map(|(name, bytes, tokens)| json!({"name": name, "bytes": bytes, "tokens": tokens}))
            .collect();
        ui.json(&json!({
            "tools": tools, "total_bytes": total_bytes, "total_tokens": tokens(total_chars)
        }))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["tool", "bytes", "~tokens"]).right(&[1, 2]);
    for (name, bytes, tokens) in rows {
        table.row([name.into(), bytes.to_string().into(), Cell::dim(tokens.to_string())]);
    }
    ui.table(&table)?;
    ui.note(format_args!(
        "{}, {total_bytes} bytes, about {} tokens (characters / {CHARS_PER_TOKEN})",
        count(functions.len(), "tool"),
        tokens(total_chars)
    ))?;
    Ok(Exit::Done)
}

fn tokens(chars: usize) -> usize {
    chars.div_ceil(CHARS_PER_TOKEN)
}

/// The name, wherever the provider wants it.
fn name_of(function: &Value) -> String {
    function["function"]["name"]
        .as_str()
        .or_else(|| function["name"].as_str())
        .unwrap_or("?")
        .to_owned()
}
