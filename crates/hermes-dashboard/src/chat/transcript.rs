//! A session as it is recorded, as blocks.

use std::collections::HashMap;

use hermes_guard::redact::Redactor;
use hermes_sessions::{Content, MessageRow};
use serde::Serialize;
use serde_json::Value;

use super::block::{Block, BlockKind, is_picture, readable};

/// Messages of one page; further ones are behind a link.
pub(crate) const PAGE: usize = 120;

/// The blocks of a page, and where the page before it begins.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) blocks: Vec<Block>,
    /// The number to go back from.
    pub(crate) earlier: Option<i64>,
}

/// The last messages up to `before` (that one included), those of a page.
pub(crate) fn transcript(rows: Vec<MessageRow>, before: Option<i64>, redactor: Redactor) -> Shown {
    let mut rows: Vec<MessageRow> =
        rows.into_iter().filter(|row| before.is_none_or(|before| row.id <= before)).collect();
    let mut first = rows.len().saturating_sub(PAGE);
    // Results stand with their calls.
    while first > 0 && rows.get(first).is_some_and(|row| row.role == "tool") {
        first -= 1;
    }
    let earlier = first.checked_sub(1).and_then(|at| rows.get(at)).map(|row| row.id);
    rows.drain(..first);
    let mut blocks: Vec<Block> = Vec::new();
    let mut calls: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let id = u64::try_from(row.id).unwrap_or(0);
        let add = |blocks: &mut Vec<Block>, what: BlockKind| {
            blocks.push(Block { id, changed: 0, what: what.masked(redactor) });
        };
        let text = row.content.as_ref().map(|content| content.text().into_owned());
        let text = text.unwrap_or_default();
        match row.role.as_str() {
            "user" => {
                let pictures = pictures(row.content.as_ref());
                add(&mut blocks, BlockKind::User { text, pictures, waits: false });
            }
            "assistant" => {
                let thought = row.reasoning.or(row.reasoning_content).unwrap_or_default();
                if !thought.trim().is_empty() {
                    add(&mut blocks, BlockKind::Reasoning { text: thought });
                }
                if !text.trim().is_empty() {
                    add(&mut blocks, BlockKind::Text { text });
                }
                let list = row.tool_calls.as_ref().and_then(Value::as_array);
                for call in list.into_iter().flatten() {
                    let function = call.get("function").unwrap_or(call);
                    let args = match &function["arguments"] {
                        Value::String(text) => serde_json::from_str(text)
                            .unwrap_or_else(|_| Value::String(text.clone())),
                        other => other.clone(),
                    };
                    if let Some(id) = call["id"].as_str() {
                        calls.insert(id.to_owned(), blocks.len());
                    }
                    let tool = function["name"].as_str().unwrap_or("a tool");
                    add(&mut blocks, BlockKind::call(tool, &args));
                }
            }
            "tool" => {
                let place = row.tool_call_id.as_ref().and_then(|id| calls.get(id)).copied();
                let given = readable(&text);
                match place.and_then(|place| blocks.get_mut(place)) {
                    Some(block) => {
                        if let BlockKind::Tool { output, state, .. } = &mut block.what {
                            *output = given;
                            *state = if text.starts_with("{\"error\"") { "failed" } else { "done" };
                        }
                        block.what = block.what.clone().masked(redactor);
                    }
                    None => {
                        let tool = row.tool_name.unwrap_or_else(|| "a tool".to_owned());
                        let mut what = BlockKind::call(&tool, &Value::Null);
                        if let BlockKind::Tool { output, state, args, .. } = &mut what {
                            (*output, *state, *args) = (given, "done", String::new());
                        }
                        add(&mut blocks, what);
                    }
                }
            }
            _ => {}
        }
    }
    // A call without a result was cut off.
    for block in &mut blocks {
        if let BlockKind::Tool { state, .. } = &mut block.what
            && *state == "running"
        {
            *state = "cut off";
        }
    }
    Shown { blocks, earlier }
}

fn pictures(content: Option<&Content>) -> Vec<String> {
    let Some(Content::Json(Value::Array(parts))) = content else { return Vec::new() };
    let urls = parts.iter().filter_map(|part| {
        part["image_url"]["url"].as_str().or_else(|| part["image_url"].as_str())
    });
    urls.filter(|url| is_picture(url)).map(str::to_owned).collect()
}
