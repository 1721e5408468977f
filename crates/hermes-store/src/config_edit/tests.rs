use super::*;
use serde_json::json;

fn path(text: &str) -> KeyPath {
    KeyPath::parse(text).unwrap()
}

fn edited(text: &str, edit: &Edit) -> EditedText {
    edit_text(text, edit).unwrap_or_else(|error| panic!("{edit:?} on {text:?}: {error}"))
}

/// Sets and expects the gentle way to have worked.
#[track_caller]
fn set_gives(text: &str, at: &str, value: Value, expected: &str) {
    let done = edited(text, &Edit::Set(path(at), value));
    assert_eq!(done.text, expected);
    assert_eq!(done.method, Method::InPlace);
    assert!(done.lost_comments.is_empty(), "{done:?}");
}

const DOCUMENTED: &str = "\
# Hermes configuration
model: old/name   # the main model

# --- terminal ---
terminal:
  # where commands run
  backend: local # or docker
  timeout: 180

  env_passthrough: []
plugins:
    enabled:
        - one     # first
        # the second is special
        - two
    disabled: [x, 'y z'] # not these
# the end
";

#[test]
fn replaces_scalars_and_keeps_all_around() {
    let changed = DOCUMENTED.replace("old/name", "new/name");
    set_gives(DOCUMENTED, "model", json!("new/name"), &changed);
    let changed = DOCUMENTED.replace("backend: local", "backend: docker");
    set_gives(DOCUMENTED, "terminal.backend", json!("docker"), &changed);
    let changed = DOCUMENTED.replace("180", "null");
    set_gives(DOCUMENTED, "terminal.timeout", json!(null), &changed);
}

#[test]
fn adds_keys_where_they_belong() {
    let changed = DOCUMENTED
        .replace("env_passthrough: []\n", "env_passthrough: []\n  docker_network: true\n");
    set_gives(DOCUMENTED, "terminal.docker_network", json!(true), &changed);
    let changed = format!("{DOCUMENTED}agent:\n  max_turns: 90\n");
    set_gives(DOCUMENTED, "agent.max_turns", json!(90), &changed);
    let changed = format!("{DOCUMENTED}a:\n  b:\n    c: 1\n");
    set_gives(DOCUMENTED, "a.b.c", json!(1), &changed);
}

#[test]
fn changes_lists_of_both_styles() {
    let push = |at: &str, value| edited(DOCUMENTED, &Edit::Push(path(at), value));
    assert_eq!(
        push("plugins.enabled", json!("three")).text,
        DOCUMENTED.replace("- two\n", "- two\n        - three\n")
    );
    assert_eq!(
        push("plugins.disabled", json!("a, b")).text,
        DOCUMENTED.replace("'y z']", "'y z', \"a, b\"]")
    );
    assert_eq!(
        push("terminal.env_passthrough", json!("PATH")).text,
        DOCUMENTED.replace("env_passthrough: []", "env_passthrough: [PATH]")
    );
    let remove = |at: &str, value| edited(DOCUMENTED, &Edit::RemoveItem(path(at), value));
    assert_eq!(
        remove("plugins.disabled", json!("x")).text,
        DOCUMENTED.replace("[x, 'y z']", "['y z']")
    );
    let without_two = remove("plugins.enabled", json!("two"));
    assert_eq!(without_two.text, DOCUMENTED.replace("        - two\n", ""));
    assert!(without_two.lost_comments.is_empty());
    set_gives(
        DOCUMENTED,
        "plugins.enabled.1",
        json!("zwei"),
        &DOCUMENTED.replace("- two", "- zwei"),
    );
}

#[test]
fn removes_settings_and_reports_their_comments() {
    let done = edited(DOCUMENTED, &Edit::Unset(path("terminal.backend")));
    assert_eq!(done.text, DOCUMENTED.replace("  backend: local # or docker\n", ""));
    assert_eq!(done.lost_comments, ["# or docker"]);
    let done = edited("a:\n  b: 1\nc: 2\n", &Edit::Unset(path("a.b")));
    assert_eq!(crate::yaml::parse(&done.text).unwrap(), json!({"a": {}, "c": 2}));
    let done = edited("a: 1\n", &Edit::Unset(path("a")));
    assert_eq!(value_of(&done.text), json!({}));
}

fn value_of(text: &str) -> Value {
    crate::config::Config::parse(text, Path::new("t")).unwrap().into_value()
}

#[test]
fn scalars_become_sections_and_back() {
    set_gives("a: 1 # c\nb: 2\n", "a", json!({"x": [1]}), "a: # c\n  x:\n    - 1\nb: 2\n");
    set_gives("a:\n  x: 1\nb: 2\n", "a", json!("flat"), "a: flat\nb: 2\n");
    set_gives("a: [1, 2]\n", "a", json!({}), "a: {}\n");
    set_gives("a:\n  - 1\n", "a", json!([]), "a: []\n");
    set_gives("a:\n# c\n", "a.b", json!(1), "a:\n  b: 1\n# c\n");
}

