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
