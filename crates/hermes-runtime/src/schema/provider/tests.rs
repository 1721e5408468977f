//! What each provider gets to see, by example.

use serde_json::json;

use super::*;

fn fitted(schema: &Value, provider: Provider) -> Value {
    let parameters = json!({"type": "object", "properties": {"p": schema}});
    for_provider(&parameters, provider)["properties"]["p"].clone()
}

#[test]
fn plain_schemas_are_enough_for_most() {
    let schema = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}});
    assert_eq!(for_provider(&schema, Provider::OpenAi), sanitise(&schema));
}

#[test]
fn anthropic_sees_no_null_hints_and_no_unions_at_the_top() {
    let schema = json!({
        "anyOf": [{"required": ["nullable"]}],
        "properties": {
            "nullable": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
            "deep": {"type": "array", "items": {"type": ["integer", "null"]}},
        },
    });
    assert_eq!(
        for_provider(&schema, Provider::Anthropic),
        json!({
            "type": "object",
            "properties": {
                "nullable": {"type": "string", "default": null},
                "deep": {"type": "array", "items": {"type": "integer"}},
            },
        })
    );
    assert_eq!(
        for_provider(&json!({"oneOf": []}), Provider::Anthropic),
        json!({"type": "object", "properties": {}})
    );
}

#[test]
fn gemini_sees_known_keywords_only() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "$ref": {"type": "string", "examples": ["x"], "format": "date", "x-y": 1},
            "list": {"type": "array", "items": {"type": "string", "uniqueItems": true}},
            "union": {"anyOf": [{"type": "string", "const": "a"}, true]},
        },
        "required": ["list"],
    });
    assert_eq!(
        for_provider(&schema, Provider::Gemini),
        json!({
            "type": "object",
            "properties": {
                "$ref": {"type": "string", "format": "date"},
                "list": {"type": "array", "items": {"type": "string"}},
                "union": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {}}]},
            },
            "required": ["list"],
        })
    );
}

#[test]
fn gemini_has_choices_of_text_only() {
    for name in ["integer", "number", "boolean"] {
        let typed = json!({"type": name, "enum": ["1", 2]});
        assert_eq!(fitted(&typed, Provider::Gemini), json!({"type": name}));
    }
    let text = json!({"type": "string", "enum": ["a", "b"]});
    assert_eq!(fitted(&text, Provider::Gemini), text);
    let written_out = json!({"type": "integer", "enum": ["1", "2"]});
    assert_eq!(fitted(&written_out, Provider::Gemini), written_out);
}

#[test]
fn gemini_requires_known_names_in_every_node() {
    let schema = json!({"anyOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a", "b"]},
        {"required": ["c"]},
    ]});
    assert_eq!(
        fitted(&schema, Provider::Gemini),
        json!({"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {}]})
    );
}

#[test]
fn gemini_knows_no_boolean_schemas() {
    assert_eq!(fitted(&json!(true), Provider::Gemini), json!({"type": "object", "properties": {}}));
    assert_eq!(
        fitted(&json!({"anyOf": [true, {"type": "null"}]}), Provider::Gemini),
        json!({"type": "object", "properties": {}, "nullable": true})
    );
}

#[test]
fn gemini_takes_the_first_of_positional_items() {
    let tuple = json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}]});
    assert_eq!(
        fitted(&tuple, Provider::Gemini),
        json!({"type": "array", "items": {"type": "string"}})
    );
}

#[test]
fn moonshot_sees_a_type_everywhere() {
    let cases = [
        (json!({"properties": {}}), "object"),
        (json!({"required": ["a"]}), "object"),
        (json!({"additionalProperties": false}), "object"),
        (json!({"items": {"type": "string"}}), "array"),
        (json!({"enum": [1, 2]}), "integer"),
        (json!({"enum": [null, 1.5]}), "number"),
        (json!({"enum": [true]}), "boolean"),
        (json!({"enum": ["a"]}), "string"),
        (json!({"const": 3}), "integer"),
        (json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}), "integer"),
        (json!({"description": "anything"}), "string"),
        (json!({}), "string"),
    ];
    for (schema, name) in cases {
        let fit = fitted(&schema, Provider::Moonshot);
        assert_eq!(fit["type"], name, "{schema}");
        assert_eq!(fit.get("required").is_some(), name == "object", "{schema}");
    }
}

