//! Visiting every schema inside a schema.

use serde_json::{Map, Value};

/// Keywords whose value maps names to schemas.
const BY_NAME: [&str; 5] =
    ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];

/// Keywords whose value is a schema or a list of schemas.
const DIRECT: [&str; 14] = [
    "items",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "prefixItems",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Calls `visit` on a schema and on every schema inside it, the outer before the inner. Going by
/// position, it never mistakes a property named `pattern`, or a default value, for a keyword.
pub(super) fn each_node(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(node) => {
            visit(node);
            for (keyword, value) in node.iter_mut() {
                if DIRECT.contains(&keyword.as_str()) {
                    each_node(value, visit);
                } else if BY_NAME.contains(&keyword.as_str())
                    && let Value::Object(schemas) = value
                {
                    for inner in schemas.values_mut() {
                        each_node(inner, visit);
                    }
                }
            }
        }
        Value::Array(schemas) => {
            for inner in schemas {
                each_node(inner, visit);
            }
        }
        _ => {}
    }
}
