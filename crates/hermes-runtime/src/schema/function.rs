//! Function schemas: a tool's name, description and parameters.

use serde_json::{Map, Value};

use super::{copy, sanitise};

/// A value that is no function schema in either shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a tool schema must be an object with `name`, `description` and `parameters`, or \
     `{{\"type\": \"function\", \"function\": {{…}}}}` around one; {found}"
)]
pub struct NotAFunction {
    found: &'static str,
}

/// The flat form of a function schema: `{name, description, parameters}`.
///
/// Authors write either that or the form that goes over the wire, with `"type": "function"` and
/// the schema under `function`. Whoever stores schemas stores what this returns.
pub fn normalise_function_schema(schema: &Value) -> Result<Map<String, Value>, NotAFunction> {
    let Value::Object(fields) = schema else {
        return Err(NotAFunction { found: "this is not an object" });
    };
    let tagged = fields.get("type").and_then(Value::as_str) == Some("function");
    let inner = match fields.get("function") {
        // A flat schema has a name; beside one, `function` is just an unknown extra field.
        Some(Value::Object(inner)) if tagged || !fields.contains_key("name") => inner,
        Some(_) if tagged => return Err(NotAFunction { found: "`function` is not an object" }),
        _ => fields,
    };
    let mut flat: Map<String, Value> =
        inner.iter().map(|(key, value)| (key.clone(), copy::verbatim(value))).collect();
    if flat.get("type").and_then(Value::as_str) == Some("function") {
        flat.shift_remove("type");
    }
    Ok(flat)
}

/// A copy of a flat function schema whose parameters every provider accepts.
pub fn sanitise_function(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut clean: Map<String, Value> = schema
        .iter()
        .filter(|(key, _)| *key != "parameters")
        .map(|(key, value)| (key.clone(), copy::verbatim(value)))
        .collect();
    let parameters = sanitise(schema.get("parameters").unwrap_or(&Value::Null));
    clean.insert("parameters".to_owned(), parameters);
    clean
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_shapes_become_the_flat_one() {
        let flat = json!({"name": "t", "description": "d", "parameters": {"type": "object"}});
        let wrapped = json!({"type": "function", "function": flat});
        let expected = flat.as_object().unwrap();
        assert_eq!(&normalise_function_schema(&flat).unwrap(), expected);
        assert_eq!(&normalise_function_schema(&wrapped).unwrap(), expected);
        assert_eq!(&normalise_function_schema(&json!({"function": flat})).unwrap(), expected);
    }

    #[test]
    fn the_tag_of_a_flat_schema_goes() {
        let tagged = json!({"type": "function", "name": "t", "strict": true});
        let flat = normalise_function_schema(&tagged).unwrap();
        assert_eq!(Value::Object(flat), json!({"name": "t", "strict": true}));
    }

    #[test]
    fn anything_else_is_refused() {
        for odd in [json!("t"), json!(null), json!({"type": "function", "function": "t"})] {
            let text = normalise_function_schema(&odd).unwrap_err().to_string();
            assert!(text.contains("not an object"), "{text}");
        }
    }

    #[test]
    fn functions_without_parameters_take_an_empty_object() {
        let empty = json!({"type": "object", "properties": {}});
        for parameters in [json!(null), json!("object"), json!([1])] {
            let mut schema = json!({"name": "t"});
            schema["parameters"] = parameters;
            let clean = sanitise_function(schema.as_object().unwrap());
            assert_eq!(clean["parameters"], empty);
        }
        assert_eq!(sanitise_function(&Map::new())["parameters"], empty);
    }
}
