//! What makes two calls, or two results, the same.

use std::fmt::Write as _;

use hermes_tool::Args;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A SHA-256 of canonical JSON.
pub(super) type Hash = [u8; 32];

/// Identity of a call: the tool and a hash of its arguments. The order of keys and the spacing of
/// the arguments do not matter; the arguments themselves are not kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    tool: String,
    args: Hash,
}

impl Signature {
    /// The signature of a call.
    #[must_use]
    pub fn new(tool: impl Into<String>, args: &Args) -> Self {
        let mut text = String::new();
        write_object(args, &mut text);
        Self { tool: tool.into(), args: Sha256::digest(text).into() }
    }

    /// The name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The hash of the arguments in hexadecimal digits.
    #[must_use]
    pub fn args_hash(&self) -> String {
        self.args.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}"); // writing to a String cannot fail
            hex
        })
    }
}

/// The hash of a result: of its canonical form where it is JSON, of the text otherwise.
pub(super) fn hash_result(result: &str) -> Hash {
    match serde_json::from_str::<Value>(result) {
        Ok(value) => {
            let mut text = String::with_capacity(result.len());
            write_canonical(&value, &mut text);
            Sha256::digest(text).into()
        }
        Err(_) => Sha256::digest(result).into(),
    }
}

/// Compact JSON with sorted keys at every depth. Depth is bounded by the parser that made the
/// value.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => write_object(map, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        scalar => write_scalar(scalar, out),
    }
}

fn write_object(map: &Args, out: &mut String) {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    out.push('{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_scalar(&Value::from(key.as_str()), out);
        out.push(':');
        write_canonical(value, out);
    }
    out.push('}');
}

fn write_scalar(value: &Value, out: &mut String) {
    let _ = write!(out, "{value}"); // writing to a String cannot fail
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn signature(args: &str) -> Signature {
        Signature::new("t", &serde_json::from_str(args).unwrap())
    }

    #[test]
    fn key_order_and_spacing_do_not_matter() {
        assert_eq!(
            signature(r#"{"a": 1, "b": {"y": [1, 2], "x": null}}"#),
            signature(r#"{"b":{"x":null,"y":[1,2]},"a":1}"#)
        );
    }

    #[test]
    fn values_order_of_lists_and_tool_do_matter() {
        let one = signature(r#"{"a":[1,2]}"#);
        assert_ne!(one, signature(r#"{"a":[2,1]}"#));
        assert_ne!(one, signature(r#"{"a":"[1,2]"}"#));
        assert_ne!(one, Signature::new("u", json!({"a": [1, 2]}).as_object().unwrap()));
    }

    #[test]
    fn the_hash_is_that_of_compact_sorted_json() {
        // printf '{"a":"x","b":1}' | sha256sum
        assert_eq!(
            signature(r#"{"b": 1, "a": "x"}"#).args_hash(),
            "cdab067e9f3beb32d1252cfd63e492592fecbf591b0d08cadb24bb17f3864246"
        );
    }

    #[test]
    fn results_are_compared_as_json_where_they_are_json() {
        assert_eq!(hash_result(r#"{"a":1,"b":2}"#), hash_result(r#"{"b": 2, "a": 1}"#));
        assert_ne!(hash_result("a b"), hash_result("a  b"));
    }
}
