//! What holds for every schema and every value.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::coerced;
use crate::coerce::{CoercionMode, JsonKind};

const MODES: [CoercionMode; 2] = [CoercionMode::Deep, CoercionMode::Reference];

/// Any schema at all, with nonsense in every place.
fn schema() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "integer", "number", "boolean", "string", "array", "object", "null", "Integer", "",
    ]);
    let leaf = prop_oneof![
        6 => name.clone().prop_map(|name| json!({"type": name})),
        2 => prop::collection::vec(name.clone(), 0..4).prop_map(|names| json!({"type": names})),
        1 => Just(json!({"nullable": true})),
        1 => Just(json!({})),
        1 => Just(json!("array")),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let some = prop::option::of(inner.clone());
        (
            prop::option::of(prop_oneof![
                3 => prop::sample::select(vec![json!("array"), json!("object")]),
                1 => prop::collection::vec(name.clone(), 0..3).prop_map(|names| json!(names)),
            ]),
            some.clone(),
            prop::option::of([inner.clone(), inner.clone()]),
            prop::option::of((
                prop::sample::select(vec!["anyOf", "oneOf", "allOf"]),
                prop::collection::vec(inner, 0..3),
            )),
        )
            .prop_map(|(kind, items, properties, branches)| {
                let mut schema = Map::new();
                schema.extend(kind.map(|kind| ("type".to_owned(), kind)));
                schema.extend(items.map(|items| ("items".to_owned(), items)));
                if let Some([a, b]) = properties {
                    schema.insert("properties".to_owned(), json!({"a": a, "b": b}));
                }
                schema.extend(branches.map(|(name, list)| (name.to_owned(), json!(list))));
                Value::Object(schema)
            })
    })
}

/// Any value, rich in text that looks like something else, also several times over.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            " False ",
            "42",
            "3.0",
            "1e400",
            "-.5",
            "[]",
            "{}",
            "['a', '5']",
            "{'a': None}",
            "[1, \"2\"]",
            "{\"a\": \"[1]\"}",
            "a,b",
            "",
            "[",
            "{\"a\"",
        ])
        .prop_map(str::to_owned),
        "[\\[\\]{}'\", :0-9a-eE.+-]{0,12}",
        any::<String>(),
    ];
    let leaf = prop_oneof![
        4 => text.prop_map(Value::String),
        1 => any::<i64>().prop_map(|n| json!(n)),
        1 => any::<f64>().prop_map(|n| json!(n)),
        1 => any::<bool>().prop_map(|b| json!(b)),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            [inner.clone(), inner.clone()].prop_map(|[a, b]| json!({"a": a, "b": b})),
            inner.prop_map(|value| Value::String(value.to_string())),
        ]
    })
}

/// A schema with a value that fits it.
fn fitting() -> impl Strategy<Value = (Value, Value)> {
    let plain = |name: &str| json!({"type": name});
    let or_null = |name: &str| json!({"type": [name, "null"]});
    // Not the written form of any other type, nor of a container.
    let word = "[g-m]{1,6}";
    let leaf = prop_oneof![
        any::<String>().prop_map(move |text| (plain("string"), json!(text))),
        word.prop_map(move |text| (json!({"type": ["integer", "string"]}), json!(text))),
        word.prop_map(move |text| (or_null("string"), json!(text))),
        any::<i64>().prop_map(move |n| (plain("integer"), json!(n))),
        any::<u64>().prop_map(move |n| (or_null("integer"), json!(n))),
        (-1e9..1e9).prop_map(move |n| (plain("number"), json!(n))),
        any::<bool>().prop_map(move |b| (plain("boolean"), json!(b))),
        Just((or_null("boolean"), Value::Null)),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|(schema, value)| {
                (json!({"type": "array", "items": schema}), json!([value, value]))
            }),
            (inner.clone(), inner).prop_map(|((a, x), (b, y))| {
                let schema = json!({"type": "object", "properties": {"a": a, "b": b}});
                (schema, json!({"a": x, "b": y, "undeclared": "5"}))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn deep_mode_is_idempotent(schema in schema(), sent in value()) {
        let (once, _) = coerced(&schema, &sent, CoercionMode::Deep);
        let (twice, coercions) = coerced(&schema, &once, CoercionMode::Deep);
        prop_assert_eq!(&twice, &once);
        prop_assert!(coercions.is_empty());
    }

    #[test]
    fn reference_mode_settles_except_inside_the_lists_it_makes(
        schema in schema(),
        sent in value(),
    ) {
        let (once, _) = coerced(&schema, &sent, CoercionMode::Reference);
        let (twice, _) = coerced(&schema, &once, CoercionMode::Reference);
        let (thrice, _) = coerced(&schema, &twice, CoercionMode::Reference);
        let made = schema["type"] == "array" && !sent.is_array() && once.is_array();
        prop_assert!(made || twice == once);
        prop_assert_eq!(thrice, twice);
    }

    #[test]
    fn what_fits_stays((schema, sent) in fitting()) {
        for mode in MODES {
            let (got, coercions) = coerced(&schema, &sent, mode);
            prop_assert_eq!(&got, &sent);
            prop_assert!(coercions.is_empty());
        }
    }

    #[test]
    fn only_text_changes_kind_unless_wrapped(schema in schema(), sent in value()) {
        for mode in MODES {
            let (got, _) = coerced(&schema, &sent, mode);
            let wrapped = schema["type"] == "array" && got.is_array();
            prop_assert!(sent.is_string() || wrapped || JsonKind::of(&got) == JsonKind::of(&sent));
        }
    }

    #[test]
    fn integers_survive_exactly(n in prop_oneof![
        any::<i64>().prop_map(|n| json!(n)),
        any::<u64>().prop_map(|n| json!(n)),
    ]) {
        for kind in ["integer", "number"] {
            for mode in MODES {
                let (got, _) = coerced(&json!({"type": kind}), &json!(n.to_string()), mode);
                prop_assert_eq!(&got, &n);
            }
        }
    }
}
