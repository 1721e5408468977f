use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(text: &str) -> Option<Vec<(String, Value)>> {
    let calls = calls_in_text(text, &|name| matches!(name, "read_file" | "terminal"))?;
    Some(calls.into_iter().map(|call| (call.name, Value::Object(call.arguments))).collect())
}

fn one(name: &str, arguments: Value) -> Option<Vec<(String, Value)>> {
    Some(vec![(name.to_owned(), arguments)])
}

#[test]
fn every_form_that_models_write_is_read() {
    let expected = one("read_file", json!({"path": "a.txt"}));
    let plain = r#"{"name": "read_file", "arguments": {"path": "a.txt"}}"#;
    for text in [
        plain.to_owned(),
        format!("\n {plain}\n"),
        r#"{"name":"read_file","parameters":{"path":"a.txt"}}"#.to_owned(),
        r#"{"tool":"read_file","args":{"path":"a.txt"}}"#.to_owned(),
        r#"{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}"#.to_owned(),
        r#"{"type":"function","function":{"name":"read_file","arguments":{"path":"a.txt"}}}"#.to_owned(),
        r#"{"type":"function","name":"read_file","parameters":{"path":"a.txt"}}"#.to_owned(),
        r#"{"function":"read_file","arguments":{"path":"a.txt"}}"#.to_owned(),
        format!(r#"{{"tool_calls":[{plain}]}}"#),
        format!("[{plain}]"),
        format!("```json\n{plain}\n```"),
        format!("```\n{plain}\n```"),
        format!("```tool_call\n{plain}\n```"),
        format!("<tool_call>\n{plain}\n</tool_call>"),
        format!("<tool_call>{plain}"),
        format!("```xml\n<tool_call>{plain}</tool_call>\n```"),
        format!("[TOOL_CALLS] [{plain}]"),
        r#"[TOOL_CALLS]read_file{"path": "a.txt"}"#.to_owned(),
        r#"[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}"#.to_owned(),
        format!("<|python_tag|>{plain}"),
        r#"<function=read_file>{"path": "a.txt"}</function>"#.to_owned(),
        "<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>".to_owned(),
        "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>"
            .to_owned(),
    ] {
        assert_eq!(read(&text), expected, "{text}");
    }
}

#[test]
fn several_calls_stay_in_their_order() {
    let (a, b) = (
        r#"{"name":"terminal","arguments":{"command":"ls"}}"#,
        r#"{"name":"read_file","arguments":{"path":"x"}}"#,
    );
    let expected = Some(vec![
        ("terminal".to_owned(), json!({"command": "ls"})),
        ("read_file".to_owned(), json!({"path": "x"})),
    ]);
    for text in [
        format!("{a}\n{b}"),
        format!("{a}; {b}"),
        format!("[{a},{b}]"),
        format!("```json\n{a}\n```\n```json\n{b}\n```"),
        format!("<tool_call>{a}</tool_call>\n<tool_call>{b}</tool_call>"),
        r#"[TOOL_CALLS]terminal{"command":"ls"}[TOOL_CALLS]read_file{"path":"x"}"#.to_owned(),
    ] {
        assert_eq!(read(&text), expected, "{text}");
    }
}

#[test]
fn what_is_anything_else_stays_a_text() {
    let plain = r#"{"name": "read_file", "arguments": {"path": "a.txt"}}"#;
    for text in [
        String::new(),
        "The file holds hi.".to_owned(),
        format!("I call it: {plain}"),
        format!("{plain}\nand then we see"),
        format!("```json\n{plain}\n```\nThis would read the file."),
        format!("```python\n{plain}\n```"),
        r#"{"name": "rm_all", "arguments": {}}"#.to_owned(),
        r#"{"name": "read_file"}"#.to_owned(),
        r#"{"name": "read_file", "arguments": [1]}"#.to_owned(),
        r#"{"name": "read_file", "arguments": {"path": "a"}, "comment": "x"}"#.to_owned(),
        r#"{"name": "read_file", "arguments": {"path": "a"#.to_owned(),
        r#"{"path": "a.txt", "content": "x"}"#.to_owned(),
        "[1, 2, 3]".to_owned(),
        "<function=read_file>please</function>".to_owned(),
        "<tool_call>read it</tool_call>".to_owned(),
        format!("[{plain}, \"and\"]"),
        "[".repeat(10_000),
    ] {
        assert_eq!(read(&text), None, "{text}");
    }
    let many = format!("[{}]", vec![plain; MAX_CALLS + 1].join(","));
    assert_eq!(read(&many), None, "a bound");
}

#[test]
fn marks_inside_a_value_are_part_of_it() {
    let arguments = json!({"command": "cat <<E\n```\n</tool_call>[TOOL_CALLS]\nE"});
    let call = json!({"name": "terminal", "arguments": arguments});
    for text in [format!("```json\n{call}\n```"), format!("<tool_call>{call}</tool_call>")] {
        assert_eq!(read(&text), one("terminal", arguments.clone()), "{text}");
    }
}

#[test]
fn values_keep_their_lines() {
    let text = "<function=terminal><parameter=command>\necho 1\necho 2\n\n</parameter></function>";
    assert_eq!(read(text), one("terminal", json!({"command": "echo 1\necho 2\n"})));
}

proptest! {
    #[test]
    fn no_text_makes_it_fail(text in r#"[\[\]{}<>`"':;,=/a-z \n|_A-Z]{0,200}"#) {
        let _ = calls_in_text(&text, &|_| true);
    }

    #[test]
    fn pieces_of_the_marks_in_any_order_are_calls_or_none(pieces in prop::collection::vec(prop::sample::select(vec![
        "```", "json\n", "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<function=terminal>",
        "</function>", "<parameter=a>", "</parameter>", "{\"name\":\"terminal\",", "\"arguments\":{}}", "terminal", "{}", "\n", "x",
    ]), 0..24)) {
        if let Some(calls) = calls_in_text(&pieces.concat(), &|name| name == "terminal") {
            prop_assert!(!calls.is_empty() && calls.iter().all(|call| call.name == "terminal"));
        }
    }

    #[test]
    fn any_arguments_come_back_from_json(key in "[a-z]{1,8}", value in ".{0,60}") {
        let call = json!({"name": "terminal", "arguments": {key.clone(): value.clone()}});
        for text in [
            call.to_string(),
            format!("<tool_call>\n{call:#}\n</tool_call>"),
            format!("```json\n{call}\n```"),
        ] {
            prop_assert_eq!(read(&text), one("terminal", json!({key.clone(): value.clone()})));
        }
    }
}
