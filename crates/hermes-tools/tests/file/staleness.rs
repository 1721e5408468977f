//! Warnings before somebody else's work is overwritten.

use serde_json::{Value, json};

use super::{Bench, patch_of};

fn warning(answer: &Value) -> &str {
    assert!(answer["error"].is_null(), "a warning stops nothing: {answer}");
    answer["_warning"].as_str().unwrap_or_default()
}

#[test]
fn a_siblings_write_is_named_in_every_way_of_changing_a_file() {
    let bench = Bench::new();
    for (tool, args) in [
        ("write_file", json!({"path": "a.txt", "content": "mine\n"})),
        ("patch", json!({"path": "a.txt", "old_string": "theirs", "new_string": "mine"})),
        ("patch", patch_of("*** Update File: a.txt\n-theirs\n+mine\n")),
        ("patch", patch_of("*** Delete File: a.txt\n")),
    ] {
        bench.run_as("sibling", "write_file", json!({"path": "a.txt", "content": "theirs\n"}));
        let answer = bench.run_as("me", tool, args);
        assert!(warning(&answer).contains("task 'sibling'"), "{tool}: {answer}");
    }
}

#[test]
fn several_warnings_are_joined() {
    let bench = Bench::new();
    for path in ["a.txt", "b.txt"] {
        bench.run_as("sibling", "write_file", json!({"path": path, "content": "theirs\n"}));
    }
    let text = "*** Update File: a.txt\n-theirs\n+mine\n*** Update File: b.txt\n-theirs\n+mine\n";
    let answer = bench.run_as("me", "patch", patch_of(text));
    let warning = warning(&answer);
    assert_eq!(warning.matches("task 'sibling'").count(), 2, "{warning}");
    assert!(warning.contains(" | "), "{warning}");
}

#[test]
fn replacing_a_file_read_in_part_is_warned_about_and_editing_it_is_not() {
    let bench = Bench::new();
    bench.put("a.txt", "one\ntwo\nthree\n");
    let read = || bench.run("read_file", json!({"path": "a.txt", "limit": 1}));
    read();
    let edit = json!({"path": "a.txt", "old_string": "two", "new_string": "2"});
    assert_eq!(warning(&bench.run("patch", edit)), "");
    bench.put("a.txt", "one\ntwo\nthree and more\n");
    read();
    let answer = bench.run("write_file", json!({"path": "a.txt", "content": "x\n"}));
    assert!(warning(&answer).contains("in part"), "{answer}");
    let again = bench.run("write_file", json!({"path": "a.txt", "content": "y\n"}));
    assert_eq!(warning(&again), "", "the own write is known whole");
}

#[test]
fn a_change_of_the_same_size_and_time_is_noticed_by_the_file_itself() {
    let bench = Bench::new();
    let path = bench.put("a.txt", "one\n");
    let time = path.metadata().unwrap().modified().unwrap();
    bench.run("read_file", json!({"path": "a.txt"}));
    let other = bench.put("other", "two\n");
    std::fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    std::fs::rename(other, path).unwrap();
    let answer = bench.run("write_file", json!({"path": "a.txt", "content": "x\n"}));
    assert!(warning(&answer).contains("another program"), "{answer}");
}

#[test]
fn files_never_seen_and_files_gone_give_no_warning() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let write = |path: &str| bench.run("write_file", json!({"path": path, "content": "x\n"}));
    assert_eq!(warning(&write("a.txt")), "", "never read");
    bench.run_as("sibling", "write_file", json!({"path": "b.txt", "content": "theirs\n"}));
    std::fs::remove_file(bench.path("b.txt")).unwrap();
    assert_eq!(warning(&write("b.txt")), "", "gone");
}

#[test]
fn a_moved_file_is_known_to_be_the_movers() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.run_as("sibling", "patch", patch_of("*** Move File: a.txt -> b.txt\n"));
    let answer = bench.run_as("me", "write_file", json!({"path": "b.txt", "content": "x\n"}));
    assert!(warning(&answer).contains("task 'sibling'"), "{answer}");
}

#[test]
fn the_registrys_warning_comes_before_that_of_the_place() {
    let bench = Bench::new();
    let args = json!({"path": "../beside.txt", "content": "x\n"});
    bench.run_as("sibling", "write_file", args.clone());
    let answer = bench.run_as("me", "write_file", args);
    let warning = warning(&answer);
    let (registry, place) = (warning.find("sibling").unwrap(), warning.find("outside").unwrap());
    assert!(registry < place, "{warning}");
}

#[test]
fn the_warnings_can_be_switched_off() {
    let bench = Bench::with_vars(&[("HERMES_DISABLE_FILE_STATE_GUARD", "1")]);
    bench.run_as("sibling", "write_file", json!({"path": "a.txt", "content": "theirs\n"}));
    for args in [
        json!({"path": "a.txt", "old_string": "theirs", "new_string": "mine"}),
        patch_of("*** Update File: a.txt\n-mine\n+ours\n"),
    ] {
        assert_eq!(warning(&bench.run_as("me", "patch", args)), "");
    }
    let answer = bench.run_as("other", "write_file", json!({"path": "a.txt", "content": "x\n"}));
    assert_eq!(warning(&answer), "");
}
