//! From a server's answer to what a model reads.
//!
//! Text stays text. Bytes go into files below the cache folder, and the model gets the path: a
//! picture in the middle of a conversation is worth nothing as base64. Everything has a limit, and
//! the limit is checked before anything is decoded.

mod files;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use hermes_tool::{ToolError, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use crate::safety::redact_error;
use files::Folder;

/// What rendering needs to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renderer {
    /// Where bytes go.
    pub(crate) cache: PathBuf,
    /// The tool that reads what a link points to, if there is one.
    pub(crate) read_resource: Option<String>,
}

impl Renderer {
    /// The result of a tool call.
    pub(crate) fn tool_result(&self, mut result: Value) -> ToolResult {
        let blocks = match result.get_mut("content").map(Value::take) {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        };
        if result["isError"] == true {
            return Err(error_of(&blocks));
        }
        let text = self.blocks(blocks);
        let structured = result.get_mut("structuredContent").map(Value::take);
        let answer = match structured.filter(|value| !value.is_null()) {
            None => json!({"result": text}),
            Some(value) if text.is_empty() || says_the_same(&text, &value) => {
                json!({"result": value})
            }
            Some(value) if wraps(&value, &text) => json!({"result": text}),
            Some(value) => json!({"result": text, "structuredContent": value}),
        };
        ToolOutput::json(&answer)
    }

    /// The contents of a resource.
    pub(crate) fn resource(&self, mut result: Value) -> ToolResult {
        let contents = match result.get_mut("contents").map(Value::take) {
            Some(Value::Array(contents)) => contents,
            _ => Vec::new(),
        };
        let texts: Vec<String> =
            contents.into_iter().filter_map(|content| self.embedded(content)).collect();
        ToolOutput::json(&json!({"result": texts.join("\n")}))
    }

    /// The messages of a prompt.
    pub(crate) fn prompt(&self, mut result: Value) -> ToolResult {
        let messages = match result.get_mut("messages").map(Value::take) {
            Some(Value::Array(messages)) => messages,
            _ => Vec::new(),
        };
        let messages: Vec<Value> = messages
            .into_iter()
            .map(|mut message| {
                let content = match message["content"].take() {
                    Value::Array(blocks) => self.blocks(blocks),
                    Value::String(text) => text,
                    block => self.blocks(vec![block]),
                };
                json!({"role": message["role"].take(), "content": content})
            })
            .collect();
        let mut answer = Map::new();
        answer.insert("messages".into(), messages.into());
        if let Some(description) = result["description"].as_str() {
            answer.insert("description".into(), description.into());
        }
        ToolOutput::json(&answer)
    }

    fn blocks(&self, blocks: Vec<Value>) -> String {
        let mut texts: Vec<String> =
            blocks.into_iter().filter_map(|block| self.block(block)).collect();
        // The usual case is one text, possibly a long one: it is not copied.
        if texts.len() == 1 { texts.remove(0) } else { texts.join("\n") }
    }

    fn block(&self, mut block: Value) -> Option<String> {
        match block["type"].as_str().unwrap_or_default() {
            "text" => match block["text"].take() {
                Value::String(text) => Some(text).filter(|text| !text.is_empty()),
                _ => None,
            },
            "image" => Some(self.media(&block, Folder::Images)),
            "audio" => Some(self.media(&block, Folder::Audio)),
            "resource" => self.embedded(block["resource"].take()),
            "resource_link" => Some(self.link(&block)),
            other => Some(format!("[content of the unknown type {other:?} was left out]")),
        }
    }

    fn media(&self, block: &Value, folder: Folder) -> String {
        let data = block["data"].as_str().unwrap_or_default();
        let kind = block["mimeType"].as_str().unwrap_or_default();
        match files::store(&self.cache, folder, data, kind, "") {
            Ok(stored) => format!("MEDIA:{}", stored.path.display()),
            Err(problem) => format!("[{} was left out: {problem}]", folder.thing()),
        }
    }

    /// A resource inside an answer.
    fn embedded(&self, mut resource: Value) -> Option<String> {
        if let Value::String(text) = resource["text"].take() {
            return Some(text).filter(|text| !text.is_empty());
        }
        let data = resource["blob"].as_str()?;
        let kind = resource["mimeType"].as_str().unwrap_or("application/octet-stream");
        let uri = resource["uri"].as_str().unwrap_or_default();
        Some(match files::store(&self.cache, Folder::Documents, data, kind, uri) {
            Ok(stored) => format!(
                "[file stored at {} ({kind}, {} bytes); read it with the file tools]",
                stored.path.display(),
                stored.size
            ),
            Err(problem) => format!("[the resource {uri} was left out: {problem}]"),
        })
    }

    fn link(&self, block: &Value) -> String {
        let mut parts = Vec::new();
        for key in ["uri", "name", "mimeType"] {
            if let Some(value) = block[key].as_str() {
                parts.push(format!("{key}={value}"));
            }
        }
        let how = match &self.read_resource {
            Some(tool) => format!("; read it with {tool}"),
            None => String::new(),
        };
        format!("[resource {}{how}]", parts.join(", "))
    }
}

/// A tool's own error, in its words.
fn error_of(blocks: &[Value]) -> ToolError {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str().or_else(|| block["resource"]["text"].as_str()))
        .filter(|text| !text.is_empty())
        .collect();
    if texts.is_empty() {
        return ToolError::answer("The MCP tool reported an error without saying which");
    }
    ToolError::answer(redact_error(&texts.join("\n")))
}

/// Whether the text is the structured value written out.
fn says_the_same(text: &str, value: &Value) -> bool {
    let start = text.trim_start().as_bytes().first();
    let fits = match value {
        Value::Object(_) => start == Some(&b'{'),
        Value::Array(_) => start == Some(&b'['),
        _ => true,
    };
    fits && serde_json::from_str::<Value>(text).is_ok_and(|parsed| parsed == *value)
}

/// Whether the structured value is nothing but the text in a wrapper, as some SDKs make it.
fn wraps(value: &Value, text: &str) -> bool {
    value.as_object().is_some_and(|map| map.len() == 1)
        && match value.get("result") {
            Some(Value::String(inner)) => inner == text,
            Some(inner) => says_the_same(text, inner),
            None => false,
        }
}
