//! Every rewriting rule with an example of each form in which the trouble comes.

use serde_json::json;

use super::*;

/// The plain form of a schema that stands inside a tool's parameters.
fn inner(schema: &Value) -> Value {
    let parameters = json!({"type": "object", "properties": {"p": schema}});
    sanitise(&parameters)["properties"]["p"].clone()
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "keeps the examples free of ampersands")]
fn becomes(schema: Value, plain: Value) {
    assert_eq!(inner(&schema), plain, "from {schema}");
}

#[test]
fn parameters_that_are_no_object_become_an_empty_one() {
    for odd in [json!(null), json!("object"), json!([]), json!(3), json!(true)] {
        assert_eq!(sanitise(&odd), json!({"type": "object", "properties": {}}));
    }
    assert_eq!(sanitise(&json!({})), json!({"type": "object", "properties": {}}));
}

#[test]
fn bare_names_of_types_become_schemas() {
    becomes(json!("string"), json!({"type": "string"}));
    becomes(json!("null"), json!({"type": "null"}));
    becomes(json!("object"), json!({"type": "object", "properties": {}}));
    becomes(json!("whatever"), json!({"type": "object", "properties": {}}));
    becomes(
        json!({"type": "array", "items": "integer"}),
        json!({"type": "array", "items": {"type": "integer"}}),
    );
    becomes(
        json!({"anyOf": ["string", "number"]}),
        json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
    );
}

#[test]
fn what_cannot_be_a_schema_becomes_an_empty_one() {
    for odd in [json!(null), json!(5), json!(["string"])] {
        becomes(odd, json!({"type": "object", "properties": {}}));
    }
}

#[test]
fn lists_of_types_become_one_type_or_a_union() {
    becomes(json!({"type": ["string"]}), json!({"type": "string"}));
    becomes(json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true}));
    becomes(
        json!({"type": ["string", "integer"]}),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    );
    becomes(
        json!({"type": ["null", "object", "string"], "title": "T"}),
        json!({
            "anyOf": [{"type": "object", "properties": {}}, {"type": "string"}],
            "nullable": true,
            "title": "T",
        }),
    );
    becomes(json!({"type": ["null"]}), json!({"type": "null"}));
    becomes(json!({"type": []}), json!({"type": "object", "properties": {}}));
    becomes(json!({"type": [4, "thing"]}), json!({"type": "object", "properties": {}}));
    becomes(json!({"type": ["string", "string"]}), json!({"type": "string"}));
}

#[test]
fn a_list_of_types_beside_any_of_does_not_depend_on_the_order_of_keys() {
    // Whichever of the two keywords came last used to win.
    let union = json!([{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}]);
    let first = json!({"type": ["string", "integer", "null"], "anyOf": union});
    let last = json!({"anyOf": union, "type": ["string", "integer", "null"]});
    let plain = json!({"anyOf": union, "nullable": true});
    becomes(first, plain.clone());
    becomes(last, plain);
    // A single type stays beside the union.
    becomes(
        json!({"anyOf": [{"minLength": 1}, {"maxLength": 0}], "type": ["string"]}),
        json!({"anyOf": [{"minLength": 1}, {"maxLength": 0}], "type": "string"}),
    );
}

#[test]
fn objects_get_properties_and_require_only_those() {
    becomes(json!({"type": "object"}), json!({"type": "object", "properties": {}}));
    becomes(
        json!({"type": "object", "properties": ["a"]}),
        json!({"type": "object", "properties": {}}),
    );
    becomes(
        json!({"type": "object", "properties": {"a": {}}, "required": ["a", "b", 3]}),
        json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
    );
    becomes(
        json!({"type": "object", "properties": {"a": {}}, "required": ["b"]}),
        json!({"type": "object", "properties": {"a": {}}}),
    );
    becomes(
        json!({"type": "object", "properties": {}, "required": true}),
        json!({"type": "object", "properties": {}}),
    );
}

#[test]
fn booleans_stay_schemas() {
    let schema = json!({
        "type": "object", "properties": {"x": true}, "additionalProperties": false,
    });
    becomes(schema.clone(), schema);
    becomes(json!({"type": "array", "items": true}), json!({"type": "array", "items": true}));
}

#[test]
fn sanitiser_leaves_lists_under_default_and_unknown_keywords_alone() {
    // `default: ["object"]` used to come out as `default: [{"type": "object", …}]`.
    let schema = json!({
        "type": "array",
        "items": {"type": "string"},
        "default": ["string", "object"],
        "const": ["null"],
        "enum": ["string", "object", null],
        "examples": [["object"], {"type": ["string", "null"]}],
        "dependentRequired": {"a": ["string"]},
        "x-order": ["object", "array"],
        "x-note": {"type": "object", "anyOf": ["string", {"type": "null"}]},
    });
    becomes(schema.clone(), schema);
}

#[test]
fn unions_with_null_become_nullable() {
    becomes(
        json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "title": "T"}),
        json!({"type": "string", "nullable": true, "default": null, "title": "T"}),
    );
    becomes(
        json!({"oneOf": ["null", {"type": "integer", "description": "own"}], "description": "outer",
               "examples": [1]}),
        json!({"type": "integer", "nullable": true, "description": "own", "examples": [1]}),
    );
    becomes(
        json!({"anyOf": [{"type": "null"}, {"type": "null"}, {"type": "string"}]}),
        json!({"type": "string", "nullable": true}),
    );
}

