//! Simpler tool schemas, for servers that cannot read all of JSON Schema. How every schema is made plain:
//! `hermes_runtime::schema`.

use serde_json::{Map, Value, json};

/// The schema without `pattern` and `format`, at any depth. Properties of that name stay.
pub(crate) fn without_patterns(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, value)| {
                !((*name == "pattern" || *name == "format") && value.is_string())
            });
            let simpler = kept.map(|(name, value)| (name.clone(), without_patterns(value)));
            Value::Object(simpler.collect())
        }
        Value::Array(items) => items.iter().map(without_patterns).collect(),
        other => other.clone(),
    }
}

/// The schema of a tool's input as the messages wire takes it: an object at the top, no alternatives
/// there, and no unions with null anywhere.
pub(crate) fn input_schema(schema: &Value) -> Value {
    let mut schema = match without_null(schema) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for alternatives in ["oneOf", "anyOf", "allOf"] {
        schema.shift_remove(alternatives);
    }
    if schema.get("type").is_none_or(|kind| kind != "object") {
        schema.insert("type".to_owned(), json!("object"));
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    Value::Object(schema)
}

fn without_null(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut simpler: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), without_null(value))).collect();
            if let Some(only) = only_type(simpler.get("type")) {
                simpler.insert("type".to_owned(), only);
            }
            for alternatives in ["anyOf", "oneOf"] {
                if let Some(Value::Object(only)) = only_alternative(simpler.get(alternatives)) {
                    simpler.shift_remove(alternatives);
                    for (name, value) in only {
                        simpler.entry(name).or_insert(value);
                    }
                }
            }
            Value::Object(simpler)
        }
        Value::Array(items) => items.iter().map(without_null).collect(),
        other => other.clone(),
    }
}

/// The one type of `[type, "null"]`.
fn only_type(kind: Option<&Value>) -> Option<Value> {
    let kinds = kind?.as_array()?;
    let mut real = kinds.iter().filter(|kind| *kind != "null" && kind.is_string());
    let only = real.next()?.clone();
    (real.next().is_none() && kinds.len() == 2).then_some(only)
}

/// The one schema of `[schema, {"type": "null"}]`.
fn only_alternative(alternatives: Option<&Value>) -> Option<Value> {
    let alternatives = alternatives?.as_array()?;
    let mut real = alternatives.iter().filter(|schema| schema["type"] != "null");
    let only = real.next()?.clone();
    (real.next().is_none() && alternatives.len() == 2).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_go_but_properties_of_that_name_stay() {
        let schema = json!({"type": "object", "properties": {
            "pattern": {"type": "string", "pattern": "^a"}, "when": {"type": "string", "format": "date"}}});
        let expected = json!({"type": "object", "properties": {
            "pattern": {"type": "string"}, "when": {"type": "string"}}});
        assert_eq!(without_patterns(&schema), expected);
    }

    #[test]
    fn alternatives_at_the_top_and_nulls_anywhere_go() {
        let schema = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"description": "B", "anyOf": [{"type": "integer"}, {"type": "null"}]},
            "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}});
        let expected = json!({"properties": {
            "a": {"type": "string"},
            "b": {"description": "B", "type": "integer"},
            "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}, "type": "object"});
        assert_eq!(input_schema(&schema), expected);
        assert_eq!(input_schema(&Value::Null), json!({"type": "object", "properties": {}}));
    }
}