#[test]
fn moonshot_has_types_in_the_branches_of_a_union() {
    let schema = json!({
        "type": "string",
        "anyOf": [{"minLength": 2}, {"type": "integer"}, {"type": "null"}, {"$ref": "#/$defs/A"}],
    });
    assert_eq!(
        fitted(&schema, Provider::Moonshot),
        json!({"anyOf": [
            {"minLength": 2, "type": "string"}, {"type": "integer"}, {"$ref": "#/$defs/A"},
        ]})
    );
    let only_null = json!({"anyOf": [{"type": "null"}], "title": "T"});
    assert_eq!(fitted(&only_null, Provider::Moonshot), json!({"title": "T", "type": "string"}));
}

#[test]
fn moonshot_sees_nothing_about_null() {
    let schema = json!({"type": ["string", "null"], "enum": ["a", "", null]});
    assert_eq!(fitted(&schema, Provider::Moonshot), json!({"type": "string", "enum": ["a"]}));
    let nothing_left = json!({"type": "string", "enum": ["", null]});
    assert_eq!(fitted(&nothing_left, Provider::Moonshot), json!({"type": "string"}));
    let structured = json!({"type": "array", "enum": [null, ["a"]]});
    assert_eq!(fitted(&structured, Provider::Moonshot), structured);
}

#[test]
fn moonshot_objects_always_say_what_they_require() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    assert_eq!(
        for_provider(&schema, Provider::Moonshot),
        json!({
            "type": "object",
            "properties": {"a": {"type": "object", "properties": {}, "required": []}},
            "required": [],
        })
    );
}

#[test]
fn xai_sees_no_patterns_formats_and_slashes() {
    let schema = json!({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "pattern": "^a", "format": "uri"},
            "format": {"type": "string", "enum": ["text/plain", "b"]},
            "enum": {"anyOf": [{"type": "string", "pattern": "b"}, {"type": "integer"}]},
            "choice": {"type": "string", "enum": ["a", "b"], "default": {"pattern": "kept"}},
        },
        "required": ["pattern", "format"],
    });
    assert_eq!(
        for_provider(&schema, Provider::Xai),
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "format": {"type": "string"},
                "enum": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "choice": {"type": "string", "enum": ["a", "b"], "default": {"pattern": "kept"}},
            },
            "required": ["pattern", "format"],
        })
    );
}

#[test]
fn llama_cpp_loses_patterns_and_keeps_choices() {
    let schema = json!({"type": "string", "pattern": "x", "format": "date", "enum": ["a/b"]});
    assert_eq!(fitted(&schema, Provider::LlamaCpp), json!({"type": "string", "enum": ["a/b"]}));
}

#[test]
fn detection_goes_by_model_then_provider() {
    let cases = [
        ("xai", "grok-4", Provider::Xai),
        ("openrouter", "x-ai/grok-4-fast", Provider::Xai),
        ("openrouter", "X-AI/Grok-4", Provider::Xai),
        ("openrouter", "someone/grok-like", Provider::OpenAi),
        ("groq", "llama-3", Provider::OpenAi),
        ("openrouter", "moonshotai/kimi-k2", Provider::Moonshot),
        ("kimi-coding", "k2", Provider::Moonshot),
        ("anthropic", "claude-sonnet", Provider::Anthropic),
        ("openrouter", "anthropic/claude-sonnet", Provider::OpenAi),
        ("gemini", "gemini-pro", Provider::Gemini),
        ("google", "gemini-pro", Provider::Gemini),
        ("", "", Provider::OpenAi),
    ];
    for (provider, model, expected) in cases {
        assert_eq!(Provider::detect(provider, model), expected, "{provider} {model}");
    }
}

#[test]
fn names_are_parsed() {
    assert_eq!("llama.cpp".parse(), Ok(Provider::LlamaCpp));
    assert_eq!(" Kimi ".parse(), Ok(Provider::Moonshot));
    assert_eq!("x-ai".parse(), Ok(Provider::Xai));
    let error = "delphi".parse::<Provider>().unwrap_err();
    assert!(error.to_string().contains("`delphi`"));
}
