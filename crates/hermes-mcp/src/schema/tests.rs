use super::*;
use proptest::prelude::*;

#[test]
fn nothing_becomes_an_object_without_arguments() {
    for value in [json!(null), json!({}), json!(true), json!([])] {
        assert_eq!(normalise(value), json!({"type": "object", "properties": {}}));
    }
}

#[test]
fn a_property_named_like_a_keyword_is_left_alone() {
    let schema = json!({"type": "object", "properties": {
        "properties": {"type": "string"},
        "required": {"type": "boolean"},
        "definitions": {"type": "array", "items": {"type": "string"}},
        "$ref": {"type": "string"},
        "anyOf": {"type": "number"}
    }});
    assert_eq!(normalise(schema.clone()), schema);
}

#[test]
fn definitions_are_moved_and_merged() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/definitions/A"}, "b": {"$ref": "#/$defs/B"}},
        "definitions": {"A": {"type": "string"}},
        "$defs": {"B": {"type": "number"}}
    });
    let expected = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}},
        "$defs": {"B": {"type": "number"}, "A": {"type": "string"}}
    });
    assert_eq!(normalise(schema), expected);
}

#[test]
fn this_or_null_becomes_nullable() {
    let schema = json!({"type": "object", "properties": {
        "a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "A"},
        "b": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/B"}], "default": 1},
        "c": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}
    }});
    let expected = json!({"type": "object", "properties": {
        "a": {"type": "string", "nullable": true, "default": null, "title": "A"},
        "b": {"$ref": "#/$defs/B", "nullable": true},
        "c": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}
    }});
    assert_eq!(normalise(schema), expected);
}

#[test]
fn objects_say_so_and_require_what_they_have() {
    let schema = json!({"properties": {
        "inner": {"required": ["x"]},
        "list": {"type": "array", "items": {"type": "object"}},
    }, "required": ["inner", "gone", 7]});
    let expected = json!({"properties": {
        "inner": {"type": "object", "properties": {}},
        "list": {"type": "array", "items": {"type": "object", "properties": {}}},
    }, "required": ["inner"], "type": "object"});
    assert_eq!(normalise(schema), expected);
}

#[test]
fn values_are_not_taken_for_schemas() {
    let schema = json!({"type": "object", "properties": {"a": {
        "default": {"required": ["x"]}, "enum": [{"definitions": {}}], "const": {"properties": {}}
    }}});
    assert_eq!(normalise(schema.clone()), schema);
}

fn any_schema() -> impl Strategy<Value = Value> {
    let keyword = prop_oneof![
        Just("properties"),
        Just("required"),
        Just("definitions"),
        Just("$defs"),
        Just("anyOf"),
        Just("oneOf"),
        Just("items"),
        Just("type"),
        Just("$ref"),
        Just("default"),
        Just("x"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just("object"), Just("null"), Just("string"), Just("#/definitions/x")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((keyword.clone(), inner), 0..5)
                .prop_map(|pairs| pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn property_names_survive_whatever_they_are(
        inner in proptest::collection::btree_map("[a-zA-Z$_]{1,12}|properties|required|definitions|type|anyOf", any_schema(), 0..6)
    ) {
        let properties: Map<String, Value> = inner.into_iter().collect();
        let names: Vec<String> = properties.keys().cloned().collect();
        let out = normalise(json!({"type": "object", "properties": properties}));
        let kept: Vec<String> = out["properties"].as_object().unwrap().keys().cloned().collect();
        prop_assert_eq!(kept, names);
    }

    #[test]
    fn doing_it_twice_changes_nothing_more(schema in any_schema()) {
        let once = normalise(schema);
        prop_assert_eq!(normalise(once.clone()), once);
    }
}
