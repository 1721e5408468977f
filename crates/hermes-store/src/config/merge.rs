//! Laying one configuration over another.

use serde_json::Value;

/// Lays `over` on top of `base`: sections are merged key by key, anything else in `over` replaces
/// what `base` has there, lists included. Keys known to one side only are kept.
///
/// A null in `over` means "not set" and leaves the value below visible: `timeout:` with nothing
/// behind it is what remains when a person deletes the value, not a wish for null.
pub fn merge(base: Value, over: Value) -> Value {
    match (base, over) {
        (Value::Object(mut base), Value::Object(over)) => {
            for (key, value) in over {
                let merged = match base.get_mut(&key) {
                    Some(below) => merge(below.take(), value),
                    None => value,
                };
                base.insert(key, merged);
            }
            Value::Object(base)
        }
        (base, Value::Null) => base,
        (_, over) => over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sections_merge_and_other_values_replace() {
        let base = json!({"a": {"x": 1, "y": {"z": 2}}, "l": [1, 2], "s": "t", "m": {"k": 1}});
        let over = json!({"a": {"y": {"w": 3}, "n": 4}, "l": [9], "m": 5, "own": {"kept": true}});
        assert_eq!(
            merge(base, over),
            json!({"a": {"x": 1, "y": {"z": 2, "w": 3}, "n": 4}, "l": [9], "s": "t", "m": 5,
                   "own": {"kept": true}})
        );
    }

    #[test]
    fn null_leaves_the_default_visible() {
        let base = json!({"a": 1, "b": {"c": 2}});
        assert_eq!(merge(base.clone(), json!({"a": null, "b": null})), base);
        assert_eq!(merge(json!({}), json!({"a": null})), json!({"a": null}));
    }

    #[test]
    fn keys_keep_the_order_of_the_base() {
        let merged = merge(json!({"b": 1, "a": 2}), json!({"a": 3, "c": 4, "b": 5}));
        let keys: Vec<_> = merged.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["b", "a", "c"]);
    }
}
