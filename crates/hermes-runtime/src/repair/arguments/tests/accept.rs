//! Accepted forms.

use serde_json::{Map, Value, json};

use super::repairs;
use crate::repair::arguments::parse_arguments;

#[test]
fn blank_text_means_no_arguments() {
    for text in ["", "  \n\t", "\u{feff}", "\0 \0"] {
        let parsed = parse_arguments(text).unwrap();
        assert_eq!((parsed.object, parsed.repaired), (Map::new(), false), "{text:?}");
    }
    for text in ["null", " None\n", "```\nnull\n```"] {
        repairs(text, &json!({}));
    }
}

#[test]
fn valid_json_is_not_a_repair() {
    let parsed = parse_arguments(" {\"a\": [1, {\"b\": \"}\"}], \"a\": 2}\n").unwrap();
    assert_eq!((Value::Object(parsed.object), parsed.repaired), (json!({"a": 2}), false));
}

#[test]
fn skips_what_stands_around_one_object() {
    let object = json!({"a": 1});
    for text in [
        "\u{feff}{\"a\": 1}",
        "{\"a\": 1}\0\0",
        "```json\n{\"a\": 1}\n```",
        "```\n{\"a\": 1}",
        "``` {\"a\": 1} ``` done",
        "Here's the call:\n```json\n{\"a\": 1}\n```\nIt's \"done\".",
        "I'll read it: {\"a\": 1} as you asked.",
        "tool({\"a\": 1});",
        "`{\"a\": 1}`",
        "<call>{\"a\": 1}</call>",
        "[TOOL_CALLS] {\"a\": 1} [/TOOL_CALLS]",
        "{\"a\": 1} // done",
    ] {
        repairs(text, &object);
    }
}

#[test]
fn takes_other_quotes_as_delimiters() {
    repairs("{'a': 'x'}", &json!({"a": "x"}));
    repairs("{'a': \"it's\", \"b\": 'say \"hi\"'}", &json!({"a": "it's", "b": "say \"hi\""}));
    repairs("{'a': 'it\\'s'}", &json!({"a": "it's"}));
    repairs("{“a”: “x \"y\" z”, ‘b’: ‘c’}", &json!({"a": "x \"y\" z", "b": "c"}));
    repairs("{„a“: ”b”}", &json!({"a": "b"}));
    // Other marks inside a string are its content.
    repairs("{'a': '“b” {c} // [d]',}", &json!({"a": "“b” {c} // [d]"}));
}

#[test]
fn takes_identifier_keys() {
    repairs(
        "{path: \"x\", _a1: 1, $b: 2, größe: 3, true: 4}",
        &json!({"path": "x", "_a1": 1, "$b": 2, "größe": 3, "true": 4}),
    );
}

#[test]
fn takes_python_literals() {
    repairs("{'a': True, 'b': [False, None]}", &json!({"a": true, "b": [false, null]}));
    repairs("{\"a\": true, 'b': null}", &json!({"a": true, "b": null}));
}

#[test]
fn skips_comments() {
    repairs(
        "{ // the \"path\"\n \"a\": 1, /* two\n lines } */ \"b\": /**/ 2 # python {\n }",
        &json!({"a": 1, "b": 2}),
    );
    repairs("{\"a\": \"x\", // the \"x\"\n}", &json!({"a": "x"}));
    repairs("{\"a\": \"http://x#y /* z */\",}", &json!({"a": "http://x#y /* z */"}));
}

#[test]
fn forgives_commas() {
    let both = json!({"a": 1, "b": [1, 2]});
    for text in [
        "{\"a\": 1, \"b\": [1, 2,],}",
        "{,\"a\": 1,, \"b\": [,1,,2]}",
        "{\"a\": 1 \"b\": [1 2]}",
        "{\"a\": 1\n\"b\": [1\n2]}",
        "{a: 1 b: [1 2]}",
    ] {
        repairs(text, &both);
    }
    repairs("{\"a\": \"x\"\n \"b\": \"y\"}", &json!({"a": "x", "b": "y"}));
    repairs(
        "{\"a\": [\"x\" \"y\" [1] {}] \"b\": {} c: 1}",
        &json!({"a": ["x", "y", [1], {}],
        "b": {}, "c": 1}),
    );
    // Commas in strings are content.
    repairs("{\"a\": \"x,]\", \"b\": \",}\",}", &json!({"a": "x,]", "b": ",}"}));
}

#[test]
fn reads_loose_numbers() {
    repairs(
        "{\"a\": +5, \"b\": .5, \"c\": 1., \"d\": -.25, \"e\": +1.e2}",
        &json!({"a": 5, "b": 0.5, "c": 1.0, "d": -0.25, "e": 100.0}),
    );
    repairs("{'id': 18446744073709551615}", &json!({"id": u64::MAX}));
}

