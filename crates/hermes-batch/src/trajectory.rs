//! From messages to trajectories: ShareGPT turns, counts of calls, reasoning.

use std::collections::{BTreeMap, HashMap};
use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::Formatter;

use crate::record::{ReasoningCount, ToolCount};

/// The tag around reasoning that some models write into their text.
const SCRATCHPAD: (&str, &str) = ("<REASONING_SCRATCHPAD>", "</REASONING_SCRATCHPAD>");

/// What stands before the tools in the first turn.
const PREAMBLE: &str = "You are a function calling AI model. You are given the signatures of functions within \
<tools> </tools> tags. Call one or more of them where that helps with the request of the user, and ask where a value \
is missing that you cannot know. Answer without a call where none is needed. After a call you are given its result \
within <tool_response> </tool_response> tags.\nHere are the functions:\n<tools>\n";

/// What stands behind them.
const CALL_FORM: &str = "\n</tools>\nEach call is a JSON object with the name of the function and its arguments \
within <tool_call> </tool_call> tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-dict>}\n</tool_call>";

/// JSON with a space behind commas and colons, as training data commonly has it.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}

/// A value as JSON with spaces.
#[must_use]
pub fn spaced(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, Spaced);
    match value.serialize(&mut writer) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => value.to_string(),
    }
}

/// The turn that names the tools, by reference or with their whole text.
#[must_use]
pub fn system_turn(tools: &str) -> Value {
    serde_json::json!({"from": "system", "value": format!("{PREAMBLE}{tools}{CALL_FORM}")})
}

/// How a system turn refers to definitions that are kept elsewhere.
#[must_use]
pub fn tools_reference(digest: &str) -> String {
    format!("<tools ref=\"{digest}\"/>")
}

/// Puts the definitions themselves where a system turn refers to them.
#[must_use]
pub fn with_tools(mut conversations: Value, digest: &str, tools: &str) -> Value {
    let reference = tools_reference(digest);
    let first = conversations.as_array_mut().and_then(|turns| turns.first_mut());
    if let Some(Value::String(text)) = first.and_then(|turn| turn.get_mut("value")) {
        *text = text.replace(&reference, tools);
    }
    conversations
}

/// The ShareGPT turns of a history in OpenAI form.
#[must_use]
pub fn conversations(messages: &[Value], prompt: &str, tools: &str) -> Value {
    let mut turns = vec![system_turn(tools)];
    let first_is_user = messages.first().is_some_and(|message| message["role"] == "user");
    if first_is_user {
        turns.push(serde_json::json!({"from": "human", "value": prompt}));
    }
    let rest = if first_is_user { &messages[1..] } else { messages };
    let mut names: HashMap<String, String> = HashMap::new();
    let mut called: Vec<String> = Vec::new();
    let mut position = 0;
    let mut responses: Vec<String> = Vec::new();
    for message in rest {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !responses.is_empty() {
            turns.push(tool_turn(&mut responses));
        }
        match role {
            "user" => turns.push(serde_json::json!({"from": "human", "value": text_of(message)})),
            "assistant" => {
                called.clear();
                position = 0;
                for call in calls_of(message) {
                    let name = call["function"]["name"].as_str().unwrap_or("unknown").to_owned();
                    if let Some(id) = call["id"].as_str().filter(|id| !id.is_empty()) {
                        names.insert(id.to_owned(), name.clone());
                    }
                    called.push(name);
                }
                turns.push(serde_json::json!({"from": "gpt", "value": gpt_value(message)}));
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                let by_place = called.get(position).cloned();
                let name = names.get(id).cloned().or(by_place);
                let name = name.unwrap_or_else(|| "unknown".to_owned());
                position += 1;
                let text = text_of(message);
                let content = serde_json::from_str::<Value>(&text)
                    .ok()
                    .filter(|value| value.is_object() || value.is_array())
                    .unwrap_or(Value::String(text));
                let response =
                    serde_json::json!({"tool_call_id": id, "name": name, "content": content});
                responses.push(format!("<tool_response>\n{}\n</tool_response>", spaced(&response)));
            }
            _ => {}
        }
    }
    if !responses.is_empty() {
        turns.push(tool_turn(&mut responses));
    }
    Value::Array(turns)
}

fn tool_turn(responses: &mut Vec<String>) -> Value {
    let value = std::mem::take(responses).join("\n");
    serde_json::json!({"from": "tool", "value": value})
}

fn gpt_value(message: &Value) -> String {
    let mut value = String::new();
    if let Some(reasoning) = reasoning_of(message) {
        value.push_str(&format!("<think>\n{reasoning}\n</think>\n"));
    }
    let text = text_of(message).replace(SCRATCHPAD.0, "<think>").replace(SCRATCHPAD.1, "</think>");
    value.push_str(&text);
    let calls = calls_of(message);
    for call in &calls {
        let arguments = call["function"]["arguments"].as_str().unwrap_or("{}");
        let arguments: Value = serde_json::from_str(arguments)
            .unwrap_or_else(|_| Value::Object(serde_json::Map::new()));
        let form = serde_json::json!({"name": call["function"]["name"], "arguments": arguments});
        if !value.is_empty() && !value.ends_with('\n') {
            value.push('\n');
        }
        value.push_str(&format!("<tool_call>\n{}\n</tool_call>\n", spaced(&form)));
    }
    if !value.contains("<think>") {
        value.insert_str(0, "<think>\n</think>\n");
    }
    if calls.is_empty() { value.trim().to_owned() } else { value.trim_end().to_owned() }
}

