//! Tests of coercion: one table per mode, then what holds for every schema and value.

mod deep;
mod limits;
mod properties;
mod reference;

use serde_json::{Map, Value, json};

use super::{CoercionMode, Coercions, coerce};

/// One row: what it shows, the parameter's schema, what was sent, what must come out.
type Row = (&'static str, Value, Value, Value);

/// Coerce one value as the parameter `p`.
fn coerced(schema: &Value, sent: &Value, mode: CoercionMode) -> (Value, Coercions) {
    let parameters = json!({"type": "object", "properties": {"p": schema}});
    let mut args = Map::from_iter([("p".to_owned(), sent.clone())]);
    let coercions = coerce(&mut args, &parameters, mode);
    (args["p"].take(), coercions)
}

fn check(rows: &[Row], mode: CoercionMode) {
    for (what, schema, sent, wanted) in rows {
        let (got, coercions) = coerced(schema, sent, mode);
        // Compared as text too: 3 and 3.0 must not pass for each other.
        assert_eq!(got.to_string(), wanted.to_string(), "{what}: {sent} under {schema}");
        assert_eq!(coercions.is_empty(), wanted == sent, "{what}: report of {sent} under {schema}");
    }
}
