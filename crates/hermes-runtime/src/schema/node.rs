//! The rewriting of one schema and the schemas inside it.

use serde_json::{Map, Value};

use super::{MAX_DEPTH, copy, empty_object, type_of, union};

const TYPE_NAMES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];

/// The plain form of whatever stands where a schema belongs.
pub(super) fn schema(value: &Value, depth: usize) -> Value {
    match value {
        // `true` and `false` are schemas: anything, nothing.
        Value::Bool(_) => value.clone(),
        _ if depth >= MAX_DEPTH => empty_object(),
        Value::Object(node) => Value::Object(union::collapse(fields(node, depth))),
        Value::String(name) => named(name),
        _ => empty_object(),
    }
}

/// A schema that is only the name of a type.
fn named(name: &str) -> Value {
    if name == "object" || !TYPE_NAMES.contains(&name) {
        return empty_object();
    }
    let mut node = Map::new();
    node.insert("type".to_owned(), name.into());
    Value::Object(node)
}

/// The plain form of a schema's keywords, before unions with null are collapsed.
pub(super) fn fields(node: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let mut clean = Map::with_capacity(node.len());
    for (keyword, value) in node {
        match (keyword.as_str(), value) {
            ("type", Value::Array(names)) => settle_types(&mut clean, names, node, depth),
            ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
                let schemas: Map<String, Value> = schemas
                    .iter()
                    .map(|(name, inner)| (name.clone(), schema(inner, depth + 1)))
                    .collect();
                clean.insert(keyword.clone(), schemas.into());
            }
            ("anyOf" | "oneOf" | "allOf" | "items", Value::Array(schemas)) => {
                let schemas: Value = schemas.iter().map(|inner| schema(inner, depth + 1)).collect();
                clean.insert(keyword.clone(), schemas);
            }
            // A union that lists nothing says nothing, and is refused everywhere.
            ("anyOf" | "oneOf" | "allOf", _) => {}
            ("items" | "additionalProperties", inner) => {
                clean.insert(keyword.clone(), schema(inner, depth + 1));
            }
            _ => {
                clean.insert(keyword.clone(), copy::verbatim(value));
            }
        }
    }
    if lists_null(node) && type_of(&clean) != Some("null") {
        clean.insert("nullable".to_owned(), true.into());
    }
    settle_object(&mut clean);
    if clean.contains_key("$ref") {
        clean.shift_remove("default");
    }
    clean
}

/// Replaces a list of types by a single one, or by a union of single ones.
///
/// Where the schema has an `anyOf` already, that is the more exact of two statements about the
/// same value, and merging them would need branches for every combination: the list goes.
fn settle_types(
    clean: &mut Map<String, Value>,
    names: &[Value],
    node: &Map<String, Value>,
    depth: usize,
) {
    let mut usable: Vec<&str> = Vec::new();
    for name in names.iter().filter_map(Value::as_str) {
        if TYPE_NAMES.contains(&name) && name != "null" && !usable.contains(&name) {
            usable.push(name);
        }
    }
    let single = match usable[..] {
        [one] => one,
        [] if names.iter().any(|name| name == "null") => "null",
        [] => "object",
        _ => {
            if !node.get("anyOf").is_some_and(Value::is_array) {
                let branches = usable.iter().map(|name| schema(&Value::from(*name), depth + 1));
                clean.insert("anyOf".to_owned(), branches.collect());
            }
            return;
        }
    };
    clean.insert("type".to_owned(), single.into());
}

fn lists_null(node: &Map<String, Value>) -> bool {
    let names = node.get("type").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|name| name == "null"))
}

/// Gives an object schema its `properties`, and lets it require only names among them.
pub(super) fn settle_object(node: &mut Map<String, Value>) {
    if type_of(node) != Some("object") {
        return;
    }
    if !node.get("properties").is_some_and(Value::is_object) {
        node.insert("properties".to_owned(), Map::new().into());
    }
    prune_required(node);
}

/// Takes out of `required` what is no name of a property; an empty list goes altogether.
pub(super) fn prune_required(node: &mut Map<String, Value>) {
    let Some(required) = node.get("required") else { return };
    let properties = node.get("properties").and_then(Value::as_object);
    let known = |name: &&Value| {
        name.as_str().zip(properties).is_some_and(|(name, all)| all.contains_key(name))
    };
    let names = required.as_array().map(Vec::as_slice).unwrap_or_default();
    let kept: Vec<Value> = names.iter().filter(known).cloned().collect();
    if kept.is_empty() {
        node.shift_remove("required");
    } else {
        node.insert("required".to_owned(), kept.into());
    }
}