fn reasoning_of(message: &Value) -> Option<&str> {
    let found = ["reasoning", "reasoning_content"].into_iter();
    found.filter_map(|name| message[name].as_str()).find(|text| !text.trim().is_empty())
}

/// The calls of a message that are any.
fn calls_of(message: &Value) -> Vec<&Value> {
    message["tool_calls"].as_array().into_iter().flatten().filter(|call| call.is_object()).collect()
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let part = |part: &Value| match part["type"].as_str() {
                Some("text") => part["text"].as_str().unwrap_or_default().to_owned(),
                _ => "[screenshot]".to_owned(),
            };
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Turns of the model, and how many of them have reasoning.
#[must_use]
pub fn reasoning(messages: &[Value]) -> ReasoningCount {
    let mut count = ReasoningCount::default();
    for message in messages.iter().filter(|message| message["role"] == "assistant") {
        count.turns += 1;
        let has = reasoning_of(message).is_some()
            || text_of(message).contains(SCRATCHPAD.0)
            || text_of(message).contains("<think>");
        count.with += u64::from(has);
    }
    count
}

/// How often each tool was called, and how that went.
#[must_use]
pub fn tool_counts(messages: &[Value]) -> BTreeMap<String, ToolCount> {
    let mut counts: BTreeMap<String, ToolCount> = BTreeMap::new();
    let mut open: Vec<(String, String)> = Vec::new();
    for message in messages {
        if message["role"] == "assistant" {
            open.clear();
            for call in calls_of(message) {
                let name = call["function"]["name"].as_str().unwrap_or("unknown").to_owned();
                counts.entry(name.clone()).or_default().count += 1;
                open.push((call["id"].as_str().unwrap_or_default().to_owned(), name));
            }
        } else if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let known =
                (!id.is_empty()).then(|| open.iter().position(|(call, _)| call == id)).flatten();
            let Some(place) = known.or_else(|| (!open.is_empty()).then_some(0)) else { continue };
            let (_, name) = open.remove(place);
            let count = counts.entry(name).or_default();
            if succeeded(&text_of(message)) {
                count.success += 1;
            } else {
                count.failure += 1;
            }
        }
    }
    counts
}

/// Whether a result is none of an error.
fn succeeded(result: &str) -> bool {
    let has_error = |value: &Value| value.get("error").is_some_and(|error| !error.is_null());
    match serde_json::from_str::<Value>(result) {
        Ok(Value::Object(fields)) => {
            let value = Value::Object(fields);
            let inner = value
                .get("content")
                .is_some_and(|content| content.is_object() && has_error(content));
            !has_error(&value) && !inner && value.get("success") != Some(&Value::Bool(false))
        }
        Ok(Value::Array(_)) => true,
        _ => !result.is_empty() && !result.trim().to_lowercase().starts_with("error:"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn two_calls() -> Vec<Value> {
        vec![
            json!({"role": "user", "content": "changed"}),
            json!({"role": "assistant", "content": "", "reasoning": "hm", "tool_calls": [null,
                {"id": "b", "function": {"name": "two", "arguments": "{\"x\":[1,1.0,1e2],\"ü\":\"é\"}"}},
                {"id": "a", "function": {"name": "one", "arguments": "oops"}}]}),
            json!({"role": "tool", "tool_call_id": "a", "content": "{\"error\":null}"}),
            json!({"role": "tool", "tool_call_id": "b", "content": " Error: no"}),
            json!({"role": "assistant", "content": " done "}),
        ]
    }

    #[test]
    fn a_history_becomes_turns_with_calls_and_answers_paired_by_id() {
        let turns = conversations(&two_calls(), "asked", "T");
        let values: Vec<&str> =
            turns.as_array().unwrap().iter().map(|turn| turn["value"].as_str().unwrap()).collect();
        assert_eq!(values[1], "asked", "the prompt as the data set has it");
        assert_eq!(
            values[2],
            "<think>\nhm\n</think>\n<tool_call>\n{\"name\": \"two\", \"arguments\": {\"x\": [1, 1.0, 100.0], \
             \"ü\": \"é\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"one\", \"arguments\": {}}\n</tool_call>"
        );
        assert!(values[3].starts_with("<tool_response>\n{\"tool_call_id\": \"a\", \"name\": \"one\", \"content\": {\"error\": null}}"));
        assert_eq!(values[4], "<think>\n</think>\n done");
    }

    #[test]
    fn calls_are_counted_by_how_their_results_read() {
        let counts = tool_counts(&two_calls());
        assert_eq!(counts["one"], ToolCount { count: 1, success: 1, failure: 0 });
        assert_eq!(counts["two"], ToolCount { count: 1, success: 0, failure: 1 });
        assert_eq!(reasoning(&two_calls()), ReasoningCount { turns: 2, with: 1 });
        for (result, expected) in [
            ("{\"error\":null}", true),
            ("{\"error\":\"\"}", false),
            ("{\"error\":false}", false),
            ("{\"error\":0}", false),
            ("{\"error\":{}}", false),
            ("{\"success\":0}", true),
            ("{\"success\":false}", false),
            ("[1]", true),
            ("", false),
            ("  ", true),
            ("ERROR: x", false),
            ("{\"content\":{\"error\":1}}", false),
            ("{\"exit_code\":1}", true),
        ] {
            assert_eq!(succeeded(result), expected, "{result}");
        }
    }
}
