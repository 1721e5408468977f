use serde_json::json;

use super::Bench;

#[test]
fn lines_are_found_in_stable_order_with_pages() {
    let bench = Bench::new();
    for name in ["b.txt", "a.txt", "c.rs"] {
        bench.put(name, "needle\nhay\nneedle\n");
    }
    let answer = bench.run("search_files", json!({"pattern": "needle", "limit": 2}));
    assert_eq!(answer["total_count"], 6);
    assert_eq!(answer["matches"][0]["path"], "./a.txt");
    assert_eq!(answer["next_offset"], 2);
    let globbed = bench.run(
        "search_files",
        json!({"pattern": "needle", "file_glob": "*.rs", "output_mode": "count"}),
    );
    assert_eq!(globbed["counts"], json!({"./c.rs": 2}));
}

#[test]
fn files_are_found_by_name() {
    let bench = Bench::new();
    bench.put("src/main.rs", "");
    bench.put("src/lib.py", "");
    let answer = bench.run("search_files", json!({"pattern": "*.rs", "target": "find"}));
    assert_eq!(answer["files"], json!(["./src/main.rs"]));
}

#[test]
fn secrets_are_left_out_and_counted_or_hidden() {
    let bench = Bench::new();
    let key = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"].concat();
    bench.put("a.py", format!("key = '{key}'\n"));
    bench.put("sub/.env", "key = 1\n");
    let answer = bench.run("search_files", json!({"pattern": "key"}));
    assert_eq!(answer["matches"][0]["content"], "key = '«redacted:ghp_…»'");
    assert!(
        bench.error("search_files", json!({"pattern": "k", "path": "sub/.env"})).contains("denied")
    );
}

#[test]
fn bad_patterns_and_paths_are_explained() {
    let bench = Bench::new();
    bench.put("a.txt", "x");
    let error = bench.error("search_files", json!({"pattern": "(?=x)"}));
    assert!(error.contains("look"), "{error}");
    let error = bench.error("search_files", json!({"pattern": "x", "path": "nowhere"}));
    assert!(error.contains("not found"), "{error}");
}

#[test]
fn the_same_search_over_and_over_is_stopped() {
    let bench = Bench::new();
    bench.put("a.txt", "x");
    let search = || bench.run("search_files", json!({"pattern": "x"}));
    search();
    search();
    assert!(search()["_warning"].as_str().unwrap().contains("third"));
    assert!(search()["error"].as_str().unwrap().starts_with("BLOCKED"));
}

#[test]
fn how_many_denied_files_there_are_says_nothing_about_what_they_hold() {
    let bench = Bench::new();
    bench.put("a/.env", "PASSWORD=hunter2\n");
    bench.put("b/.env", "OTHER=1\n");
    bench.put("c/.env.example", "PASSWORD=\n");
    for (pattern, total) in [("PASSWORD", 1), ("hunter2", 0), ("nothing like it", 0)] {
        for output_mode in ["content", "files_only", "count"] {
            let answer = bench.run(
                "search_files",
                json!({"pattern": pattern, "file_glob": ".env*", "output_mode": output_mode}),
            );
            assert_eq!(answer["total_count"], total, "{answer}");
            assert_eq!(answer["_omitted"], 2, "{answer}");
        }
    }
    let names = bench.run("search_files", json!({"pattern": ".env*", "target": "files"}));
    assert_eq!(names["files"], json!(["./c/.env.example"]));
    assert_eq!(names["_omitted"], 2);
}

#[test]
fn secrets_are_hidden_in_long_results_too() {
    let bench = Bench::new();
    let key = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"].concat();
    bench.put("a.py", format!("key = '{key}'\n").repeat(8));
    let answer = bench.run("search_files", json!({"pattern": "key"}));
    let text = answer["matches_text"].as_str().unwrap();
    assert_eq!(text.matches("«redacted:ghp_…»").count(), 8, "{text}");
    assert!(!text.contains(&key));
    assert!(answer["matches_format"].is_string());
}

#[test]
fn a_type_of_file_can_be_named_instead_of_a_glob() {
    let bench = Bench::new();
    for name in ["a.rs", "b.py", "c.pyi", "d.txt"] {
        bench.put(name, "needle\n");
    }
    let files = |glob: &str| {
        let args = json!({"pattern": "needle", "file_glob": glob, "output_mode": "files_only"});
        bench.run("search_files", args)["files"].clone()
    };
    assert_eq!(files("rust"), json!(["./a.rs"]));
    assert_eq!(files("py"), json!(["./b.py", "./c.pyi"]));
    assert_eq!(files("!py"), json!(["./a.rs", "./d.txt"]));
}

#[test]
fn context_rows_are_marked_and_not_counted() {
    let bench = Bench::new();
    bench.put("a-1-b:2:c.txt", "before 3: x\nneedle\nafter\n");
    let answer = bench.run("search_files", json!({"pattern": "needle", "context": 1}));
    assert_eq!(answer["total_count"], 1);
    let rows = answer["matches"].as_array().unwrap();
    assert_eq!(rows.len(), 3, "{answer}");
    assert_eq!(rows[0]["content"], "before 3: x");
    assert_eq!((&rows[0]["is_context"], &rows[1]["is_context"]), (&json!(true), &json!(null)));
    assert_eq!(rows[1]["path"], "./a-1-b:2:c.txt");
}

#[test]
fn patterns_are_data_and_lines_end_where_lines_end() {
    let bench = Bench::new();
    bench.put("a.txt", "--help\r\nend\r\n");
    let found = |pattern: &str| bench.run("search_files", json!({"pattern": pattern}));
    assert_eq!(found("--help")["matches"][0]["content"], "--help");
    assert_eq!(found("end$")["total_count"], 1);
    let spanning = found("help\nend");
    assert_eq!(spanning["total_count"], 0);
    assert!(spanning["warning"].as_str().unwrap().contains("line"), "{spanning}");
    let error = bench.error("search_files", json!({"pattern": r"(a)\1"}));
    assert!(error.contains("terminal"), "{error}");
}

#[test]
fn a_mistyped_path_brings_like_names() {
    let bench = Bench::new();
    bench.put("settings/a", "x");
    let answer = bench.run("search_files", json!({"pattern": "x", "path": "setings"}));
    assert_eq!(answer["similar_files"], json!(["settings"]), "{answer}");
}
