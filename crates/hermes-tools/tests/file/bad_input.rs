//! Paths and contents nobody should hand to a file tool, and each tool's answer to them.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use super::{Bench, names_in, patch_of};

/// One call of each tool on a path, in the shape the tool takes.
fn calls(path: &str) -> [(&'static str, Value); 6] {
    [
        ("read_file", json!({"path": path})),
        ("write_file", json!({"path": path, "content": "x"})),
        ("patch", json!({"path": path, "old_string": "a", "new_string": "b"})),
        ("patch", patch_of(&format!("*** Update File: {path}\n-a\n+b\n"))),
        ("patch", patch_of(&format!("*** Delete File: {path}\n"))),
        ("search_files", json!({"pattern": "a", "path": path})),
    ]
}

#[test]
fn pipes_sockets_and_devices_are_refused_by_all_tools() {
    let bench = Bench::new();
    bench.put("beside", "a\n");
    nix::unistd::mkfifo(&bench.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _listener = UnixListener::bind(bench.path("socket")).unwrap();
    symlink("/dev/zero", bench.path("zero")).unwrap();
    symlink("/dev/null", bench.path("null")).unwrap();
    for (path, word) in [
        ("pipe", "pipe"),
        ("socket", "socket"),
        ("zero", "device"),
        ("null", "device"),
        ("/dev/zero", "device"),
    ] {
        for (tool, args) in calls(path) {
            let error = bench.error(tool, args.clone());
            assert!(error.contains(word), "{tool} {args}: {error}");
        }
    }
    let zero = std::fs::metadata("/dev/zero").unwrap();
    assert!(std::os::unix::fs::FileTypeExt::is_char_device(&zero.file_type()));
    assert_eq!(names_in(&bench.path("")), ["beside", "null", "pipe", "socket", "zero"]);
}

#[test]
fn a_pipe_inside_a_tree_does_not_hang_a_search() {
    let bench = Bench::new();
    bench.put("a.txt", "needle\n");
    nix::unistd::mkfifo(&bench.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let answer = bench.run("search_files", json!({"pattern": "needle"}));
    assert_eq!(answer["total_count"], 1, "{answer}");
}

#[test]
fn a_path_of_a_thousand_directories_is_made_or_refused_and_nothing_breaks() {
    let bench = Bench::new();
    let deep = format!("{}x", "a/".repeat(1_500));
    bench.run("write_file", json!({"path": deep, "content": "deep\n"}));
    assert!(bench.run("read_file", json!({"path": deep})).to_string().contains("deep"));
    let too_deep = format!("{}x", "a/".repeat(3_000));
    for (tool, args) in calls(&too_deep) {
        let error = bench.error(tool, args);
        assert!(!error.is_empty(), "{tool}");
    }
}

#[test]
fn circles_of_links_are_named_by_all_tools() {
    let bench = Bench::new();
    bench.put("beside", "a\n");
    symlink("b", bench.path("a")).unwrap();
    symlink("a", bench.path("b")).unwrap();
    for (tool, args) in calls("a") {
        let error = bench.error(tool, args);
        assert!(error.contains("circle"), "{tool}: {error}");
    }
    assert!(bench.path("a").is_symlink() && bench.path("b").is_symlink());
}

#[test]
fn directories_are_told_from_files() {
    let bench = Bench::new();
    bench.put("dir/a", "a\n");
    let looking = ["search_files", "read_file"];
    for (tool, args) in calls("dir").into_iter().filter(|(tool, _)| !looking.contains(tool)) {
        let error = bench.error(tool, args);
        assert!(error.contains("directory"), "{tool}: {error}");
    }
    assert_eq!(names_in(&bench.path("dir")), ["a"], "nothing was moved into it");
}

#[test]
fn what_is_missing_is_said_to_be_and_nothing_is_made() {
    let bench = Bench::new();
    bench.put("beside", "a\n");
    for (tool, args) in calls("nowhere/a").into_iter().filter(|(tool, _)| *tool != "write_file") {
        let error = bench.error(tool, args);
        assert!(error.contains("not found"), "{tool}: {error}");
    }
    assert_eq!(names_in(&bench.path("")), ["beside"]);
}

#[test]
fn a_nul_in_a_path_is_explained() {
    let bench = Bench::new();
    for (tool, args) in calls("a\u{0}b") {
        let error = bench.error(tool, args);
        assert!(error.contains("NUL"), "{tool}: {error}");
    }
}

#[test]
fn a_line_break_in_a_path_is_a_character_like_any_other() {
    let bench = Bench::new();
    let path = "new\nline.txt";
    bench.run("write_file", json!({"path": path, "content": "a\n"}));
    assert_eq!(bench.run("read_file", json!({"path": path}))["content"], "1|a");
    let args = json!({"path": path, "old_string": "a", "new_string": "b"});
    assert_eq!(bench.run("patch", args)["success"], true);
    let found = bench.run("search_files", json!({"pattern": "b"}));
    assert_eq!(found["matches"][0]["path"], format!("./{path}"));
    assert_eq!(bench.content(path), b"b\n");
}

#[test]
fn bytes_that_are_no_text_survive_edits_elsewhere() {
    let bench = Bench::new();
    let content = b"one \xff\xfe\r\ntwo\x00 \x1b]0;t\x07\nthree\n";
    bench.put("a.txt", content);
    bench.put("b.txt", content);
    let args = json!({"path": "a.txt", "old_string": "three", "new_string": "3"});
    assert_eq!(bench.run("patch", args)["success"], true);
    let args = patch_of("*** Update File: b.txt\n-three\n+3\n");
    assert_eq!(bench.run("patch", args)["success"], true);
    let expected = b"one \xff\xfe\r\ntwo\x00 \x1b]0;t\x07\n3\n";
    assert_eq!(bench.content("a.txt"), expected);
    assert_eq!(bench.content("b.txt"), expected);
}

#[test]
fn control_characters_are_shown_and_nuls_make_a_file_binary() {
    let bench = Bench::new();
    bench.put("bell.txt", "ring \u{7} and \u{1b}]0;title\u{7} here\n");
    let answer = bench.run("read_file", json!({"path": "bell.txt"}));
    assert_eq!(answer["content"], "1|ring \u{7} and \u{1b}]0;title\u{7} here");
    bench.put("nul.txt", [b"text ".as_slice(), &[0; 8]].concat());
    let error = bench.error("read_file", json!({"path": "nul.txt"}));
    assert!(error.contains("NUL") && error.contains("terminal"), "{error}");
}

/// A file of a gigabyte that takes no space.
#[test]
fn a_huge_file_is_read_through_a_window_and_not_changed_in_memory() {
    const GIGABYTE: u64 = 1 << 30;
    let bench = Bench::new();
    let path = bench.put("huge.log", "first\nsecond\n");
    std::fs::File::options().write(true).open(&path).unwrap().set_len(GIGABYTE).unwrap();
    let before = memory_peak_kib();
    let read = bench.error("read_file", json!({"path": "huge.log", "limit": 2}));
    assert!(read.contains("NUL"), "the holes read as NUL bytes: {read}");
    for args in [
        ("write_file", json!({"path": "huge.log", "content": "x"})),
        ("patch", json!({"path": "huge.log", "old_string": "first", "new_string": "1"})),
        ("patch", patch_of("*** Update File: huge.log\n-first\n+1\n")),
    ] {
        let error = bench.error(args.0, args.1);
        assert!(error.contains("1073741824") && error.contains("the most"), "{}: {error}", args.0);
    }
    let found = bench.run("search_files", json!({"pattern": "first", "path": "huge.log"}));
    assert_eq!(found["total_count"], 0, "binary: {found}");
    assert_eq!(path.metadata().unwrap().len(), GIGABYTE);
    let grown = memory_peak_kib().saturating_sub(before);
    assert!(grown < 128 * 1024, "{grown} KiB more memory");
    // Deleting needs none of its content.
    assert_eq!(bench.run("patch", patch_of("*** Delete File: huge.log\n"))["success"], true);
    assert!(!path.exists());
}

#[test]
fn a_window_of_a_large_text_costs_only_the_window() {
    use std::io::Write as _;
    let bench = Bench::new();
    let mut file = std::fs::File::create(bench.put("large.log", "")).unwrap();
    let thousand = format!("{}\n", "x".repeat(127)).repeat(1_000);
    for _ in 0..1_000 {
        file.write_all(thousand.as_bytes()).unwrap();
    }
    file.write_all(b"last").unwrap();
    let before = memory_peak_kib();
    let answer = bench.run("read_file", json!({"path": "large.log", "offset": 1_000_001}));
    assert_eq!(answer["content"], "1000001|last");
    assert_eq!(answer["total_lines"], 1_000_001);
    let wide = bench.run("read_file", json!({"path": "large.log", "limit": 201}));
    assert!(wide["_hint"].as_str().unwrap().contains("search_files"), "{wide}");
    let narrow = bench.run("read_file", json!({"path": "large.log", "limit": 200}));
    assert!(narrow["_hint"].is_null(), "{narrow}");
    let grown = memory_peak_kib().saturating_sub(before);
    assert!(grown < 96 * 1024, "{grown} KiB more memory for 128 MB of text");
}

/// The most memory this process has had.
fn memory_peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
