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

#[test]
fn the_size_told_is_the_size_on_disk() {
    let bench = Bench::new();
    bench.put("a.txt", "\u{feff}a\r\n");
    let answer = bench.run("write_file", json!({"path": "a.txt", "content": "x\ny\n"}));
    assert_eq!(answer["bytes_written"], 9, "two line ends and the mark: {answer}");
    bench.put("b.txt", "a\n");
    bench.run("write_file", json!({"path": "b.txt", "content": "x\r\ny\n"}));
    assert_eq!(bench.content("b.txt"), b"x\r\ny\n");
}

#[test]
fn owner_and_attributes_survive_where_they_can() {
    use std::os::unix::fs::MetadataExt;
    let bench = Bench::new();
    let path = bench.put("a.txt", "one\n");
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(4_321), Some(8_765)).unwrap();
    }
    let flags = rustix::fs::XattrFlags::empty();
    // A file system without attributes has none to lose, and must take the write all the same.
    let has_attributes = rustix::fs::setxattr(&path, "user.note", b"kept", flags).is_ok();
    let before = path.metadata().unwrap();
    let answer = bench.run("write_file", json!({"path": "a.txt", "content": "two\n"}));
    assert!(answer["error"].is_null(), "{answer}");
    let after = path.metadata().unwrap();
    assert_ne!(after.ino(), before.ino(), "replaced");
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    let mut value = [0; 16];
    let found = rustix::fs::getxattr(&path, "user.note", &mut value).map(|length| &value[..length]);
    assert_eq!(found.ok(), has_attributes.then_some(b"kept".as_slice()));
}

#[test]
fn the_home_of_a_user_is_meant_by_name() {
    let bench = Bench::new();
    bench.run("write_file", json!({"path": "~/a.txt", "content": "x"}));
    assert_eq!(bench.content("../home/a.txt"), b"x");
    let error = bench.error("write_file", json!({"path": "~root", "content": "x"}));
    assert!(error.contains("directory") || error.contains("denied"), "{error}");
    bench.run("write_file", json!({"path": "~nobody-of-this-name/a", "content": "x"}));
    assert_eq!(bench.content("~nobody-of-this-name/a"), b"x");
}

#[test]
fn tables_with_numbers_are_data() {
    let bench = Bench::new();
    for (path, content) in
        [("a.md", "1|a|b\n2|c|d\n"), ("a.csv", "1|a\n2|b\n"), ("a.psv", "1|a\n2|b\n")]
    {
        let answer = bench.run("write_file", json!({"path": path, "content": content}));
        assert!(answer["error"].is_null(), "{path}: {answer}");
    }
}

#[test]
fn a_display_of_an_unchanged_file_is_not_written() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.run("read_file", json!({"path": "a.txt"}));
    let stub = bench.run("read_file", json!({"path": "a.txt"}));
    let error = bench.error("write_file", json!({"path": "a.txt", "content": stub["message"]}));
    assert!(error.contains("read the file again"), "{error}");
    assert_eq!(bench.content("a.txt"), b"one\n");
}

#[test]
fn data_files_are_checked_before_they_are_written() {
    let bench = Bench::new();
    for (path, content) in
        [("a.json", "{"), ("a.yaml", "a: [1\n"), ("a.yml", "a: ]"), ("a.toml", "a =")]
    {
        let error = bench.error("write_file", json!({"path": path, "content": content}));
        assert!(error.starts_with("Nothing was written"), "{path}: {error}");
        assert!(!bench.path(path).exists(), "{path}");
    }
    for (path, content) in [
        ("ok.json", "{\"a\": NaN, \"a\": Infinity}"),
        ("ok.yaml", "a: !mine 1\n---\nb: 2\n"),
        ("tsconfig.json", "{// note\n\"a\": 1,}"),
        (".vscode/settings.json", "{/* note */}"),
        ("a.jsonc", "{// note\n}"),
        ("b.py", "def ("),
    ] {
        let answer = bench.run("write_file", json!({"path": path, "content": content}));
        assert!(answer["error"].is_null(), "{path}: {answer}");
    }
}
