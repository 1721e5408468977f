//! `hermes tools call` with input that makes no sense, or too much of it: a clear message, exit
//! code 2 for what the caller got wrong, never a crash.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox};

fn call(args: &[&str]) -> Run {
    Sandbox::new().run(["tools", "call"].iter().chain(args))
}

fn call_with_stdin(text: impl Into<Vec<u8>>) -> Run {
    Sandbox::new().run_with_stdin(["tools", "call", "todo", "-", "--dry-run"], text)
}

#[test]
fn malformed_json_is_refused_with_its_place() {
    let run = call(&["todo", r#"{"merge": nope}"#]).exits(2);
    assert_eq!(run.out, "");
    insta::assert_snapshot!(run.err, @"
    error: cannot read the arguments: an unquoted word stands as a value at character 11; send one JSON object
      or give them one by one: --arg key=value
    ");
    call(&["todo", r#"{"todos": [{"id": "x"#]).exits(2).notes("cut off").notes("character 19");
}

#[test]
fn json_that_is_no_object_is_refused() {
    for (text, what) in [("[1]", "a list"), ("\"x\"", "a string"), ("7", "a number")] {
        call(&["todo", text]).exits(2).notes(what).notes("must be an object");
    }
}

#[test]
fn pairs_that_are_none_say_what_is_expected() {
    for pair in ["merge", "=true", ":=true", ""] {
        call(&["todo", "--arg", pair]).exits(2).notes("expected key=value, or key:=JSON");
    }
    call(&["todo", "--arg", "merge:=tru"])
        .exits(2)
        .notes("the value is not JSON")
        .notes("column 3");
}

#[test]
fn json_and_pairs_exclude_each_other() {
    call(&["todo", "{}", "--arg", "merge=true"]).exits(2).notes("cannot be used with");
}

#[test]
fn misspelt_tools_get_a_suggestion() {
    let run = call(&["clarfy", "{}"]).exits(2);
    assert_eq!(run.out, "");
    insta::assert_snapshot!(run.err, @"
    error: unknown tool `clarfy`
      did you mean `clarify`?
      `hermes tools list` lists them
    ");
    let run = call(&["frobnicate"]).exits(2).notes("unknown tool `frobnicate`");
    assert!(!run.err.contains("did you mean"), "{run:#?}");
}

#[test]
fn timeouts_that_are_none_are_refused() {
    for seconds in ["abc", "NaN", "1e300"] {
        let run = call(&["todo", "--timeout", seconds]).exits(2).notes("--timeout");
        assert!(run.err.len() < 300, "{run:#?}");
    }
}

#[test]
fn ten_megabytes_of_arguments_go_through() {
    let content = "y".repeat(10_000_000);
    let run = call_with_stdin(json!({"todos": [{"id": "x", "content": content}]}).to_string());
    let shown = run.exits(0).json();
    assert_eq!(shown["arguments"]["todos"][0]["content"].as_str().unwrap().len(), 10_000_000);
}

#[test]
fn many_small_arguments_do_not_take_long() {
    let items: Vec<Value> = (0..50_000).map(|id| json!({"id": id.to_string()})).collect();
    let run = call_with_stdin(json!({"todos": items}).to_string()).exits(0);
    assert!(run.took < Duration::from_secs(20), "{:?}", run.took);
}

#[test]
fn absurd_amounts_are_refused_rather_than_cut() {
    let run = call_with_stdin(vec![b' '; 65 * 1024 * 1024]).exits(2);
    run.notes("more than 64 MiB of arguments on stdin");
}

#[test]
fn a_hundred_thousand_brackets_are_too_deep_but_do_no_harm() {
    let open = "[".repeat(100_000);
    let closed = format!(r#"{{"todos": {open}{}}}"#, "]".repeat(100_000));
    let objects = r#"{"a":"#.repeat(100_000);
    for text in [open, closed, objects] {
        let run = call_with_stdin(text).exits(2).notes("is deeper than 127 levels");
        assert!(run.err.len() < 400, "the message is short: {}", run.err.len());
    }
}

#[test]
fn deep_values_of_single_arguments_are_refused_briefly() {
    let run = call(&["todo", "--arg", &format!("todos:={}", "[".repeat(100_000))]).exits(2);
    assert!(run.err.len() < 500, "{}", run.err.len());
    run.notes("the value is not JSON").notes("recursion limit");
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    call_with_stdin(b"{\"merge\": \"\xff\"}".to_vec()).exits(2).notes("not UTF-8").notes("byte 11");
}

#[test]
fn control_characters_and_odd_unicode_survive() {
    let odd = json!({"todos": [{"id": "\u{0}\u{1b}[31m", "content": "\u{202e}🧵\u{10ffff}"}]});
    let shown = call_with_stdin(odd.to_string()).exits(0).json();
    assert_eq!(shown["arguments"], odd);
}
