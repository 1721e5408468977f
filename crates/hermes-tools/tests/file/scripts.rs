//! Calls made by a script: it has no earlier answer to look back at.

use std::sync::Arc;

use hermes_files::state::ReaderKind;
use serde_json::{Value, json};

use super::Bench;

fn script(bench: &Bench, tool: &str, args: Value) -> Value {
    let mut call = bench.call_as("t", tool, args);
    call.context.services = call.context.services.with(Arc::new(ReaderKind::Script));
    bench.answer(call)
}

#[test]
fn a_script_is_given_the_same_content_as_often_as_it_asks() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.run("read_file", json!({"path": "a.txt"}));
    for _ in 0..6 {
        let answer = script(&bench, "read_file", json!({"path": "a.txt"}));
        assert_eq!(answer["content"], "1|one", "{answer}");
        assert!(answer["_warning"].is_null(), "{answer}");
        let answer = script(&bench, "search_files", json!({"pattern": "one"}));
        assert_eq!(answer["total_count"], 1, "{answer}");
        assert!(answer["_warning"].is_null(), "{answer}");
    }
}

#[test]
fn what_a_script_read_was_not_shown_to_the_conversation() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    script(&bench, "read_file", json!({"path": "a.txt"}));
    assert_eq!(bench.run("read_file", json!({"path": "a.txt"}))["content"], "1|one");
}

#[test]
fn a_script_always_gets_a_list_of_matches() {
    let bench = Bench::new();
    bench.put("a.txt", "x\n".repeat(8));
    let rows = script(&bench, "search_files", json!({"pattern": "x"}));
    assert_eq!(rows["matches"].as_array().unwrap().len(), 8, "{rows}");
    let rows = bench.run("search_files", json!({"pattern": "x"}));
    assert!(rows["matches"].is_null() && rows["matches_text"].is_string(), "{rows}");
}

#[test]
fn a_scripts_writes_are_still_known_to_others() {
    let bench = Bench::new();
    script(&bench, "write_file", json!({"path": "a.txt", "content": "x"}));
    let answer = bench.run_as("other", "write_file", json!({"path": "a.txt", "content": "y"}));
    assert!(answer["_warning"].as_str().unwrap().contains("task 't'"), "{answer}");
}
