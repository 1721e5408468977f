//! Tools of our own about a server's resources and prompts.

use std::sync::Arc;

use hermes_tool::{Args, ToolContext, ToolError, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::ManagedServer;
use crate::client::listing::Repeat;
use crate::client::utility::UtilityKind;

/// Pages of a listing read before it is cut off.
const MOST_PAGES: usize = 50;

impl ManagedServer {
    /// Runs one of our tools.
    pub(crate) async fn use_utility(
        self: Arc<Self>,
        kind: UtilityKind,
        args: Args,
        cx: ToolContext,
    ) -> ToolResult {
        match kind {
            UtilityKind::ListResources => {
                let keys = ["uri", "name", "description", "mimeType"];
                let found = self.every("resources/list", "resources", &cx).await?;
                let rows: Vec<Value> = found.iter().map(|row| picked(row, &keys)).collect();
                ToolOutput::json(&json!({"resources": rows}))
            }
            UtilityKind::ListPrompts => {
                let found = self.every("prompts/list", "prompts", &cx).await?;
                let rows: Vec<Value> = found.iter().map(prompt_row).collect();
                ToolOutput::json(&json!({"prompts": rows}))
            }
            UtilityKind::ReadResource => {
                let params = json!({"uri": required(&args, "uri")?});
                let result = self.request("resources/read", params, Repeat::Harmless, &cx).await?;
                let renderer = self.renderer();
                self.off_the_loop(move || renderer.resource(result)).await
            }
            UtilityKind::GetPrompt => {
                let name = required(&args, "name")?;
                // The protocol wants texts.
                let values: Map<String, Value> = match args.get("arguments") {
                    Some(Value::Object(map)) => {
                        map.iter().map(|(key, value)| (key.clone(), as_text(value))).collect()
                    }
                    _ => Map::new(),
                };
                let params = json!({"name": name, "arguments": values});
                let result = self.request("prompts/get", params, Repeat::Harmless, &cx).await?;
                let renderer = self.renderer();
                self.off_the_loop(move || renderer.prompt(result)).await
            }
        }
    }

    /// All pages of a listing, each a request like any other.
    async fn every(
        &self,
        method: &str,
        field: &str,
        cx: &ToolContext,
    ) -> Result<Vec<Value>, ToolError> {
        let mut found = Vec::new();
        let mut params = json!({});
        for _ in 0..MOST_PAGES {
            let mut page = self.request(method, params, Repeat::Harmless, cx).await?;
            if let Some(Value::Array(rows)) = page.get_mut(field).map(Value::take) {
                found.extend(rows);
            }
            match page["nextCursor"].as_str() {
                Some(cursor) if !cursor.is_empty() => params = json!({"cursor": cursor}),
                _ => break,
            }
        }
        Ok(found)
    }
}

fn required<'a>(args: &'a Args, key: &str) -> Result<&'a str, ToolError> {
    let text = args.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| ToolError::answer(format!("`{key}` is required")))
}

fn as_text(value: &Value) -> Value {
    match value {
        Value::String(_) => value.clone(),
        other => other.to_string().into(),
    }
}

fn picked(row: &Value, keys: &[&str]) -> Value {
    keys.iter()
        .filter_map(|key| Some(((*key).to_owned(), row.get(*key)?.clone())))
        .filter(|(_, value)| !value.is_null())
        .collect()
}

fn prompt_row(row: &Value) -> Value {
    let mut shown = picked(row, &["name", "description"]);
    if let Some(Value::Array(arguments)) = row.get("arguments") {
        shown["arguments"] = arguments
            .iter()
            .map(|argument| {
                let mut shown = picked(argument, &["name", "description"]);
                shown["required"] = argument["required"].as_bool().unwrap_or(false).into();
                shown
            })
            .collect();
    }
    shown
}
