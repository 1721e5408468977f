use serde_json::json;

use super::{Bench, patch_of, shown};

#[test]
fn a_quotation_is_replaced_and_the_strategy_told() {
    let bench = Bench::new();
    bench.put("a.rs", "fn main() {\n\tlet n = 1;\n}\n");
    let answer = bench.run(
        "patch",
        json!({"path": "a.rs", "old_string": "    let n = 1;", "new_string": "    let n = 2;"}),
    );
    assert_eq!(bench.content("a.rs"), b"fn main() {\n\tlet n = 2;\n}\n");
    assert_eq!(
        (&answer["success"], &answer["match_strategy"]),
        (&json!(true), &json!("line_trimmed"))
    );
    assert_eq!(answer["replacements"], 1);
    let diff = answer["diff"].as_str().unwrap();
    assert!(diff.contains("-\tlet n = 1;\n+\tlet n = 2;"), "{diff}");
    assert_eq!(answer["files_modified"], json!([shown(&bench.path("a.rs"))]));
}

#[test]
fn several_places_and_misses_change_nothing() {
    let bench = Bench::new();
    bench.put("a.txt", "x = 1\nx = 1\nunique line here\n");
    let ambiguous =
        bench.error("patch", json!({"path": "a.txt", "old_string": "x = 1", "new_string": "y"}));
    assert!(ambiguous.contains("2 matches"), "{ambiguous}");
    let args = json!({"path": "a.txt", "old_string": "unique line hare", "new_string": "y"});
    let miss = bench.run("patch", args.clone());
    assert!(miss["error"].as_str().unwrap().starts_with("Could not find"), "{miss}");
    assert!(miss["error"].as_str().unwrap().contains("unique line here"), "{miss}");
    bench.run("patch", args.clone());
    let third = bench.run("patch", args);
    assert!(third["_hint"].as_str().unwrap().contains("failed in a row"), "{third}");
    assert_eq!(bench.content("a.txt"), b"x = 1\nx = 1\nunique line here\n");
}

#[test]
fn replace_all_changes_every_place() {
    let bench = Bench::new();
    bench.put("a.txt", "x\nx\n");
    let answer = bench.run(
        "patch",
        json!({"path": "a.txt", "old_string": "x", "new_string": "y", "replace_all": "true"}),
    );
    assert_eq!(answer["replacements"], 2);
    assert_eq!(bench.content("a.txt"), b"y\ny\n");
}

#[test]
fn a_patch_changes_adds_moves_and_deletes() {
    let bench = Bench::new();
    bench.put("a.txt", "one\ntwo\n");
    bench.put("old.txt", "o\n");
    bench.put("gone.txt", "g\n");
    let text = "*** Begin Patch\n*** Update File: a.txt\n one\n-two\n+2\n*** Add File: new/b.txt\n+b\n\
                *** Move File: old.txt -> moved/old.txt\n*** Delete File: gone.txt\n*** End Patch";
    let answer = bench.run("patch", json!({"mode": "patch", "patch": text}));
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(bench.content("a.txt"), b"one\n2\n");
    assert_eq!(bench.content("new/b.txt"), b"b\n");
    assert_eq!(bench.content("moved/old.txt"), b"o\n");
    assert!(!bench.path("gone.txt").exists() && !bench.path("old.txt").exists());
    assert_eq!(answer["files_modified"], json!([shown(&bench.path("a.txt"))]));
    assert_eq!(answer["files_created"], json!([shown(&bench.path("new/b.txt"))]));
    assert_eq!(answer["files_deleted"], json!([shown(&bench.path("gone.txt"))]));
}

#[test]
fn a_patch_that_cannot_be_applied_changes_nothing() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    let text = "*** Update File: a.txt\n-one\n+1\n*** Update File: missing.txt\n-x\n+y\n";
    let answer = bench.run("patch", json!({"mode": "patch", "patch": text}));
    assert!(answer["error"].as_str().unwrap().contains("missing.txt"), "{answer}");
    assert_eq!(bench.content("a.txt"), b"one\n");
    assert!(!bench.path("missing.txt").exists());
}

#[test]
fn a_failure_half_way_takes_everything_back() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    // A file stands where the second one needs a directory.
    bench.put("block", "x\n");
    let text = "*** Update File: a.txt\n-one\n+1\n*** Add File: block/b.txt\n+b\n";
    let answer = bench.run("patch", json!({"mode": "patch", "patch": text}));
    assert!(answer["error"].as_str().unwrap().contains("No file was changed"), "{answer}");
    assert_eq!(bench.content("a.txt"), b"one\n");
}

#[test]
fn protected_paths_are_refused_in_patches_too() {
    let bench = Bench::new();
    let text = "*** Add File: /etc/evil\n+x\n";
    assert!(bench.error("patch", json!({"mode": "patch", "patch": text})).contains("denied"));
    let text = "*** Add File: a/../../evil\n+x\n";
    assert!(bench.error("patch", json!({"mode": "patch", "patch": text})).contains(".."));
}

#[test]
fn secrets_in_the_context_of_a_diff_are_hidden() {
    let bench = Bench::new();
    let key = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"].concat();
    bench.put("a.py", format!("KEY = '{key}'\nn = 1\n"));
    let args = json!({"path": "a.py", "old_string": "n = 1", "new_string": "n = 2"});
    let answer = bench.run("patch", args);
    assert!(answer["diff"].as_str().unwrap().contains("«redacted:ghp_…»"), "{answer}");
    assert!(bench.content("a.py").starts_with(format!("KEY = '{key}'").as_bytes()));
}

