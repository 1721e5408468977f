//! Coercion of any value under any schema: no panic, and settled after one pass (deep mode) or
//! two (reference mode).
#![no_main]

use hermes_runtime::coerce::{CoercionMode, coerce};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const TYPES: [&str; 8] =
    ["string", "integer", "number", "boolean", "array", "object", "null", "other"];

/// A schema made of the first bytes.
fn schema(bytes: &mut std::slice::Iter<'_, u8>, depth: usize) -> Value {
    let byte = usize::from(bytes.next().copied().unwrap_or(0));
    let name = TYPES[byte / 8 % 8];
    match byte % 8 {
        0 | 1 => json!({"type": name}),
        2 => json!({"type": [name, TYPES[byte / 64]]}),
        3 => json!({"type": name, "nullable": true}),
        _ if depth == 0 => json!({}),
        4 => json!({"type": "array", "items": schema(bytes, depth - 1)}),
        5 => {
            let (a, b) = (schema(bytes, depth - 1), schema(bytes, depth - 1));
            json!({"type": "object", "properties": {"a": a, "b": b}})
        }
        6 => json!({"anyOf": [schema(bytes, depth - 1), {"type": name}]}),
        _ => json!({"type": name, "items": schema(bytes, depth - 1),
            "properties": {"a": schema(bytes, depth - 1)}}),
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter();
    let parameters = json!({"properties": {"p": schema(&mut bytes, 4)}});
    let text = String::from_utf8_lossy(bytes.as_slice());
    let sent = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));

    let mut args = json!({"p": sent});
    let args = args.as_object_mut().expect("just made");
    let mut reference = args.clone();
    coerce(args, &parameters, CoercionMode::Deep);
    assert!(coerce(args, &parameters, CoercionMode::Deep).is_empty());
    coerce(&mut reference, &parameters, CoercionMode::Reference);
    coerce(&mut reference, &parameters, CoercionMode::Reference);
    assert!(coerce(&mut reference, &parameters, CoercionMode::Reference).is_empty());
});
