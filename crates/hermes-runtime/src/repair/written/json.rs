//! Calls as JSON.

use serde_json::{Deserializer, Map, Value};

use super::{MAX_CALLS, TextCall};

/// Where the name may stand.
const NAMES: [&str; 4] = ["name", "tool", "tool_name", "function_name"];
/// Where the arguments may stand.
const ARGUMENTS: [&str; 6] =
    ["arguments", "parameters", "args", "input", "tool_input", "action_input"];
/// What may stand beside name and arguments without meaning anything.
const BESIDE: [&str; 3] = ["type", "id", "call_id"];

/// The calls in the JSON value that a text begins with, and what is behind it.
pub(super) fn front(text: &str) -> Option<(Vec<TextCall>, &str)> {
    let (value, after) = value_front(text)?;
    let mut calls = Vec::new();
    collect(value, &mut calls)?;
    // Some separate their calls by commas or semicolons.
    let after = after.trim_start();
    Some((calls, after.strip_prefix([';', ',']).unwrap_or(after)))
}

/// The object that a text begins with, and what is behind it.
pub(super) fn object_front(text: &str) -> Option<(Map<String, Value>, &str)> {
    match value_front(text)? {
        (Value::Object(object), after) => Some((object, after)),
        _ => None,
    }
}

fn value_front(text: &str) -> Option<(Value, &str)> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?))
}

/// Takes the calls of one value; nothing if it is no call.
fn collect(value: Value, calls: &mut Vec<TextCall>) -> Option<()> {
    match value {
        Value::Array(items) if items.len() <= MAX_CALLS => {
            items.into_iter().try_for_each(|item| collect_one(item, calls))
        }
        Value::Object(mut fields) => match fields.remove("tool_calls") {
            Some(Value::Array(items)) if fields.is_empty() && items.len() <= MAX_CALLS => {
                items.into_iter().try_for_each(|item| collect_one(item, calls))
            }
            Some(_) => None,
            None => collect_one(Value::Object(fields), calls),
        },
        _ => None,
    }
}

fn collect_one(value: Value, calls: &mut Vec<TextCall>) -> Option<()> {
    let Value::Object(mut fields) = value else { return None };
    fields.retain(|key, _| !BESIDE.contains(&key.as_str()));
    if let Some(Value::Object(_)) = fields.get("function") {
        let inner = fields.remove("function")?;
        // Nothing of the call may be dropped.
        return fields.is_empty().then_some(()).and_then(|()| collect_plain(inner, calls));
    }
    collect_plain(Value::Object(fields), calls)
}

fn collect_plain(value: Value, calls: &mut Vec<TextCall>) -> Option<()> {
    let Value::Object(mut fields) = value else { return None };
    let name = NAMES.iter().chain(&["function"]).find_map(|key| match fields.get(*key) {
        Some(Value::String(_)) => fields.remove(*key),
        _ => None,
    })?;
    let arguments = ARGUMENTS.iter().find_map(|key| fields.remove(*key));
    let arguments = match arguments? {
        Value::Object(arguments) => arguments,
        Value::String(text) => object(&text)?,
        Value::Null => Map::new(),
        _ => return None,
    };
    if !fields.is_empty() {
        return None;
    }
    let Value::String(name) = name else { return None };
    calls.push(TextCall { name, arguments });
    Some(())
}

/// An object and nothing else.
fn object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}
