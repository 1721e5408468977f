//! What happens when the same thing is asked for again and again.

use std::os::unix::fs::symlink;

use hermes_runtime::ToolCall;
use hermes_tool::ToolOutput;
use serde_json::{Value, json};

use super::Bench;

#[test]
fn a_stub_names_the_file_and_a_second_one_is_refused_with_a_count() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let read = || bench.run("read_file", json!({"path": "a.txt"}));
    read();
    let stub = read();
    assert_eq!((&stub["path"], &stub["content_returned"]), (&json!("a.txt"), &json!(false)));
    assert!(stub["message"].is_string() && stub["content"].is_null(), "{stub}");
    for times in [3, 4] {
        let blocked = read();
        assert!(blocked["error"].as_str().unwrap().starts_with("BLOCKED"), "{blocked}");
        assert_eq!((&blocked["path"], &blocked["already_read"]), (&json!("a.txt"), &json!(times)));
    }
}

#[test]
fn another_spelling_of_the_same_file_is_the_same_window() {
    let bench = Bench::new();
    let path = bench.put("a.txt", "one\n");
    symlink("a.txt", bench.path("link")).unwrap();
    bench.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(bench.run("read_file", json!({"path": "link"}))["status"], "unchanged");
    let other = bench.run("read_file", json!({"path": path, "limit": 1}));
    assert_eq!(other["content"], "1|one", "another window");
}

#[test]
fn another_task_is_shown_what_one_has_seen() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.run_as("first", "read_file", json!({"path": "a.txt"}));
    assert_eq!(bench.run_as("second", "read_file", json!({"path": "a.txt"}))["content"], "1|one");
}

#[test]
fn an_own_change_makes_a_file_new_again() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let read = || bench.run("read_file", json!({"path": "a.txt"}));
    read();
    bench.run("write_file", json!({"path": "a.txt", "content": "one\n"}));
    assert_eq!(read()["content"], "1|one");
    bench.run("patch", json!({"path": "a.txt", "old_string": "one", "new_string": "two"}));
    assert_eq!(read()["content"], "1|two");
}

#[test]
fn after_compression_everything_is_shown_again() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let read = || bench.run("read_file", json!({"path": "a.txt"}));
    read();
    bench.state.forget_shown("t");
    assert_eq!(read()["content"], "1|one");
}

#[test]
fn a_refusal_is_not_remembered_as_shown() {
    let bench = Bench::new();
    bench.put("a.bin", "text after all");
    let read = || bench.error("read_file", json!({"path": "a.bin"}));
    assert_eq!(read(), read());
    assert!(read().contains("binary"));
}

/// A file that changes between reads is never a stub, but reading nothing else is a loop.
#[test]
fn the_third_identical_read_in_a_row_is_warned_about_and_the_fourth_refused() {
    let bench = Bench::new();
    let read = |number: usize| {
        bench.put("log.txt", "x".repeat(number));
        bench.run("read_file", json!({"path": "log.txt"}))
    };
    assert!(read(1)["_warning"].is_null() && read(2)["_warning"].is_null());
    assert!(read(3)["_warning"].as_str().unwrap().contains("third"));
    let blocked = read(4);
    assert!(blocked["error"].as_str().unwrap().starts_with("BLOCKED"), "{blocked}");
    assert_eq!(blocked["already_read"], 4);
    bench.state.other_tool_ran("t");
    assert_eq!(read(5)["content"], "1|xxxxx");
}

#[test]
fn another_read_in_between_breaks_the_row() {
    let bench = Bench::new();
    bench.put("b.txt", "b\n");
    for number in 1..6 {
        bench.put("log.txt", "x".repeat(number));
        let answer = bench.run("read_file", json!({"path": "log.txt"}));
        assert!(answer["_warning"].is_null() && answer["error"].is_null(), "{answer}");
        bench.run("read_file", json!({"path": "b.txt", "offset": number}));
    }
}

#[test]
fn a_repeated_search_is_refused_with_its_pattern() {
    let bench = Bench::new();
    bench.put("a.txt", "x\n");
    let search = || bench.run("search_files", json!({"pattern": "x"}));
    search();
    search();
    search();
    let blocked = search();
    assert_eq!((&blocked["pattern"], &blocked["already_searched"]), (&json!("x"), &json!(4)));
}

#[test]
fn every_argument_of_a_search_makes_it_another_one() {
    let bench = Bench::new();
    bench.put("a.txt", "x\n");
    let others = [
        json!({"pattern": "x", "output_mode": "count"}),
        json!({"pattern": "x", "output_mode": "files_only"}),
        json!({"pattern": "x", "context": 1}),
        json!({"pattern": "x", "limit": 3}),
        json!({"pattern": "x", "offset": 1}),
        json!({"pattern": "x", "file_glob": "*.txt"}),
        json!({"pattern": "x", "path": "a.txt"}),
        json!({"pattern": "x", "target": "files"}),
    ];
    for other in others {
        for args in [json!({"pattern": "x"}), other] {
            let answer = bench.run("search_files", args.clone());
            assert!(answer["_warning"].is_null() && answer["error"].is_null(), "{args}: {answer}");
        }
    }
}

#[test]
fn a_search_that_finds_something_else_is_no_repetition() {
    let bench = Bench::new();
    for number in 1..6 {
        bench.put(&format!("{number}.txt"), "x\n");
        let answer = bench.run("search_files", json!({"pattern": "x"}));
        assert_eq!(answer["total_count"], number, "{answer}");
        assert!(answer["_warning"].is_null(), "{answer}");
    }
}

/// A memory that came with the call was not told of other tools, only that of the process was: a third
/// read after a command was `BLOCKED`.
#[test]
fn any_other_tool_breaks_the_row_in_a_memory_of_its_own() {
    let bench = Bench::new();
    breaks_rows(&bench, |tool, args| bench.call_as("t", tool, args));
    bench.put("read.txt", "one\n");
    let read = || bench.run("read_file", json!({"path": "read.txt"}));
    read();
    for _ in 0..3 {
        assert_eq!(read()["status"], "unchanged");
        bench.run("write_file", json!({"path": "b.md", "content": "y"}));
    }
}

/// Without a memory of its own a call uses that of the process, which hears of every other tool, too.
#[test]
fn any_other_tool_breaks_the_row() {
    let bench = Bench::new();
    breaks_rows(&bench, |tool, args| {
        let mut call = bench.call_as("row-of-searches", tool, args);
        call.context.services = hermes_tool::Services::default();
        call
    });
}

fn breaks_rows(bench: &Bench, call: impl Fn(&str, Value) -> ToolCall) {
    bench.put("a.txt", "x\n");
    let call = |tool: &str, args| {
        let call = call(tool, args);
        let ToolOutput::Text(text) = bench.runtime.call_blocking(call).output else { panic!() };
        text
    };
    for round in 0..3 {
        for _ in 0..2 {
            let found = call("search_files", json!({"pattern": "x"}));
            assert!(!found.contains("_warning"), "{round}: {found}");
        }
        call("write_file", json!({"path": "b.md", "content": "y"}));
    }
}
