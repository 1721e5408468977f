//! Deep mode: what it does beyond the reference, and where it stops.

use serde_json::{Value, json};

use super::{Row, check};
use crate::coerce::CoercionMode;

fn rows(rows: &[Row]) {
    check(rows, CoercionMode::Deep);
}

#[test]
fn converts_items_of_lists() {
    let of = |items: Value| json!({"type": "array", "items": items});
    let numbers = of(json!({"type": "number"}));
    let flags = of(json!({"type": ["boolean", "null"]}));
    let maybe = of(json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}));
    let one_of = of(json!({"oneOf": [{"type": "null"}, {"type": "boolean"}]}));
    rows(&[
        ("numbers", numbers.clone(), json!(["1", 2, "3.5", "x"]), json!([1, 2, 3.5, "x"])),
        ("flags", flags, json!(["true", "null", "no"]), json!([true, null, "no"])),
        ("anyOf with null", maybe, json!(["1", "null", "x"]), json!([1, null, "x"])),
        ("oneOf with null", one_of, json!(["TRUE", 1]), json!([true, 1])),
        ("JSON text", numbers.clone(), json!("[\"1\", \"a\"]"), json!([1, "a"])),
        ("wrapped", numbers.clone(), json!("42"), json!([42])),
        ("wrapped text", numbers, json!("4 2"), json!(["4 2"])),
    ]);
}

#[test]
fn converts_properties_of_objects() {
    let schema = json!({"type": "object", "properties": {
        "limit": {"type": "integer"},
        "inner": {"type": "object", "properties": {"on": {"type": "boolean"}}},
        "list": {"type": "array", "items": {"type": "object",
            "properties": {"n": {"type": "integer"}}}},
    }});
    rows(&[
        ("property", schema.clone(), json!({"limit": "5"}), json!({"limit": 5})),
        ("undeclared", schema.clone(), json!({"other": "5"}), json!({"other": "5"})),
        ("inner", schema.clone(), json!({"inner": {"on": "true"}}), json!({"inner": {"on": true}})),
        ("items", schema.clone(), json!({"list": [{"n": "1"}]}), json!({"list": [{"n": 1}]})),
        (
            "text in text",
            schema,
            json!("{\"inner\": \"{\\\"on\\\": \\\"false\\\"}\"}"),
            json!({"inner": {"on": false}}),
        ),
    ]);
}

#[test]
fn ambiguous_places_keep_their_text() {
    let of = |items: Value| json!({"type": "array", "items": items});
    for items in [
        json!({"type": ["string", "integer"]}),
        json!({"type": "string"}),
        json!({"type": ["string", "null"]}),
        json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        json!({"anyOf": [{"type": "integer"}, {"$ref": "#/x"}]}),
        json!({"anyOf": [{"type": ["integer", "null"]}]}),
        json!({"allOf": [{"type": "integer"}]}),
        json!({"enum": [5, null]}),
        json!({"type": ["integer", "decimal"]}),
        json!({"nullable": true}),
        json!({}),
    ] {
        rows(&[("kept", of(items), json!(["5", "null"]), json!(["5", "null"]))]);
    }
    let lists = of(json!({"type": "array"}));
    rows(&[("nothing is wrapped below", lists, json!(["a", 5]), json!(["a", 5]))]);
}

#[test]
fn looks_into_lists_under_a_list_of_types() {
    let schema = json!({"type": ["array", "null"], "items": {"type": "integer"}});
    rows(&[
        ("native", schema.clone(), json!(["1"]), json!([1])),
        ("text", schema, json!("[\"1\"]"), json!([1])),
    ]);
}

#[test]
fn reads_python_literals() {
    let list = json!({"type": "array"});
    let object = json!({"type": "object"});
    rows(&[
        ("flat list", list.clone(), json!("['a','b']"), json!(["a", "b"])),
        ("mixed quotes", list.clone(), json!("['a', \"it's\"]"), json!(["a", "it's"])),
        ("words", list.clone(), json!("[True, False, None,]"), json!([true, false, null])),
        ("numbers", list.clone(), json!("[+1, -2, .5, 1., 1e3]"), json!([1, -2, 0.5, 1.0, 1e3])),
        ("empty", list.clone(), json!("[ 'x' , [ ] , { } ]"), json!(["x", [], {}])),
        ("escapes", list.clone(), json!(r"['\'\n\x41\u00e9\d\\']"), json!(["'\nAé\\d\\"])),
        ("dictionary", object.clone(), json!("{'a': {'b': None}}"), json!({"a": {"b": null}})),
        ("last key wins", object.clone(), json!("{'a': 1, 'a': 2}"), json!({"a": 2})),
        ("null besides", json!({"type": ["object", "null"]}), json!("{'a': 1}"), json!({"a": 1})),
        (
            "inside",
            json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
            json!(["['1', '2']"]),
            json!([[1, 2]]),
        ),
    ]);
}

#[test]
fn refuses_what_is_not_quite_a_python_literal() {
    let list = json!({"type": "array"});
    for text in [
        "['a'",
        "['a'] x",
        "['a' 'b']",
        "['it's']",
        "[a]",
        "['a', true]",
        "[u'a']",
        "[('a',)]",
        "['a\nb']",
        "[1_0]",
        "[0x1]",
        "[nan]",
        "[,]",
        "['a',,]",
        "['\\x4']",
        "['\\ud800']",
        "['\\1']",
        "[{1: 'a'}]",
        "[{'a'}]",
        "[{'a': }]",
        "['",
        "['\\",
        "[007]",
        "[1e999.]",
    ] {
        rows(&[("wrapped", list.clone(), json!(text), json!([text]))]);
    }
    let either = json!({"type": ["string", "array"]});
    rows(&[
        ("a text may be text", either.clone(), json!("['a']"), json!("['a']")),
        (
            "also inside",
            json!({"type": "array", "items": either}),
            json!(["['a']"]),
            json!(["['a']"]),
        ),
        ("kind", json!({"type": "object"}), json!("['a']"), json!("['a']")),
        ("text", json!({"type": "string"}), json!("['a']"), json!("['a']")),
    ]);
}

#[test]
fn the_rest_is_as_in_the_reference() {
    rows(&[
        ("whole float", json!({"type": "integer"}), json!(3.0), json!(3.0)),
        ("text", json!({"type": ["string", "integer"]}), json!("42"), json!(42)),
        ("null", json!({"type": ["string", "null"]}), json!("null"), json!(null)),
        ("comma separated", json!({"type": "array"}), json!("a,b"), json!(["a,b"])),
        (
            "anyOf at the top",
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            json!("5"),
            json!("5"),
        ),
    ]);
}
