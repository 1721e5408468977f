//! Copying values without rewriting them.

use serde_json::Value;

use super::MAX_DEPTH;

/// A copy of a value that may be anything. Parts nested deeper than [`MAX_DEPTH`] become null,
/// since copying them would need as much stack as somebody else decides.
pub(super) fn verbatim(value: &Value) -> Value {
    within(value, MAX_DEPTH)
}

fn within(value: &Value, left: usize) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) if left == 0 => Value::Null,
        Value::Array(items) => items.iter().map(|item| within(item, left - 1)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), within(field, left - 1))).collect()
        }
        scalar => scalar.clone(),
    }
}
