//! Moonshot wants every schema to name its type, and takes no hints about null.

use serde_json::{Map, Value, json};

use super::super::{node, type_of, union};

/// Fits a plain schema.
pub(super) fn fit(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    fields.shift_remove("nullable");
    for keyword in ["anyOf", "oneOf"] {
        drop_null_branches(fields, keyword);
    }
    hand_down_type(fields);
    each_inner(fields, &mut fit);
    // A reference takes its type from where it points, and a union from its branches.
    if fields.contains_key("$ref") || fields.contains_key("anyOf") {
        return;
    }
    drop_empty_choices(fields);
    let name = type_of(fields).map_or_else(|| infer(fields), str::to_owned);
    let is_object = name == "object";
    fields.insert("type".to_owned(), name.into());
    node::settle_object(fields);
    if is_object && !fields.contains_key("required") {
        fields.insert("required".to_owned(), json!([]));
    }
}

fn each_inner(node: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (keyword, value) in node.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
                schemas.values_mut().for_each(&mut *visit);
            }
            ("anyOf" | "oneOf" | "allOf" | "items", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(&mut *visit);
            }
            ("items" | "additionalProperties", inner) => visit(inner),
            _ => {}
        }
    }
}

fn drop_null_branches(node: &mut Map<String, Value>, keyword: &str) {
    if let Some(Value::Array(branches)) = node.get_mut(keyword) {
        branches.retain(|branch| !union::is_null(branch));
        if branches.is_empty() {
            node.shift_remove(keyword);
        }
    }
}

/// Moves the type of a union to those branches that name none.
fn hand_down_type(node: &mut Map<String, Value>) {
    if !node.contains_key("anyOf") {
        return;
    }
    let own = node.shift_remove("type").filter(Value::is_string);
    let (Some(own), Some(Value::Array(branches))) = (own, node.get_mut("anyOf")) else { return };
    for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
        if !["type", "anyOf", "$ref"].iter().any(|keyword| branch.contains_key(*keyword)) {
            branch.insert("type".to_owned(), own.clone());
        }
    }
}

/// Choices of null and of no text say what `nullable` says, and are refused as well.
fn drop_empty_choices(node: &mut Map<String, Value>) {
    if matches!(type_of(node), Some("object" | "array")) {
        return;
    }
    if let Some(Value::Array(choices)) = node.get_mut("enum") {
        choices.retain(|choice| !choice.is_null() && choice != "");
        if choices.is_empty() {
            node.shift_remove("enum");
        }
    }
}

/// The type that a schema without one most likely means.
fn infer(node: &Map<String, Value>) -> String {
    let has = |keyword: &str| node.contains_key(keyword);
    let name = if has("properties") || has("required") || has("additionalProperties") {
        "object"
    } else if has("items") {
        "array"
    } else {
        let choice = node.get("enum").and_then(Value::as_array).and_then(|all| all.first());
        let branch = || {
            let branches = ["oneOf", "allOf"].iter().filter_map(|keyword| node.get(*keyword));
            let mut branches = branches.filter_map(Value::as_array).flatten();
            branches.find_map(|branch| type_of(branch.as_object()?))
        };
        match choice.or_else(|| node.get("const")) {
            Some(value) => type_of_value(value),
            None => branch().unwrap_or("string"),
        }
    };
    name.to_owned()
}

fn type_of_value(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::String(_) | Value::Null => "string",
    }
}
