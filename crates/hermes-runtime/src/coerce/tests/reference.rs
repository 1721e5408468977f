//! Reference mode, row by row.

use hermes_tool::settings::SettingValue as _;
use serde_json::{Map, Value, json};

use super::{Row, check, coerced};
use crate::coerce::{Coercion, CoercionMode, JsonKind, coerce};

fn rows(rows: &[Row]) {
    check(rows, CoercionMode::Reference);
}

#[test]
fn arrays_take_lists_in_any_form() {
    let list = json!({"type": "array"});
    let nullable = json!({"type": "array", "nullable": true});
    let lists = json!({"type": "array", "items": {"type": "array"}});
    rows(&[
        ("null text of a nullable", nullable.clone(), json!(" NULL "), json!(null)),
        ("null text otherwise", list.clone(), json!("null"), json!(["null"])),
        ("null itself", list.clone(), json!(null), json!(null)),
        ("JSON text", list.clone(), json!(" [1, \"2\", null] "), json!([1, "2", null])),
        ("items of JSON text stay", lists.clone(), json!("[\"[1]\"]"), json!(["[1]"])),
        ("items of a list are normalised", lists.clone(), json!(["[1]"]), json!([[1]])),
        ("empty text", list.clone(), json!(""), json!([""])),
        ("scalar JSON", list.clone(), json!("5"), json!(["5"])),
        ("object JSON", list.clone(), json!("{\"a\":1}"), json!(["{\"a\":1}"])),
        ("broken JSON", list.clone(), json!("[1, 2"), json!(["[1, 2"])),
        ("text after JSON", list.clone(), json!("[1] x"), json!(["[1] x"])),
        ("comma separated", list.clone(), json!("a,b"), json!(["a,b"])),
        ("single quotes", list.clone(), json!("['a','b']"), json!(["['a','b']"])),
        ("number", list.clone(), json!(5), json!([5])),
        ("boolean", list.clone(), json!(false), json!([false])),
        ("object", list.clone(), json!({"a": "[1]"}), json!([{"a": "[1]"}])),
        ("list", list, json!(["a", 1]), json!(["a", 1])),
    ]);
}

#[test]
fn values_that_are_no_text_stay() {
    rows(&[
        ("one is not true", json!({"type": "boolean"}), json!(1), json!(1)),
        ("whole float", json!({"type": "integer"}), json!(3.0), json!(3.0)),
        ("null", json!({"type": "integer"}), json!(null), json!(null)),
        ("number for text", json!({"type": "string"}), json!(7), json!(7)),
        ("list for an object", json!({"type": "object"}), json!([1]), json!([1])),
        ("list of types never wraps", json!({"type": ["array", "null"]}), json!(5), json!(5)),
        (
            "list under a list of types is not looked into",
            json!({"type": ["array", "null"], "items": {"type": "array"}}),
            json!(["[1]"]),
            json!(["[1]"]),
        ),
    ]);
}

#[test]
fn text_without_declared_type_stays() {
    let branches = json!([{"type": "integer"}, {"type": "string"}]);
    rows(&[
        ("anyOf", json!({"anyOf": branches}), json!("5"), json!("5")),
        ("oneOf", json!({"oneOf": branches}), json!("5"), json!("5")),
        ("reference", json!({"$ref": "#/$defs/n"}), json!("5"), json!("5")),
        ("enum", json!({"enum": [1, 2]}), json!("1"), json!("1")),
        ("empty name", json!({"type": ""}), json!("1"), json!("1")),
        ("empty list", json!({"type": []}), json!("1"), json!("1")),
        ("empty schema", json!({}), json!("1"), json!("1")),
        ("null schema", json!(null), json!("1"), json!("1")),
        ("schema that is no object", json!("integer"), json!("1"), json!("1")),
        ("boolean schema", json!(true), json!("1"), json!("1")),
    ]);
}

#[test]
fn null_text_becomes_null_where_null_is_welcome() {
    let welcome = [
        json!({"type": "null"}),
        json!({"type": ["string", "null"]}),
        json!({"type": "string", "nullable": true}),
        json!({"nullable": true}),
        json!({"type": "integer", "nullable": true}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "null"}, {"type": "integer"}]}),
    ];
    let unwelcome = [
        json!({"type": "string"}),
        json!({"type": "string", "nullable": "true"}),
        json!({"type": "string", "enum": [null]}),
        json!({"type": "string", "const": null}),
        json!({"allOf": [{"type": "null"}]}),
        json!({"anyOf": [{"type": ["string", "null"]}]}),
        json!({"type": "Null"}),
    ];
    for schema in welcome {
        rows(&[
            ("welcome", schema.clone(), json!("null"), json!(null)),
            ("welcome", schema.clone(), json!(" Null\n"), json!(null)),
            ("other words", schema, json!("None"), json!("None")),
        ]);
    }
    for schema in unwelcome {
        rows(&[("unwelcome", schema, json!("null"), json!("null"))]);
    }
    let branches = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    rows(&[("nothing but null", branches, json!("5"), json!("5"))]);
}

