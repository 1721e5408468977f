//! Hostile sizes and depths.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::coerced;
use crate::coerce::{CoercionMode, MAX_DEPTH};

const MODES: [CoercionMode; 2] = [CoercionMode::Deep, CoercionMode::Reference];

/// Far above what a linear pass needs in a debug build, far below what a quadratic one would.
const GENEROUS: Duration = Duration::from_secs(20);

#[test]
fn ten_megabytes_of_text_take_linear_time() {
    const SIZE: usize = 10_000_000;
    let started = Instant::now();
    let texts = [
        ("integer", "7".repeat(SIZE)),
        ("number", format!("0.{}", "7".repeat(SIZE))),
        ("boolean", " ".repeat(SIZE)),
        ("object", format!("{{\"a\":\"{}\"}}", "x".repeat(SIZE))),
        ("array", format!("['{}", "x".repeat(SIZE))),
        ("array", format!("['{}", "\\n".repeat(SIZE / 2))),
    ];
    for (kind, text) in texts {
        let schema = json!({"type": kind, "nullable": true});
        coerced(&schema, &Value::String(text), CoercionMode::Deep);
    }
    assert!(started.elapsed() < GENEROUS, "took {:?}", started.elapsed());
}

#[test]
fn a_hundred_thousand_brackets_stay_text() {
    for open in ["[", "{\"a\":", "{'a':", "['x',"] {
        let text = open.repeat(100_000);
        for mode in MODES {
            let (got, _) = coerced(&json!({"type": "object"}), &json!(text), mode);
            assert_eq!(got, json!(text));
            let (got, _) = coerced(&json!({"type": "array"}), &json!(text), mode);
            assert_eq!(got, json!([text]));
        }
    }
}

#[test]
fn json_and_python_text_share_the_depth_limit() {
    let nested =
        |depth: usize, core: &str| format!("{}{core}{}", "[".repeat(depth), "]".repeat(depth));
    for core in ["1", "'a'"] {
        let (got, _) =
            coerced(&json!({"type": "array"}), &json!(nested(MAX_DEPTH, core)), CoercionMode::Deep);
        assert!(got[0].is_array(), "{core} at the limit is read");
        let text = nested(MAX_DEPTH + 1, core);
        let (got, _) = coerced(&json!({"type": "array"}), &json!(text), CoercionMode::Deep);
        assert_eq!(got, json!([text]), "{core} beyond the limit stays text");
    }
}

#[test]
fn deep_schemas_and_values_are_followed_only_so_far() {
    let mut schema = json!({"type": "integer"});
    let mut branches = json!({"type": "array"});
    let mut value = json!("5");
    for _ in 0..2 * MAX_DEPTH {
        schema = json!({"type": "array", "items": schema});
        branches = json!({"anyOf": [branches]});
        value = json!([value]);
    }
    for mode in MODES {
        assert_eq!(coerced(&schema, &value, mode).0, value);
        let items = json!({"type": "array", "items": branches});
        assert_eq!(coerced(&items, &json!(["[1]"]), mode).0, json!(["[1]"]));
    }
}
