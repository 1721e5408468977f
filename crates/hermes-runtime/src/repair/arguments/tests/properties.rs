//! What holds for every text.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::repair::arguments::{ArgumentError, brackets, parse_arguments};

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![any::<String>(), "[\\[\\]{}'\",:/#*\\\\a-c “”\n]{0,8}"];
    let leaf = prop_oneof![
        3 => text.prop_map(Value::String),
        1 => any::<i64>().prop_map(|n| json!(n)),
        1 => any::<u64>().prop_map(|n| json!(n)),
        1 => (-1e9..1e9).prop_map(|n| json!(n)),
        1 => any::<bool>().prop_map(|b| json!(b)),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| json!(items)),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|fields| json!(fields)),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-z\"' ]{0,4}", value(), 0..4).prop_map(|fields| json!(fields))
}

/// Every string in a value, keys included.
fn strings<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => {
            for (key, field) in fields {
                found.push(key);
                strings(field, found);
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn valid_objects_are_read_as_they_are(object in object()) {
        for text in [object.to_string(), format!("{object:#}")] {
            let parsed = parse_arguments(&text).unwrap();
            prop_assert_eq!(&Value::Object(parsed.object), &object);
            prop_assert!(!parsed.repaired);
        }
    }

    #[test]
    fn the_tolerant_reader_agrees_with_json(object in object()) {
        prop_assert_eq!(brackets::read(&object.to_string()), Ok(object));
    }

    #[test]
    fn an_object_survives_being_wrapped(object in object()) {
        for text in [
            format!("Here it is:\n```json\n{object:#}\n```\n"),
            format!("[{object}]"),
            json!(object.to_string()).to_string(),
            format!("{object}{object}"),
        ] {
            let parsed = parse_arguments(&text).unwrap();
            prop_assert_eq!(&Value::Object(parsed.object), &object);
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse_arguments(&text);
    }

    #[test]
    fn no_nearly_good_text_panics(text in "[\\[\\]{}'\",:/#*\\\\a-cu0-9.eE+ \u{0}“’\n-]{0,40}") {
        let _ = parse_arguments(&text);
    }
}

proptest! {
    // Each case reads the text once per character.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn cutting_a_text_never_invents_strings(object in object(), pretty in any::<bool>()) {
        let text = if pretty { format!("{object:#}") } else { object.to_string() };
        let mut whole = Vec::new();
        strings(&object, &mut whole);
        for (cut, _) in text.char_indices().skip(1) {
            let (mut inside, mut escaped) = (false, false);
            for c in text[..cut].chars() {
                match c {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    '"' => inside = !inside,
                    _ => {}
                }
            }
            let before = text[..cut].trim_end();
            let dangling = inside || before.ends_with([':', ',', '{', '[']);
            match parse_arguments(&text[..cut]) {
                Ok(parsed) => {
                    prop_assert!(!dangling, "{}", &text[..cut]);
                    let parsed = Value::Object(parsed.object);
                    let mut read = Vec::new();
                    strings(&parsed, &mut read);
                    prop_assert!(read.iter().all(|text| whole.contains(text)));
                }
                Err(ArgumentError::Truncated { .. }) => {}
                Err(other) => prop_assert!(false, "{}: {other:?}", &text[..cut]),
            }
        }
    }
}

#[test]
fn megabytes_of_anything_take_linear_time() {
    const SIZE: usize = 500_000;
    // Far above what a linear pass needs in a debug build, far below what a quadratic one would.
    const GENEROUS: Duration = Duration::from_secs(20);
    let started = Instant::now();
    for (start, unit) in [
        ("", "{}"),
        ("", "{},"),
        ("", "{"),
        ("", "{a:"),
        ("", "}"),
        ("", "x {} ["),
        ("{a:", "[1}"),
        ("{a:[", "\"x\","),
        ("{a:[", "'x' "),
        ("{a:[", "[],"),
        ("{a:[", "/**/"),
        ("{a:[", "//\n"),
        ("{", "a:1 "),
        ("{a:'", "\\n"),
        ("{a:'", "\\ud800"),
        ("\"", "\\\""),
        ("", "["),
        ("", "```"),
        ("{a:", "1"),
        ("", "\u{feff}"),
    ] {
        let text = format!("{start}{}", unit.repeat(SIZE / unit.len()));
        let _ = parse_arguments(&text);
    }
    assert!(started.elapsed() < GENEROUS, "took {:?}", started.elapsed());
}