#[test]
fn a_list_of_types_takes_the_first_that_changes_the_text() {
    let types = |names: Value| json!({"type": names});
    rows(&[
        ("text changes nothing", types(json!(["string", "integer"])), json!("42"), json!(42)),
        ("in order", types(json!(["number", "boolean"])), json!("1.5"), json!(1.5)),
        ("second", types(json!(["integer", "boolean"])), json!("true"), json!(true)),
        ("list", types(json!(["string", "array"])), json!("[1]"), json!([1])),
        ("no wrapping", types(json!(["string", "array"])), json!("a"), json!("a")),
        ("no match", types(json!(["integer", "boolean"])), json!("x"), json!("x")),
        ("odd members", types(json!([1, null, "Integer", "number"])), json!("2"), json!(2)),
    ]);
}

#[test]
fn booleans_are_two_words() {
    let schema = json!({"type": "boolean"});
    for (text, wanted) in [("true", true), (" FALSE ", false), ("True", true)] {
        rows(&[("word", schema.clone(), json!(text), json!(wanted))]);
    }
    for text in ["1", "0", "yes", "no", "on", "off", "", "t", "truee"] {
        rows(&[("other", schema.clone(), json!(text), json!(text))]);
    }
}

#[test]
fn numeric_text() {
    let integer = json!({"type": "integer"});
    let number = json!({"type": "number"});
    let both: [(&str, Value); 17] = [
        ("42", json!(42)),
        (" +7\n", json!(7)),
        ("-0", json!(0)),
        ("007", json!(7)),
        ("3.0", json!(3)),
        ("3.", json!(3)),
        ("17e2", json!(1700)),
        ("1E+3", json!(1000)),
        ("120e-1", json!(12)),
        ("1e-999", json!(0)),
        ("-1e-999", json!(0)),
        ("-.0", json!(0)),
        ("9007199254740993", json!(9_007_199_254_740_993_u64)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("18446744073709551615", json!(u64::MAX)),
        ("1e19", json!(10_000_000_000_000_000_000_u64)),
        ("-1e18", json!(-1_000_000_000_000_000_000_i64)),
    ];
    for (text, wanted) in both {
        rows(&[
            ("integer", integer.clone(), json!(text), wanted.clone()),
            ("number", number.clone(), json!(text), wanted),
        ]);
    }
    let floats = [
        ("2.75", 2.75),
        (".5", 0.5),
        ("-2.5e-3", -0.0025),
        ("1e30", 1e30),
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
    ];
    for (text, wanted) in floats {
        rows(&[
            ("an integer would lose something", integer.clone(), json!(text), json!(text)),
            ("float", number.clone(), json!(text), json!(wanted)),
        ]);
    }
    let never = [
        "", " ", ".", "+", "-", "e5", "1e", "1e+", "0x1f", "0o7", "0b1", "1,000", "5px", "50%",
        "1 2", "- 5", "--5", "+-5", "1.2.3", "inf", "-inf", "Infinity", "nan", "NaN", "1e999",
        "-1e999", "1_000", "٣", "5.e", "1d",
    ];
    for text in never {
        rows(&[
            ("never", integer.clone(), json!(text), json!(text)),
            ("never", number.clone(), json!(text), json!(text)),
        ]);
    }
}

#[test]
fn containers_from_text_must_be_whole_and_of_the_declared_kind() {
    let object = json!({"type": "object"});
    rows(&[
        ("object", object.clone(), json!(" {\"a\": 1}\n"), json!({"a": 1})),
        ("list", object.clone(), json!("[1]"), json!("[1]")),
        ("scalar", object.clone(), json!("5"), json!("5")),
        ("null", object.clone(), json!("null"), json!("null")),
        ("broken", object.clone(), json!("{\"a\": 1"), json!("{\"a\": 1")),
        ("python", object.clone(), json!("{'a': 1}"), json!("{'a': 1}")),
        ("duplicate keys", object.clone(), json!("{\"a\":1,\"a\":2}"), json!({"a": 2})),
        ("not a number", object.clone(), json!("{\"a\":NaN}"), json!("{\"a\":NaN}")),
        ("infinity", object.clone(), json!("{\"a\":-Infinity}"), json!("{\"a\":-Infinity}")),
        ("overflow", object, json!("{\"a\":1e999}"), json!("{\"a\":1e999}")),
    ]);
}

#[test]
fn other_types_change_nothing() {
    for name in ["string", "Integer", "BOOLEAN", "int", "any", "file"] {
        rows(&[("as it is", json!({"type": name}), json!("42"), json!("42"))]);
    }
}

#[test]
fn below_the_top_only_container_text_is_parsed() {
    let schema = json!({"type": "object", "properties": {
        "list": {"type": "array", "items": {"type": "integer"}},
        "object": {"type": ["object", "null"], "properties": {"list": {"type": "array"}}},
        "either": {"anyOf": [{"type": "string"}, {"allOf": [{"type": "array"}]}],
                   "items": {"type": "object"}},
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "flag": {"type": ["boolean", "null"]},
        "tuple": {"type": "array", "items": [{"type": "array"}]},
        "odd": "array",
    }});
    let inner = |sent: Value, wanted: Value| -> Row { ("inner", schema.clone(), sent, wanted) };
    rows(&[
        inner(json!({"list": " [\"1\"]"}), json!({"list": ["1"]})),
        inner(json!({"list": "{\"a\": 1}"}), json!({"list": "{\"a\": 1}"})),
        inner(json!({"list": "a"}), json!({"list": "a"})),
        inner(json!({"list": "[1"}), json!({"list": "[1"})),
        inner(json!({"list": ["7"]}), json!({"list": ["7"]})),
        inner(json!({"list": 7}), json!({"list": 7})),
        inner(json!({"object": "{\"list\": \"[1]\"}"}), json!({"object": {"list": [1]}})),
        inner(json!({"object": "null"}), json!({"object": "null"})),
        inner(json!({"either": "[\"{}\"]"}), json!({"either": [{}]})),
        inner(json!({"either": "x"}), json!({"either": "x"})),
        inner(json!({"text": "[1]"}), json!({"text": "[1]"})),
        inner(json!({"count": "5", "flag": "true"}), json!({"count": "5", "flag": "true"})),
        inner(json!({"flag": "null"}), json!({"flag": "null"})),
        inner(json!({"tuple": ["[1]"]}), json!({"tuple": ["[1]"]})),
        inner(json!({"odd": "[1]", "extra": "[1]"}), json!({"odd": "[1]", "extra": "[1]"})),
        // The whole object as text is normalised after the parse, unlike a list for an array.
        inner(json!("{\"list\": \"[1]\"}"), json!({"list": [1]})),
    ]);
}

#[test]
fn branches_lend_neither_items_nor_properties() {
    let branch = json!({"type": "array", "items": {"type": "array"}});
    let schema = json!({"type": "array", "items": {"anyOf": [branch]}});
    rows(&[("branch", schema, json!(["[\"[1]\"]"]), json!([["[1]"]]))]);
}

#[test]
fn arguments_without_a_declaration_are_skipped() {
    for parameters in [json!(null), json!({}), json!({"properties": 5}), json!({"properties": {}})]
    {
        let mut args = Map::from_iter([("p".to_owned(), json!("5"))]);
        assert!(coerce(&mut args, &parameters, CoercionMode::Reference).is_empty());
        assert_eq!(args["p"], json!("5"));
    }
    let parameters = json!({"properties": {"p": {"type": "integer"}}});
    assert!(coerce(&mut Map::new(), &parameters, CoercionMode::Reference).is_empty());
    let mut args = Map::from_iter([("q".to_owned(), json!("5"))]);
    assert!(coerce(&mut args, &parameters, CoercionMode::Reference).is_empty());
}

#[test]
fn follow_a_single_quoted_list_is_wrapped() {
    let list = json!({"type": "array"});
    rows(&[("single quotes", list, json!("['a','b']"), json!(["['a','b']"]))]);
}

#[test]
fn a_property_schema_that_is_no_object_does_not_break_the_call() {
    for odd in [json!(true), json!("integer"), json!([]), json!(5), json!(null)] {
        rows(&[("odd schema", odd, json!("5"), json!("5"))]);
    }
}

#[test]
fn integers_above_2_to_the_53_are_exact() {
    let integer = json!({"type": "integer"});
    rows(&[
        ("2^53 + 1", integer.clone(), json!("9007199254740993"), json!(9_007_199_254_740_993_i64)),
        ("largest", integer.clone(), json!("18446744073709551615"), json!(u64::MAX)),
        ("smallest", integer, json!("-9223372036854775808"), json!(i64::MIN)),
    ]);
}

#[test]
fn a_list_from_json_text_is_not_looked_into() {
    let lists = json!({"type": "array", "items": {"type": "array"}});
    rows(&[
        ("as text", lists.clone(), json!("[\"[1]\"]"), json!(["[1]"])),
        ("as a list", lists, json!(["[1]"]), json!([[1]])),
    ]);
}

#[test]
fn reports_what_became_of_each_parameter() {
    let (_, coercions) = coerced(&json!({"type": "integer"}), &json!("5"), CoercionMode::Reference);
    let (parameter, from, to) = ("p".to_owned(), JsonKind::String, JsonKind::Integer);
    assert_eq!(coercions.changes(), [Coercion { parameter, from, to, conversions: 1 }]);

    let lists = json!({"type": "array", "items": {"type": "array"}});
    let (_, coercions) = coerced(&lists, &json!(["[1]", [2], "[3]"]), CoercionMode::Reference);
    let change = &coercions.changes()[0];
    assert_eq!((change.from, change.to, change.conversions), (JsonKind::Array, JsonKind::Array, 2));
}

#[test]
fn modes_are_named() {
    assert_eq!(CoercionMode::default(), CoercionMode::Deep);
    assert_eq!(CoercionMode::from_config(&json!("reference")), Some(CoercionMode::Reference));
    assert_eq!(CoercionMode::from_config(&json!(" Deep ")), Some(CoercionMode::Deep));
    assert_eq!(CoercionMode::from_config(&json!("shallow")), None);
}