#[test]
fn texts_that_need_quotes_survive() {
    for text in [
        "",
        " ",
        "a: b",
        "a #b",
        "#",
        "- x",
        "-",
        "yes",
        "No",
        "null",
        "~",
        "42",
        "0x1f",
        "1e3",
        "y",
        "é ☃ 😀",
        "line1\nline2",
        "line1\nline2\n\n",
        "\n",
        "  lead",
        "trail ",
        "tab\there",
        "'",
        "\"",
        "'\"\\",
        "@x",
        "`x",
        "%x",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "[x",
        "{x",
        "]",
        "}",
        ",",
        "?",
        ":",
        "? x",
        ": x",
        "---",
        "...",
        "2024-01-31",
        "12:30:45",
        "${VAR}",
        "\u{85}\u{2028}\u{feff}",
        "\u{1b}[31m\u{7f}\u{0}",
        "a\r\nb\rc",
        "=",
        "<<",
        "key: |\n  x",
        "- a\n- b",
        "# c\nd",
    ] {
        for before in ["", "k: 1 # c\n", "k: {a: 1}\r\n", "k: |\n  block\nz: 1\n", "# c"] {
            for at in ["k", "n.m"] {
                let done = edited(before, &Edit::Set(path(at), json!(text)));
                let value = value_of(&done.text);
                assert_eq!(path(at).find(&value), Some(&json!(text)), "{before:?} {}", done.text);
            }
        }
        // As a key, and inside flow style.
        let key = KeyPath::from_segments(["m", text]).unwrap();
        for before in ["m: {a: 1} # c\n", "m:\n  a: 1\n", ""] {
            let done = edited(before, &Edit::Set(key.clone(), json!([text])));
            assert_eq!(key.find(&value_of(&done.text)), Some(&json!([text])), "{}", done.text);
        }
    }
}

#[test]
fn keys_with_dots_are_quoted_in_paths() {
    set_gives("m:\n  b.c: 1\n", "m.\"b.c\"", json!(2), "m:\n  b.c: 2\n");
    set_gives("", "m.\"b.c\".d", json!(2), "m:\n  b.c:\n    d: 2\n");
}

#[test]
fn odd_files_are_handled() {
    set_gives("", "a", json!(1), "a: 1\n");
    set_gives("# only a comment\n", "a.b", json!(1), "# only a comment\na:\n  b: 1\n");
    set_gives("a: 1\r\n# c\r\n", "b.c", json!([1]), "a: 1\r\n# c\r\nb:\r\n  c:\r\n    - 1\r\n");
    set_gives("\u{feff}a: 1\n", "a", json!(2), "\u{feff}a: 2\n");
    set_gives("---\na: 1\n...\n", "b", json!(2), "---\na: 1\nb: 2\n...\n");
    set_gives("{}\n", "a.b", json!(1), "{a: {b: 1}}\n");
    // No line end at the end of the file.
    let done = edited("a: 1\nb: 2 # c", &Edit::Set(path("b"), json!(3)));
    assert_eq!(done.text, "a: 1\nb: 3 # c");
    let done = edited("a: 1", &Edit::Set(path("b"), json!(3)));
    assert_eq!(done.text.trim_end(), "a: 1\nb: 3");
    let done = edited("# c", &Edit::Set(path("b"), json!(3)));
    assert_eq!(done.text.trim_end(), "# c\nb: 3");
}

#[test]
fn order_of_keys_in_a_new_value_is_kept() {
    set_gives("", "a", json!({"z": 1, "b": 2, "m": 3}), "a:\n  z: 1\n  b: 2\n  m: 3\n");
}

#[test]
fn nothing_changes_when_nothing_would() {
    for edit in [
        Edit::Set(path("terminal.timeout"), json!(180)),
        Edit::Unset(path("terminal.nope")),
        Edit::PushNew(path("plugins.enabled"), json!("two")),
        Edit::RemoveItem(path("plugins.enabled"), json!("three")),
    ] {
        assert_eq!(edited(DOCUMENTED, &edit), EditedText::unchanged(DOCUMENTED));
    }
}

/// Keys that are not text, shared sections and tags defeat the syntax tree; the edit still works.
#[test]
fn falls_back_to_printing_the_block() {
    let text = "# top\nm: # about m\n  1: one\n  2: two # lost\n# end\nz: 1\n";
    let done = edited(text, &Edit::Set(path("m.1"), json!("eins")));
    assert_eq!(value_of(&done.text), json!({"m": {"1": "eins", "2": "two"}, "z": 1}));
    assert!(done.text.starts_with("# top\n") && done.text.ends_with("# end\nz: 1\n"));

    let text = "base: &b {x: 1}\n# c\nuser: *b # alias\n";
    let done = edited(text, &Edit::Set(path("user.z"), json!(2)));
    assert_eq!(done.text, "base: &b {x: 1}\n# c\nuser:\n  x: 1\n  z: 2\n");
    assert_eq!(done.method, Method::BlockRewritten);
    assert_eq!(done.lost_comments, ["# alias"]);
}

