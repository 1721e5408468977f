use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::{Bench, shown};

#[test]
fn a_write_makes_directories_and_reports_what_it_did() {
    let bench = Bench::new();
    let answer = bench.run("write_file", json!({"path": "new/dir/a.txt", "content": "hello\n"}));
    assert_eq!(answer["bytes_written"], 6);
    assert_eq!(answer["dirs_created"], true);
    assert_eq!(answer["resolved_path"], shown(&bench.path("new/dir/a.txt")));
    assert_eq!(answer["files_modified"], json!([shown(&bench.path("new/dir/a.txt"))]));
    let again = bench.run("write_file", json!({"path": "new/dir/a.txt", "content": "x"}));
    assert_eq!(again["dirs_created"], false);
    assert_eq!(bench.content("new/dir/a.txt"), b"x");
}

#[test]
fn links_modes_endings_and_marks_survive() {
    let bench = Bench::new();
    let real = bench.put("real.txt", "\u{feff}a\r\nb\r\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.txt", bench.path("link.txt")).unwrap();
    bench.run("write_file", json!({"path": "link.txt", "content": "x\ny\n"}));
    assert!(bench.path("link.txt").is_symlink());
    assert_eq!(bench.content("real.txt"), "\u{feff}x\r\ny\r\n".as_bytes());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn protected_places_are_refused_and_the_rule_is_named() {
    let bench = Bench::new();
    for path in
        ["/etc/hosts", "~/.ssh/authorized_keys", "~/.hermes/config.yaml", "/dev/null2/../zero"]
    {
        let answer = bench.run("write_file", json!({"path": path, "content": "x"}));
        assert!(answer["error"].as_str().unwrap().contains("denied"), "{path}: {answer}");
        assert!(answer["rule"].is_string(), "{answer}");
    }
    let bench = Bench::with_vars(&[("HERMES_WRITE_SAFE_ROOT", "/nowhere/else")]);
    let error = bench.error("write_file", json!({"path": "a", "content": "x"}));
    assert!(error.contains("HERMES_WRITE_SAFE_ROOT"), "{error}");
    assert!(!bench.path("a").exists());
}

#[test]
fn displayed_text_is_not_written_back() {
    let bench = Bench::new();
    let error = bench.error("write_file", json!({"path": "a.rs", "content": "1|fn a() {\n2|}\n"}));
    assert!(error.contains("numbered lines"), "{error}");
    assert!(!bench.path("a.rs").exists());
}

#[test]
fn a_file_somebody_else_changed_is_warned_about() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.run("read_file", json!({"path": "a.txt"}));
    bench.put("a.txt", "other\n");
    let answer = bench.run("write_file", json!({"path": "a.txt", "content": "mine\n"}));
    assert!(answer["_warning"].as_str().unwrap().contains("another program"), "{answer}");
}

#[test]
fn a_path_out_of_the_working_directory_is_pointed_out() {
    let bench = Bench::new();
    let answer = bench.run("write_file", json!({"path": "../beside.txt", "content": "x"}));
    assert!(answer["_warning"].as_str().unwrap().contains("outside"), "{answer}");
}

#[test]
fn missing_and_wrong_arguments_are_told_apart() {
    let bench = Bench::new();
    assert!(bench.error("write_file", json!({"content": "x"})).contains("`path`"));
    assert!(bench.error("write_file", json!({"path": "a"})).contains("`content`"));
    assert!(
        bench.error("write_file", json!({"path": "a", "content": {"x": 1}})).contains("content")
    );
}

#[test]
fn content_that_would_break_a_json_file_is_refused() {
    let bench = Bench::new();
    bench.put("a.json", "{\"a\": 1}\n");
    let error = bench.error("write_file", json!({"path": "a.json", "content": "{\"a\": "}));
    assert!(error.contains("Nothing was written"), "{error}");
    assert_eq!(bench.content("a.json"), b"{\"a\": 1}\n");
    bench.put("broken.json", "{");
    let answer = bench.run("write_file", json!({"path": "broken.json", "content": "{\"a\":"}));
    assert_eq!(answer["lint"]["status"], "error", "repair in steps is allowed: {answer}");
}

#[test]
fn only_new_syntax_errors_are_blamed_on_the_write() {
    let bench = Bench::new();
    let answer = bench.run("write_file", json!({"path": "a.py", "content": "def f(:\n"}));
    assert_eq!(answer["lint"]["status"], "error", "{answer}");
    let good = bench.run("write_file", json!({"path": "b.py", "content": "def f():\n    pass\n"}));
    assert_eq!(good["lint"]["status"], "ok", "{good}");
    let other = bench.run("write_file", json!({"path": "a.xyz", "content": "?"}));
    assert_eq!(other["lint"]["status"], "skipped", "{other}");
}
