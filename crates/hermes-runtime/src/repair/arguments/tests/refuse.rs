//! Refused forms.

use super::refused;
use crate::repair::arguments::{ArgumentError, MAX_DEPTH};

fn found(text: &str) -> String {
    match refused(text) {
        ArgumentError::NotAnObject { found } => found.into_owned(),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn text_that_ends_too_early_is_truncated() {
    for (text, at) in [
        ("{\"path\": \"sr", 10),
        ("{\"path\": \"src\\", 10),
        ("{\"path\": \"\\u00", 10),
        ("{'a': 'x", 7),
        ("{“a”: “x", 7),
        ("{\"pa", 2),
        ("{\"path\"", 2),
        ("{pa", 2),
        ("{\"path\":", 2),
        ("{\"path\": ", 2),
        ("{\"a\": 1,", 1),
        ("{\"a\": [1,", 7),
        ("{\"a\": {", 7),
        ("{\"a\": [", 7),
        ("{", 1),
        ("[", 1),
        ("```json\n{", 9),
        ("{\"a\": tru", 7),
        ("{\"a\": Fal", 7),
        ("{\"a\": -", 7),
        ("{\"a\": 1.", 7),
        ("{\"a\": 1e", 7),
        ("{\"a\": 1 /* x", 9),
        ("{\"a\": 1 // x }", 9),
        ("{\"a\": 1},", 9),
        ("\"{\\\"a\\\": 1", 1),
    ] {
        match refused(text) {
            ArgumentError::Truncated { at: found, .. } => assert_eq!(found, at, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn two_different_objects_are_refused() {
    for (text, at) in [
        ("{\"a\": 1}{\"a\": 2}", 9),
        ("{\"a\": 1}\n{\"b\": 1}", 10),
        ("{\"ä\": 1} and {}", 14),
        ("{\"a\": 1},{\"a\": 1},{\"c\": 1}", 19),
    ] {
        assert_eq!(refused(text), ArgumentError::TwoObjects { at }, "{text}");
    }
}

#[test]
fn numbers_json_cannot_hold_are_refused() {
    for (value, shown) in [
        ("NaN", "NaN"),
        ("nan", "nan"),
        ("Infinity", "Infinity"),
        ("-Infinity", "-Infinity"),
        ("+inf", "+inf"),
        ("1e999", "1e999"),
        ("-1e400", "-1e400"),
        ("0x1F", "0x1F"),
        ("007", "007"),
        ("1_000", "1_000"),
        ("2024-01-02", "2024-01-02"),
        ("-", "-"),
    ] {
        let expected = ArgumentError::BadNumber { at: 7, found: shown.to_owned() };
        assert_eq!(refused(&format!("{{\"a\": {value}}}")), expected);
        assert_eq!(refused(&format!("{{\"a\": {value}, \"b\": 1}}")), expected);
    }
    let ArgumentError::BadNumber { found, .. } =
        refused(&format!("{{\"a\": {}x}}", "1".repeat(99)))
    else {
        panic!("wrong error");
    };
    assert_eq!(found.len(), 40, "long tokens are not repeated in full");
}

#[test]
fn unescaped_quotes_are_refused_rather_than_guessed() {
    for text in [
        "{\"a\": \"say \"hi\" now\"}",
        "{\"a\": \"say \"hi\"\"}",
        "{\"a\": \"he said \"\", ok\"}",
        "{\"a\": \"x\"\"b\": 1}",
        "{\"a\": \"print(\"x\")\", \"b\": 1}",
        "{\"a\": \"echo \" hi\", \"b\": 1}",
        "{\"a\": \"x \" b: 5}",
        "{\"a\": \"x\" \"y\" \"b\": 1}",
        "{\"a\": [\"say \"hi\" now\"]}",
        "{\"a\": [\"x\"\"y\"]}",
        "{\"a\": [\"x \" 1 \" y\"]}",
        "{'a': 'it's'}",
        "{'a': 'don't', 'b': 'x'}",
        "{'a': 'rock 'n' roll'}",
        "{‘a’: ‘it’s’}",
        "{\"a\": \"see \"//x\" y\"}",
        "{\"a\": \"echo \" # hi\",\n \"b\": 1}",
        "{\"a\": \"\"\"doc\"\"\"}",
        "{\"k\"ey\": 1}",
        "\"{\"a\": 1}\"",
    ] {
        match refused(text) {
            ArgumentError::UnescapedQuote { .. } => {}
            other => panic!("{text}: {other:?}"),
        }
    }
    let error = refused("{\"a\": \"say \"hi\" now\"}");
    assert_eq!(error, ArgumentError::UnescapedQuote { at: 13 });
}

#[test]
fn values_that_are_no_object_are_refused() {
    assert_eq!(found("42"), "a number");
    assert_eq!(found("-1.5"), "a number");
    assert_eq!(found("true"), "a boolean");
    assert_eq!(found("False"), "a boolean");
    assert_eq!(found("\"hello\""), "a string");
    assert_eq!(found("\"null\""), "a string");
    assert_eq!(found("\"\""), "a string");
    assert_eq!(found("\"5\""), "a string");
    assert_eq!(found("'\"{}\"'"), "a string");
    assert_eq!(found("hello"), "plain text");
    assert_eq!(found("src/main.rs"), "plain text");
    assert_eq!(found("[]"), "an empty list");
    assert_eq!(found("[1]"), "a list without an object");
    assert_eq!(found("[\"{}\"]"), "a list without an object");
    assert_eq!(found("[{\"a\": 1}, {\"a\": 1}]"), "a list of 2 items");
    assert_eq!(found("[1, 2, 3"), "a list of 3 items");
    assert_eq!(found("\"[1, 2]\""), "a list of 2 items");
}

#[test]
fn nothing_that_could_be_an_argument_is_dropped() {
    for text in [
        "{\"a\": 1}, \"b\": 2}",
        "{\"a\": {\"x\": 1}}, \"b\": 2}",
        "{\"a\": 1} \"b\": 2}",
        "{\"a\": 1} b: 2}",
        "{\"a\": 1}: 5",
        "{\"a\": 1} [1, 2]",
        "[{\"a\": 1}] and more",
        "\"a\": 1, \"b\": {\"x\": 1}}",
        "a: 1, {\"x\": 1}",
        "a: 1} {\"x\": 1}",
    ] {
        match refused(text) {
            ArgumentError::Malformed { .. } | ArgumentError::UnescapedQuote { .. } => {}
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn what_does_not_belong_is_pointed_at() {
    for (text, wanted) in [
        ("{\"a\": }", "a value is missing at character 7; send one JSON object"),
        ("{\"a\": , \"b\": 1}", "a value is missing at character 7; send one JSON object"),
        ("{\"a\"}", "a colon is missing at character 5; send one JSON object"),
        ("{a 1}", "a colon is missing at character 4; send one JSON object"),
        ("{1: 2}", "a key is missing at character 2; send one JSON object"),
        (
            "{\"a\": foo, 'b': 1}",
            "an unquoted word stands as a value at character 7; send one JSON object",
        ),
        ("{\"a\": (1, 2)}", "a value is missing at character 7; send one JSON object"),
        ("{\"a\": 1} [1]", "other data follows the object at character 10; send one JSON object"),
    ] {
        assert_eq!(refused(text).to_string(), wanted, "{text}");
    }
}

#[test]
fn brackets_with_two_equally_good_readings_are_refused() {
    // Either two brackets are forgotten and one is surplus, or two are wrong and one is forgotten.
    let error = refused("{\"p\": {\"o\": {\"a\": [1}, \"b\": [2}, \"c\": 3}}");
    assert!(matches!(error, ArgumentError::Malformed { at: 21, .. }), "{error:?}");
}

#[test]
fn nesting_is_capped() {
    let nested = |depth: usize| format!("{{\"a\": {}", "[1,".repeat(depth - 1)) + "0";
    assert!(super::parse_arguments(&nested(MAX_DEPTH)).is_ok());
    for depth in [MAX_DEPTH + 1, 100_000] {
        let error = refused(&nested(depth));
        assert!(matches!(error, ArgumentError::TooDeep { .. }), "{error:?}");
    }
    let objects = refused(&"{\"a\":".repeat(100_000));
    assert!(matches!(objects, ArgumentError::TooDeep { .. }), "{objects:?}");
}
