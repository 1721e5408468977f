//! Tool schemas of foreign servers, brought into one form.
//!
//! Servers describe arguments in every dialect of JSON Schema. [`normalise`] makes them alike
//! without changing what they mean: `definitions` becomes `$defs`, "this or null" becomes a
//! `nullable` schema, objects say that they are objects. It walks the places where schemas stand and
//! no others, so a *property* called `properties`, `required` or `definitions` is left alone, and so
//! is anything inside `default`, `enum`, `const` or `examples`.

use serde_json::{Map, Value, json};

/// Keywords whose value maps names to schemas.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is a list of schemas.
const LISTED: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value is a schema (or, for `items`, also a list of them).
const SINGLE: [&str; 12] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contains",
    "propertyNames",
    "contentSchema",
    "not",
    "if",
    "then",
    "else",
];

/// The arguments' schema in our form. What is no schema of an object takes no arguments.
#[must_use]
pub fn normalise(schema: Value) -> Value {
    match schema {
        Value::Object(map) if !map.is_empty() => Value::Object(node(map)),
        _ => json!({"type": "object", "properties": {}}),
    }
}

fn schema(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(node(map)),
        // `true`, `false`, and nonsense that the last step before the model deals with.
        other => other,
    }
}

fn node(map: Map<String, Value>) -> Map<String, Value> {
    let mut map: Map<String, Value> =
        map.into_iter().map(|(key, value)| below(key, value)).collect();
    move_definitions(&mut map);
    point_to_defs(&mut map);
    let mut map = without_null_branch(map);
    say_object(&mut map);
    map
}

/// Walks into a keyword's value, if schemas stand there.
fn below(key: String, value: Value) -> (String, Value) {
    let value = match value {
        Value::Object(names) if NAMED.contains(&key.as_str()) => {
            names.into_iter().map(|(name, value)| (name, schema(value))).collect()
        }
        Value::Array(list) if LISTED.contains(&key.as_str()) || key == "items" => {
            list.into_iter().map(schema).collect()
        }
        value if SINGLE.contains(&key.as_str()) => schema(value),
        other => other,
    };
    (key, value)
}

/// `definitions` is the old word for `$defs`; where both stand, nothing of either is lost.
fn move_definitions(map: &mut Map<String, Value>) {
    if !map.get("definitions").is_some_and(Value::is_object) {
        return;
    }
    let Some(Value::Object(old)) = map.shift_remove("definitions") else { return };
    match map.get_mut("$defs") {
        Some(Value::Object(defs)) => {
            for (name, value) in old {
                defs.entry(name).or_insert(value);
            }
        }
        _ => {
            map.insert("$defs".to_owned(), Value::Object(old));
        }
    }
}

fn point_to_defs(map: &mut Map<String, Value>) {
    if let Some(Value::String(target)) = map.get_mut("$ref")
        && let Some(rest) = target.strip_prefix("#/definitions/")
    {
        *target = format!("#/$defs/{rest}");
    }
}

/// "This or null" becomes this, marked as nullable. What stood beside the choice is kept.
fn without_null_branch(mut map: Map<String, Value>) -> Map<String, Value> {
    for choice in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = map.get(choice) else { continue };
        let mut others = branches.iter().filter(|branch| !is_null(branch));
        let (Some(Value::Object(only)), None) = (others.next(), others.next()) else { continue };
        if branches.len() < 2 {
            continue;
        }
        let mut merged = only.clone();
        map.shift_remove(choice);
        merged.insert("nullable".to_owned(), Value::Bool(true));
        for (key, value) in map {
            merged.entry(key).or_insert(value);
        }
        if merged.contains_key("$ref") {
            merged.shift_remove("default");
        }
        return merged;
    }
    map
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null")
}

fn say_object(map: &mut Map<String, Value>) {
    let has_properties = map.get("properties").is_some_and(Value::is_object);
    let has_required = map.get("required").is_some_and(Value::is_array);
    if !map.contains_key("type") && (has_properties || has_required) {
        map.insert("type".to_owned(), "object".into());
    }
    let is_object = match map.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    };
    if !is_object {
        return;
    }
    if !has_properties {
        map.insert("properties".to_owned(), json!({}));
    }
    let known = |name: &Value| {
        let name = name.as_str()?;
        map.get("properties")?.get(name).map(|_| Value::from(name))
    };
    let required: Option<Vec<Value>> = match map.get("required") {
        Some(Value::Array(names)) => Some(names.iter().filter_map(known).collect()),
        Some(_) => Some(Vec::new()),
        None => None,
    };
    match required {
        Some(names) if !names.is_empty() => {
            map.insert("required".to_owned(), names.into());
        }
        Some(_) => {
            map.shift_remove("required");
        }
        None => {}
    }
}

#[cfg(test)]
mod tests;