#[test]
fn adds_missing_closers_in_the_right_order() {
    repairs("{\"a\": 1", &json!({"a": 1}));
    repairs("{\"a\": {\"b\": [1, {\"c\": \"x\"", &json!({"a": {"b": [1, {"c": "x"}]}}));
    repairs("{\"a\": [1, 2], \"b\": {\"c\": null} ", &json!({"a": [1, 2], "b": {"c": null}}));
    repairs("{\"a\": \"}]\", \"b\": true", &json!({"a": "}]", "b": true}));
}

#[test]
fn drops_surplus_closers() {
    repairs("{\"a\": 1}}", &json!({"a": 1}));
    repairs("{\"a\": [1]}]}\n}", &json!({"a": [1]}));
    repairs("{\"a\": \"{[\"}}]", &json!({"a": "{["}));
}

#[test]
fn resolves_mismatched_closers() {
    repairs("{\"a\": 1]", &json!({"a": 1}));
    repairs("{\"a\": [1, 2}", &json!({"a": [1, 2]}));
    repairs("{\"a\": [1, 2}}", &json!({"a": [1, 2]}));
    // The wrong character, since the object goes on.
    repairs("{\"a\": [1, 2}, \"b\": 3}", &json!({"a": [1, 2], "b": 3}));
    repairs("{\"o\": {\"a\": [1}, \"b\": 3}}", &json!({"o": {"a": [1], "b": 3}}));
    // A forgotten one, since the outer container goes on.
    repairs("{\"a\": [{\"x\": 1], \"b\": 2}", &json!({"a": [{"x": 1}], "b": 2}));
    repairs("{\"o\": {\"a\": [1}, \"b\": 3}", &json!({"o": {"a": [1]}, "b": 3}));
}

#[test]
fn keeps_raw_control_characters_in_strings() {
    repairs("{\"a\": \"x\ny\tz\r\u{1}\"}", &json!({"a": "x\ny\tz\r\u{1}"}));
}

#[test]
fn keeps_unknown_escapes_as_written() {
    repairs(
        r#"{"a": "\d+\.\w C:\Users \x41 \u12 \user"}"#,
        &json!({"a": r"\d+\.\w C:\Users \x41 \u12 \user"}),
    );
    repairs("{\"a\": \"x \\\n y\"}", &json!({"a": "x \\\n y"}));
    repairs(r#"{'a': "\"\\\/\b\f\n\r\té"}"#, &json!({"a": "\"\\/\u{8}\u{c}\n\r\té"}));
    repairs(r#"{"a": "it\'s"}"#, &json!({"a": "it's"}));
}

#[test]
fn replaces_lone_surrogates() {
    repairs(r#"{"a": "x\ud800y"}"#, &json!({"a": "x\u{fffd}y"}));
    repairs(r#"{"a": "\udc00\ud83d"}"#, &json!({"a": "\u{fffd}\u{fffd}"}));
    repairs(r#"{"a": "\ud800\u0041"}"#, &json!({"a": "\u{fffd}A"}));
    repairs(r#"{'a': "\ud83d\ude00"}"#, &json!({"a": "😀"}));
    repairs(r#"{"a": "\ud83d\ud83d\ude00"}"#, &json!({"a": "\u{fffd}😀"}));
}

#[test]
fn unwraps_one_encoding_too_many() {
    repairs(r#""{\"a\": \"x\\ny\"}""#, &json!({"a": "x\ny"}));
    repairs("'{\"a\": 1}'", &json!({"a": 1}));
    repairs(r#""{'a': 1,}""#, &json!({"a": 1}));
    repairs(r#""[{\"a\": 1}]""#, &json!({"a": 1}));
}

#[test]
fn unwraps_a_list_of_one_object() {
    repairs("[{\"a\": 1}]", &json!({"a": 1}));
    repairs("```json\n[{'a': 1},]\n```", &json!({"a": 1}));
    repairs("[{\"a\": 1}", &json!({"a": 1}));
    repairs("The call: [{\"a\": 1}]", &json!({"a": 1}));
}

#[test]
fn takes_the_same_object_twice_for_one() {
    repairs("{\"a\": 1}{\"a\": 1}", &json!({"a": 1}));
    repairs("{\"a\": 1, \"b\": 2}\n\nor: {'b': 2, 'a': 1} ok", &json!({"a": 1, "b": 2}));
    repairs("{\"a\": 1}, {\"a\": 1}, {\"a\": 1}", &json!({"a": 1}));
}

#[test]
fn the_last_of_duplicate_keys_wins() {
    repairs("{a: 1, 'a': 2, \"a\": 3}", &json!({"a": 3}));
}
