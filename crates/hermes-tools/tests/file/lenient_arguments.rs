//! Arguments a model gets a little wrong.

use serde_json::json;

use super::Bench;

#[test]
fn numbers_out_of_range_are_moved_into_it() {
    let bench = Bench::new();
    bench.put("a.txt", "one\ntwo\n");
    for (offset, limit) in [(json!(0), json!(1)), (json!(-5), json!(0)), (json!("-1"), json!(-3))] {
        let args = json!({"path": "a.txt", "offset": offset, "limit": limit});
        let answer = bench.run_as(&format!("{offset}"), "read_file", args);
        assert_eq!(answer["content"], "1|one", "{answer}");
    }
    let args = json!({"pattern": "o", "limit": 0, "offset": -2, "context": -1});
    let found = bench.run("search_files", args);
    assert_eq!(found["matches"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn numbers_that_are_none_count_as_not_given() {
    let bench = Bench::new();
    bench.put("a.txt", "one\ntwo\n");
    let args = json!({"path": "a.txt", "offset": "start", "limit": null});
    assert_eq!(bench.run("read_file", args)["content"], "1|one\n2|two");
    let args = json!({"pattern": "o", "limit": "all", "offset": "", "context": "none"});
    assert_eq!(bench.run("search_files", args)["total_count"], 2);
}

#[test]
fn the_most_lines_are_bounded_by_the_settings() {
    let bench = Bench::new();
    bench.put("a.txt", "x\n".repeat(3_000));
    let args = json!({"path": "a.txt", "limit": 5_000});
    let answer = bench.run("read_file", args.clone());
    assert!(answer["hint"].as_str().unwrap().contains("offset=2001"), "{answer}");
    let settings = json!({"tool_output": {"max_lines": 3, "max_line_length": 10}});
    let bench = Bench::with_config(settings);
    bench.put("a.txt", format!("{}\n", "x".repeat(11)).repeat(9));
    let answer = bench.run("read_file", args);
    let line = format!("{}... [truncated]", "x".repeat(10));
    assert_eq!(answer["content"], format!("1|{line}\n2|{line}\n3|{line}"), "{answer}");
}

#[test]
fn truth_is_known_by_its_usual_words() {
    let bench = Bench::new();
    for (truth, expected) in [(json!("yes"), 2), (json!(1), 2), (json!("True"), 2)] {
        bench.put("a.txt", "x\nx\n");
        let args =
            json!({"path": "a.txt", "old_string": "x", "new_string": "y", "replace_all": truth});
        assert_eq!(bench.run("patch", args)["replacements"], expected, "{truth}");
    }
    bench.put("a.txt", "x\nx\n");
    for no in [json!("no"), json!(0), json!("false"), json!(null)] {
        let args =
            json!({"path": "a.txt", "old_string": "x", "new_string": "y", "replace_all": no});
        assert!(bench.error("patch", args).contains("2 matches"), "{no}");
    }
}

#[test]
fn other_words_for_the_same_search_are_known() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    for target in ["grep", "content", "text", ""] {
        let args = json!({"pattern": "one", "target": target});
        let found = bench.run_as(target, "search_files", args);
        assert_eq!(found["matches"][0]["line"], 1, "{target}: {found}");
    }
    let found = bench.run("search_files", json!({"pattern": "*.txt", "target": "find"}));
    assert_eq!(found["files"], json!(["./a.txt"]));
}
