use std::os::unix::fs::symlink;

use serde_json::json;

use super::{Bench, shown};

#[test]
fn a_window_shows_numbered_lines_and_where_to_go_on() {
    let bench = Bench::new();
    bench.put("a.txt", "one\ntwo\nthree\n");
    let answer = bench.run("read_file", json!({"path": "a.txt", "offset": 2, "limit": 1}));
    assert_eq!(answer["content"], "2|two");
    assert_eq!((&answer["total_lines"], &answer["truncated"]), (&json!(3), &json!(true)));
    assert!(answer["hint"].as_str().unwrap().contains("offset=3"), "{answer}");
    assert_eq!(answer["file_size"], 14);
}

#[test]
fn the_old_argument_name_and_numbers_as_text_are_fine() {
    let bench = Bench::new();
    bench.put("a.txt", "one\ntwo\n");
    let answer = bench.run("read_file", json!({"file_path": "a.txt", "offset": "2"}));
    assert_eq!(answer["content"], "2|two");
}

#[test]
fn an_unchanged_window_is_not_shown_twice() {
    let bench = Bench::new();
    let path = bench.put("a.txt", "one\n");
    let read = || bench.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(read()["content"], "1|one");
    let stub = read();
    assert_eq!((&stub["status"], &stub["dedup"]), (&json!("unchanged"), &json!(true)));
    assert!(read()["error"].as_str().unwrap().starts_with("BLOCKED"));
    bench.put("a.txt", "two2\n");
    assert_eq!(read()["content"], "1|two2", "{}", shown(&path));
}

#[test]
fn what_is_missing_is_told_with_like_names() {
    let bench = Bench::new();
    bench.put("config.yaml", "a: 1\n");
    let answer = bench.run("read_file", json!({"path": "config.yml"}));
    assert!(answer["error"].as_str().unwrap().contains("not found"), "{answer}");
    assert!(answer["similar_files"][0].as_str().unwrap().ends_with("config.yaml"), "{answer}");
}

#[test]
fn a_directory_is_listed_with_sizes() {
    let bench = Bench::new();
    bench.put("dir/b/c", "x");
    bench.put("dir/a", "12345");
    let answer = bench.run("read_file", json!({"path": "dir"}));
    assert_eq!(answer["content"], "a  5 bytes\nb/");
    assert_eq!(answer["entries"], 2);
    assert_eq!(bench.run("read_file", json!({"path": "dir/b"}))["entries"], 1);
}

#[test]
fn pipes_devices_and_circles_are_refused_clearly() {
    let bench = Bench::new();
    bench.put("plain", "x");
    let pipe = bench.path("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(bench.error("read_file", json!({"path": "pipe"})).contains("named pipe"));
    assert!(bench.error("read_file", json!({"path": "/dev/zero"})).contains("device"));
    assert!(bench.error("read_file", json!({"path": "/proc/self/environ"})).contains("denied"));
    symlink("b", bench.path("a")).unwrap();
    symlink("a", bench.path("b")).unwrap();
    assert!(bench.error("read_file", json!({"path": "a"})).contains("circle"));
    assert!(bench.error("read_file", json!({"path": ""})).contains("empty"));
    assert!(bench.error("read_file", json!({"path": "a\u{0}b"})).contains("NUL"));
    assert!(bench.error("read_file", json!({"path": "new\nline"})).contains("not found"));
}

#[test]
fn secrets_are_kept_from_the_model_by_path_link_and_content() {
    let bench = Bench::new();
    bench.put(".env", "KEY=1\n");
    symlink(".env", bench.path("innocent")).unwrap();
    for path in [".env", "innocent"] {
        assert!(bench.error("read_file", json!({"path": path})).contains("denied"), "{path}");
    }
    let key = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"].concat();
    bench.put("settings.py", format!("TOKEN = '{key}'\n"));
    let answer = bench.run("read_file", json!({"path": "settings.py"}));
    assert_eq!(answer["content"], "1|TOKEN = '«redacted:ghp_…»'");
}

#[test]
fn binary_files_are_refused_and_pictures_are_shown() {
    let bench = Bench::new();
    bench.put("a.bin", [0_u8; 64]);
    assert!(bench.error("read_file", json!({"path": "a.bin"})).contains("bin"));
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    bench.put("a.png", png);
    let outcome =
        bench.runtime.call_blocking(bench.call_as("t", "read_file", json!({"path": "a.png"})));
    assert!(matches!(outcome.output, hermes_tool::ToolOutput::Multimodal { .. }));
}

#[test]
fn invalid_text_is_shown_and_marked() {
    let bench = Bench::new();
    bench.put("a.txt", b"caf\xe9\n");
    let answer = bench.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(answer["content"], "1|caf\u{fffd}");
    assert_eq!(answer["encoding"], "unknown");
}

#[test]
fn the_budget_of_characters_ends_a_window_between_lines() {
    let bench = Bench::with_config(json!({"file_read_max_chars": 30}));
    bench.put("a.txt", "0123456789\n".repeat(10));
    let answer = bench.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(answer["content"], "1|0123456789\n2|0123456789");
    assert_eq!((&answer["truncated_by"], &answer["next_offset"]), (&json!("bytes"), &json!(3)));
    assert!(answer["hint"].as_str().unwrap().contains("offset=3"), "{answer}");
    assert_eq!((&answer["is_binary"], &answer["is_image"]), (&json!(false), &json!(false)));
}

#[test]
fn the_rest_of_a_long_line_can_be_seen() {
    let bench = Bench::new();
    bench.put("a.txt", format!("{}end\n", "é".repeat(2_000)));
    let answer = bench.run("read_file", json!({"path": "a.txt"}));
    assert!(answer["content"].as_str().unwrap().ends_with("... [truncated]"), "{answer}");
    assert!(answer["long_lines"].as_str().unwrap().contains("column=2001"), "{answer}");
    let rest = bench.run("read_file", json!({"path": "a.txt", "column": 2_001}));
    assert_eq!(rest["content"], "1|end");
}

#[test]
fn empty_files_and_offsets_past_the_end_are_no_errors() {
    let bench = Bench::new();
    bench.put("empty", "");
    let answer = bench.run("read_file", json!({"path": "empty"}));
    assert_eq!((&answer["content"], &answer["total_lines"]), (&json!(""), &json!(0)));
    bench.put("a.txt", "one\ntwo");
    let answer = bench.run("read_file", json!({"path": "a.txt", "offset": 9}));
    assert_eq!((&answer["content"], &answer["total_lines"]), (&json!(""), &json!(2)));
    assert_eq!(answer["truncated"], false);
}

#[test]
fn text_under_a_name_that_may_be_either_is_read() {
    let bench = Bench::new();
    for name in ["a.dat", "a.data", "a.idx", "a.db", "a.ai", "a.o", "a.lib"] {
        bench.put(name, "plain text\n");
        assert_eq!(bench.run("read_file", json!({"path": name}))["content"], "1|plain text");
    }
}
