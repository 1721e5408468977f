//! A configuration to be shown: secrets are not, whatever section they stand in.

use serde_json::Value;

use crate::dotenv::is_secret_name;

/// What stands in for a secret.
pub const MASK: &str = "********";

/// The value with everything under a secret's name masked.
#[must_use]
pub fn masked(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mask = |(name, value): (&String, &Value)| {
                let shown = if is_secret_name(name) { hidden(value) } else { masked(value) };
                (name.clone(), shown)
            };
            Value::Object(fields.iter().map(mask).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        other => other.clone(),
    }
}

/// A secret, or a list or section of them, without a word of it.
fn hidden(value: &Value) -> Value {
    match value {
        Value::String(text) if !text.is_empty() => MASK.into(),
        Value::Number(_) => MASK.into(),
        Value::Array(items) => items.iter().map(hidden).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), hidden(value))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let shown = masked(&json!({"model": {"api_key": "sk-1", "name": "x"},
                                   "list": [{"GITHUB_TOKEN": "t"}], "max_tokens": 5,
                                   "api_keys": ["a", {"one": 7}]}));
        assert_eq!(
            shown,
            json!({"model": {"api_key": MASK, "name": "x"},
                   "list": [{"GITHUB_TOKEN": MASK}], "max_tokens": 5,
                   "api_keys": [MASK, {"one": MASK}]})
        );
    }
}