#[test]
fn shared_values_are_refused_rather_than_changed_twice() {
    let text = "a: &x 1\nb: *x\n";
    let error = edit_text(text, &Edit::Set(path("a"), json!(2))).unwrap_err();
    assert!(matches!(error, TextError::Refused { .. }));
    assert!(error.to_string().contains("alias"), "{error}");
    // Replacing the alias itself is fine.
    assert_eq!(edited(text, &Edit::Set(path("b"), json!(2))).text, "a: &x 1\nb: 2\n");
}

#[test]
fn broken_texts_are_not_edited() {
    for broken in ["a: [1,\nb: 2\n", "a: 1\na: 2\n", "- a\n", "text\n", "a: b: c\n"] {
        let error = edit_text(broken, &Edit::Set(path("z"), json!(1))).unwrap_err();
        assert!(matches!(error, TextError::Broken(_)), "{broken:?}: {error}");
    }
}

mod files {
    use super::*;
    use crate::atomic::write;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("home/config.yaml");
        (folder, file)
    }

    fn given(text: &str) -> (tempfile::TempDir, PathBuf) {
        let (folder, file) = folder();
        ensure_private_dir(folder_of(&file)).unwrap();
        write(&file, text.as_bytes(), WriteOptions::KEEP).unwrap();
        (folder, file)
    }

    fn content(file: &Path) -> String {
        std::fs::read_to_string(file).unwrap()
    }

    #[test]
    fn a_missing_file_is_created() {
        let (_folder, file) = folder();
        let report = set(&file, &path("a.b"), json!(true)).unwrap();
        assert_eq!(report.method, Method::InPlace);
        assert_eq!(content(&file), "a:\n  b: true\n");
        push(&file, &path("l"), json!("x")).unwrap();
        remove_item(&file, &path("l"), json!("x")).unwrap();
        unset(&file, &path("a")).unwrap();
        assert_eq!(value_of(&content(&file)), json!({"l": []}));
    }

    #[test]
    fn a_broken_file_is_left_alone_and_its_line_named() {
        let broken = "a: 1\nb: [1,\nc: 2\n";
        let (_folder, file) = given(broken);
        let error = set(&file, &path("a"), json!(2)).unwrap_err().to_string();
        assert!(error.contains("config.yaml:2:4:"), "{error}");
        assert_eq!(content(&file), broken);
    }

    #[test]
    fn several_edits_happen_together_or_not_at_all() {
        let (_folder, file) = given("a: 1 # c\ns: text\n");
        let good = Edit::Set(path("a"), json!(2));
        let bad = Edit::Set(path("s.x"), json!(2));
        let error = apply(&file, &[good.clone(), bad]).unwrap_err().to_string();
        assert!(error.contains("s is a text"), "{error}");
        assert_eq!(content(&file), "a: 1 # c\ns: text\n");
        apply(&file, &[good, Edit::Unset(path("s")), Edit::Push(path("l"), json!(1))]).unwrap();
        assert_eq!(content(&file), "a: 2 # c\nl:\n  - 1\n");
    }

    #[test]
    fn a_backup_is_kept_when_comments_are_lost() {
        let text = "a: 1 # why\nb: 2\n";
        let (_folder, file) = given(text);
        assert_eq!(set(&file, &path("b"), json!(3)).unwrap().backup, None);
        let before = content(&file);
        let report = unset(&file, &path("a")).unwrap();
        assert_eq!(report.lost_comments, ["# why"]);
        let backup = report.backup.unwrap();
        assert!(backup.ends_with("config.yaml.bak"));
        assert_eq!(content(&backup), before);
        assert_eq!(content(&file), "b: 3\n");
    }

    #[test]
    fn an_unnecessary_edit_does_not_touch_the_file() {
        let (_folder, file) = given("a: 1\n");
        let before = Fingerprint::of(&file);
        let report = set(&file, &path("a"), json!(1)).unwrap();
        assert_eq!(report.method, Method::Unchanged);
        assert_eq!(Fingerprint::of(&file), before);
    }

    #[test]
    fn removing_from_a_missing_file_creates_nothing() {
        let (folder, file) = folder();
        assert_eq!(unset(&file, &path("a.b")).unwrap().method, Method::Unchanged);
        remove_item(&file, &path("l"), json!(1)).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, file) = given("a: 1\n");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        set(&file, &path("a"), json!(2)).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn concurrent_edits_are_all_kept() {
        let (_folder, file) = given("# shared\n");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let file = &file;
                scope.spawn(move || {
                    for n in 0..5 {
                        set(file, &path(&format!("t{thread}.n{n}")), json!(n)).unwrap();
                    }
                });
            }
        });
        let value = value_of(&content(&file));
        let counts: Vec<_> =
            value.as_object().unwrap().values().map(|v| v.as_object().unwrap().len()).collect();
        assert_eq!(counts, [5, 5, 5, 5]);
        assert!(content(&file).starts_with("# shared\n"));
    }
}
