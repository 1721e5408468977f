//! Gemini understands a small part of JSON Schema and refuses every other keyword.

use serde_json::{Map, Value};

use super::super::{empty_object, node, type_of, union};

pub(in crate::schema) const KEPT: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

/// Fits a plain schema.
pub(super) fn fit(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        // Schemas that are just true or false are unknown there.
        *schema = empty_object();
        return;
    };
    fields.retain(|keyword, _| KEPT.contains(&keyword.as_str()));
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(fit);
    }
    if let Some(items) = fields.get_mut("items") {
        // A list gives each position its own schema; only one for all can be said there.
        if let Value::Array(positions) = items {
            *items = positions.first_mut().map_or(Value::Bool(true), Value::take);
        }
        fit(items);
    }
    if let Some(Value::Array(branches)) = fields.get_mut("anyOf") {
        branches.iter_mut().for_each(fit);
        // A branch that just became a real schema may be the only one beside null.
        *fields = union::collapse(std::mem::take(fields));
    }
    drop_typed_choices(fields);
    node::prune_required(fields);
}

/// Choices are text there; numbers and booleans cannot have any.
fn drop_typed_choices(fields: &mut Map<String, Value>) {
    let typed = matches!(type_of(fields), Some("integer" | "number" | "boolean"));
    let choices = fields.get("enum").and_then(Value::as_array);
    if typed && choices.is_some_and(|choices| choices.iter().any(|choice| !choice.is_string())) {
        fields.shift_remove("enum");
    }
}