#[test]
fn nested_unions_with_null_collapse_all_the_way() {
    becomes(
        json!({"anyOf": [{"oneOf": [{"anyOf": ["null", "string"]}, "null"], "title": "Inner"}, "null"],
               "description": "D"}),
        json!({"type": "string", "nullable": true, "title": "Inner", "description": "D"}),
    );
    becomes(
        json!({"anyOf": [{"type": "array", "items": {"anyOf": ["integer", "null"]}}, "null"]}),
        json!({"type": "array", "items": {"type": "integer", "nullable": true}, "nullable": true}),
    );
}

#[test]
fn other_unions_stay() {
    let more = json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]});
    becomes(more.clone(), more);
    let nothing_else = json!({"anyOf": [{"type": "null"}]});
    becomes(nothing_else.clone(), nothing_else);
    let no_null = json!({"anyOf": [{"type": "string"}]});
    becomes(no_null.clone(), no_null);
}

#[test]
fn unions_that_are_no_lists_go() {
    becomes(json!({"anyOf": "string", "title": "T"}), json!({"title": "T"}));
    becomes(json!({"oneOf": {"type": "string"}, "allOf": 3}), json!({}));
    becomes(
        json!({"type": ["string", "integer"], "anyOf": "string"}),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    );
}

#[test]
fn references_have_no_default() {
    becomes(json!({"$ref": "#/$defs/A", "default": 1}), json!({"$ref": "#/$defs/A"}));
    becomes(
        json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "default": null, "title": "T"}),
        json!({"$ref": "#/$defs/A", "nullable": true, "title": "T"}),
    );
}

#[test]
fn definitions_are_sanitised_and_survive() {
    let plain = sanitise(&json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": ["string", "null"]}},
        "definitions": {"B": "object"},
    }));
    assert_eq!(plain["$defs"]["A"], json!({"type": "string", "nullable": true}));
    assert_eq!(plain["definitions"]["B"], json!({"type": "object", "properties": {}}));
}

#[test]
fn the_top_is_a_plain_object() {
    let plain = sanitise(&json!({
        "type": "string",
        "properties": {"a": {"type": "string"}},
        "required": ["a", "gone"],
        "allOf": [{}], "anyOf": [{"required": ["a"]}, {"type": "null"}], "oneOf": [{}],
        "enum": [1], "not": {},
        "description": "kept",
    }));
    assert_eq!(
        plain,
        json!({
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "required": ["a"],
            "description": "kept",
        })
    );
}

#[test]
fn optional_parameters_as_a_whole_keep_their_properties() {
    let plain = sanitise(&json!({
        "anyOf": [
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]},
            {"type": "null"},
        ],
        "$defs": {"A": {"type": "string"}},
    }));
    assert_eq!(plain["properties"], json!({"a": {"$ref": "#/$defs/A"}}));
    assert_eq!(plain["required"], json!(["a"]));
    assert_eq!(plain["$defs"], json!({"A": {"type": "string"}}));
    assert!(plain.get("anyOf").is_none());
}

#[test]
fn the_input_stays_as_it_was() {
    let input = json!({"type": ["object", "null"], "properties": {"a": "string"}, "anyOf": []});
    let before = input.clone();
    sanitise(&input);
    assert_eq!(input, before);
}

#[test]
fn keys_keep_their_order() {
    let plain = sanitise(&json!({
        "properties": {"z": {"type": ["string"], "description": "d"}, "a": {"type": "string"}},
        "type": "object",
    }));
    assert_eq!(
        plain.to_string(),
        r#"{"properties":{"z":{"type":"string","description":"d"},"a":{"type":"string"}},"type":"object"}"#
    );
}

/// A schema that nests `depth` times through one keyword, built without recursion.
fn nested(keyword: &str, depth: usize) -> Value {
    let mut schema = json!({"type": "string"});
    for _ in 0..depth {
        let mut outer = Map::new();
        outer.insert(keyword.to_owned(), schema);
        schema = Value::Object(outer);
    }
    schema
}

/// How often a keyword can be followed downwards.
fn depth_of(schema: &Value, keyword: &str) -> usize {
    let mut depth = 0;
    let mut place = schema;
    while let Some(next) = place.get(keyword) {
        depth += 1;
        place = next;
    }
    depth
}

#[test]
fn hostile_nesting_is_cut_off() {
    for keyword in ["items", "additionalProperties", "default", "x-unknown", "not"] {
        let hostile = nested(keyword, 20_000);
        let plain = sanitise(&hostile);
        assert!(depth_of(&plain, keyword) <= 2 * MAX_DEPTH, "{keyword}");
        let providers = [Provider::Anthropic, Provider::Gemini, Provider::Moonshot, Provider::Xai];
        for provider in providers {
            for_provider(&hostile, provider);
        }
        // Dropping so deep a value would itself need a deep stack.
        std::mem::forget(hostile);
    }
    let cut = sanitise(&nested("items", MAX_DEPTH + 5));
    let mut place = &cut;
    for _ in 0..MAX_DEPTH {
        place = &place["items"];
    }
    assert_eq!(*place, empty_object());
}

#[test]
fn ordinary_nesting_is_not_cut_off() {
    let deep = nested("items", MAX_DEPTH - 1);
    let mut plain = sanitise(&deep);
    assert_eq!(depth_of(&plain, "items"), MAX_DEPTH - 1);
    let map = plain.as_object_mut().unwrap();
    map.shift_remove("type");
    map.shift_remove("properties");
    assert_eq!(plain, deep);
}
