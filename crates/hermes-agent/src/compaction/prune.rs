//! Making a history shorter without a model: old results shrink to a line.

use std::collections::{HashMap, HashSet};

use hermes_llm::message::{ContentPart, Message, MessageContent, RequestedCall, Role};
use hermes_runtime::repair::arguments::parse_arguments;
use hermes_tool::HistoryRule;
use serde_json::Value;

use super::PolicyLookup;
use super::one_line::{RESULT_CHARS, one_line};

/// Arguments longer than this have their texts cut.
const ARGUMENT_CHARS: usize = 500;
/// What is left of a text in such arguments.
const LEAF_CHARS: usize = 200;

/// The history with everything before the newest `protected` messages pruned.
pub(super) fn prune(
    history: &[Message],
    protected: usize,
    policies: PolicyLookup<'_>,
) -> Vec<Message> {
    let end = history.len().saturating_sub(protected);
    let later = newest_copies(history);
    let states = newest_states(history, policies);
    let mut calls: HashMap<&str, &RequestedCall> = HashMap::new();
    let mut pruned = Vec::with_capacity(history.len());
    for (at, message) in history.iter().enumerate() {
        for call in &message.tool_calls {
            calls.insert(&call.id, call);
        }
        if at >= end || states.contains(&at) {
            pruned.push(message.clone());
            continue;
        }
        let mut message = message.clone();
        drop_images(&mut message.content);
        if message.role == Role::Tool {
            let call = message.tool_call_id.as_deref().and_then(|id| calls.get(id).copied());
            shorten_result(&mut message, call, policies, |text| {
                later.get(text).is_some_and(|last| *last > at)
            });
        }
        for call in &mut message.tool_calls {
            shorten_arguments(call);
        }
        pruned.push(message);
    }
    pruned
}

/// Where each long result stands for the last time.
fn newest_copies(history: &[Message]) -> HashMap<String, usize> {
    let results = history.iter().enumerate().filter(|(_, message)| message.role == Role::Tool);
    results
        .map(|(at, message)| (message.text().into_owned(), at))
        .filter(|(text, _)| is_long(text, RESULT_CHARS - 1))
        .collect()
}

/// Where the newest results stand of tools whose result is their state, which is read back from there.
fn newest_states(history: &[Message], policies: PolicyLookup<'_>) -> HashSet<usize> {
    let mut kept: HashMap<&str, &str> = HashMap::new();
    for call in history.iter().flat_map(|message| &message.tool_calls) {
        if policies(&call.name).history == HistoryRule::NewestKept {
            kept.insert(&call.id, &call.name);
        }
    }
    let mut newest: HashMap<&str, usize> = HashMap::new();
    for (at, message) in history.iter().enumerate().filter(|(_, one)| one.role == Role::Tool) {
        if let Some(tool) = message.tool_call_id.as_deref().and_then(|id| kept.get(id)) {
            newest.insert(tool, at);
        }
    }
    newest.into_values().collect()
}

fn shorten_result(
    message: &mut Message,
    call: Option<&RequestedCall>,
    policies: PolicyLookup<'_>,
    comes_again: impl Fn(&str) -> bool,
) {
    let text = message.text().into_owned();
    let name = call.map(|call| call.name.as_str()).or(message.tool_name.as_deref());
    let name = name.unwrap_or("tool");
    let short = if is_long(&text, RESULT_CHARS - 1) && comes_again(&text) {
        format!("[{name}] the same result as a later call")
    } else if is_long(&text, RESULT_CHARS) {
        let arguments = call.map(|call| call.arguments.as_str()).unwrap_or_default();
        one_line(name, policies(name).summary, arguments, &text)
    } else {
        return;
    };
    if short.len() < text.len() {
        message.content = short.into();
        message.api_content = None;
    }
}

fn drop_images(content: &mut MessageContent) {
    if let MessageContent::Parts(parts) = content {
        for part in parts {
            if let ContentPart::ImageUrl { .. } = part {
                *part = ContentPart::Text { text: "[image removed]".to_owned() };
            }
        }
    }
}

fn shorten_arguments(call: &mut RequestedCall) {
    if !is_long(&call.arguments, ARGUMENT_CHARS) {
        return;
    }
    let Ok(parsed) = parse_arguments(&call.arguments) else { return };
    let mut value = Value::Object(parsed.object);
    shorten_leaves(&mut value);
    let short = value.to_string();
    if short.len() < call.arguments.len() {
        call.arguments = short;
    }
}

fn shorten_leaves(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(LEAF_CHARS) {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_leaves),
        Value::Object(fields) => fields.values_mut().for_each(shorten_leaves),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_long(text: &str, limit: usize) -> bool {
    text.chars().nth(limit).is_some()
}