#[test]
fn missing_pieces_are_named() {
    let bench = Bench::new();
    assert!(bench.error("patch", json!({})).contains("path"));
    assert!(bench.error("patch", json!({"path": "a"})).contains("old_string"));
    assert!(bench.error("patch", json!({"mode": "patch"})).contains("patch"));
    assert!(bench.error("patch", json!({"mode": "other"})).contains("mode"));
}

#[test]
fn lines_of_a_patch_that_are_not_found_come_with_the_closest_places() {
    let bench = Bench::new();
    let key = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"].concat();
    bench.put("a.py", format!("KEY = '{key}'\ndef area(width):\n    return width * width\n"));
    let text = "*** Update File: a.py\n-def area(w):\n+def area(w, h):\n";
    let error = bench.error("patch", patch_of(text));
    assert!(error.contains("a.py (patch line 2)"), "{error}");
    assert!(error.contains("Did you mean one of these sections?"), "{error}");
    assert!(error.contains("   2| def area(width):"), "{error}");
    assert!(error.contains("«redacted:ghp_…»") && !error.contains(&key), "{error}");
    assert!(bench.content("a.py").ends_with(b"return width * width\n"));
}

#[test]
fn the_same_places_are_shown_in_both_ways_of_patching() {
    let bench = Bench::new();
    bench.put("a.txt", "\u{feff}alpha beta\r\ngamma delta\r\n");
    let places = |error: &str| error[error.find("Did you mean").unwrap()..].to_owned();
    let args = json!({"path": "a.txt", "old_string": "gamma dalta", "new_string": "x"});
    let single = places(&bench.error("patch", args));
    let multi =
        places(&bench.error("patch", patch_of("*** Update File: a.txt\n-gamma dalta\n+x\n")));
    assert_eq!(single, multi);
}

#[test]
fn many_misses_do_not_bury_the_list_of_problems() {
    let bench = Bench::new();
    bench.put("a.txt", (0..50).map(|n| format!("item number {n}\n\n\n\n")).collect::<String>());
    let hunks: String = (0..20).map(|n| format!("@@\n-item numbre {n}\n+x\n")).collect();
    let error = bench.error("patch", patch_of(&format!("*** Update File: a.txt\n{hunks}")));
    assert_eq!(error.matches("could not find").count(), 20, "{error}");
    assert_eq!(error.matches("Did you mean").count(), 3, "{error}");
}

#[test]
fn every_problem_of_a_patch_is_told_at_once() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.put("b.txt", "two\n");
    let text = "*** Update File: a.txt\n-nowhere\n+x\n*** Delete File: gone.txt\n\
                *** Add File: b.txt\n+x\n*** Move File: none -> some\n";
    let error = bench.error("patch", patch_of(text));
    for name in ["a.txt", "gone.txt", "b.txt", "none"] {
        assert!(error.contains(name), "{name}: {error}");
    }
}

#[test]
fn hints_grow_with_failures_and_go_with_success() {
    let bench = Bench::new();
    bench.put("a.txt", "zzz\n");
    let miss = || {
        let args = json!({"path": "a.txt", "old_string": "quite other", "new_string": "y"});
        bench.run("patch", args)["_hint"].as_str().unwrap_or_default().to_owned()
    };
    assert!(miss().contains("quote its lines exactly"));
    assert!(miss().contains("quote its lines exactly"));
    assert!(miss().starts_with("3 edits"), "{}", miss());
    bench.run("patch", json!({"path": "a.txt", "old_string": "zzz", "new_string": "yyy"}));
    assert!(miss().contains("quote its lines exactly"));
}

#[test]
fn the_diff_names_the_file_as_it_was_named_and_marks_a_missing_newline() {
    let bench = Bench::new();
    bench.put("sub/a.txt", "one\ntwo");
    let args = json!({"path": "sub/a.txt", "old_string": "two", "new_string": "2"});
    let answer = bench.run("patch", args);
    let diff = answer["diff"].as_str().unwrap();
    assert!(diff.starts_with("--- a/sub/a.txt\n+++ b/sub/a.txt\n"), "{diff}");
    assert!(diff.contains("-two\n\\ No newline at end of file\n+2\n\\ No newline"), "{diff}");
    assert_eq!(answer["resolved_path"], shown(&bench.path("sub/a.txt")));
}

#[test]
fn secrets_are_hidden_in_what_the_syntax_check_quotes() {
    let bench = Bench::new();
    let key = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"].concat();
    for edit in [
        json!({"path": "a.rs", "old_string": "1;", "new_string": "1"}),
        patch_of("*** Update File: a.rs\n-    let n = 1;\n+    let n = 1\n"),
    ] {
        bench.put("a.rs", format!("fn f() {{\n    let n = 1;\n    {key}\n}}\n"));
        let answer = bench.run("patch", edit);
        let lint = answer["lint"].to_string();
        assert!(lint.contains("found `«redacted:ghp_…»`"), "{answer}");
        assert!(!answer.to_string().contains(&key), "{answer}");
    }
}
