use std::path::Path;

use proptest::prelude::*;

use super::samples::{INVALID, VALID};
use super::*;

fn lint(name: &str, content: &str) -> SyntaxVerdict {
    check(Path::new(name), content.as_bytes())
}

#[test]
fn valid_programs_are_never_called_wrong() {
    for (name, content) in VALID {
        let found = lint(name, content);
        assert!(!matches!(found, SyntaxVerdict::Errors(_)), "{name}:\n{content}\n{found:?}");
    }
}

/// Guards the test above against a checker that skips everything.
#[test]
fn valid_programs_are_judged_unless_their_dialect_is_unknown() {
    let skipped =
        |(name, content): &&(&str, &str)| matches!(lint(name, content), SyntaxVerdict::Skipped(_));
    let names: Vec<&str> = VALID.iter().filter(skipped).map(|(name, _)| *name).collect();
    assert_eq!(names, ["a.yml", "a.js", "a.ts", "a.rs", "a.rs", "a.sh", "deploy.yaml", "a.sh"]);
}

#[test]
fn broken_programs_are_found_with_their_place() {
    let mut wrong = String::new();
    for (name, content, place) in INVALID {
        match lint(name, content) {
            SyntaxVerdict::Errors(errors) if (errors[0].line, errors[0].column) == *place => {
                assert!(!errors[0].message.is_empty());
            }
            other => wrong += &format!("{name} {content:?} expected {place:?}: {other:?}\n"),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn other_files_are_skipped_with_the_reason() {
    assert_eq!(lint("a.md", "x"), SyntaxVerdict::Skipped("No linter for .md files".into()));
    let large = vec![b' '; MAX_BYTES + 1];
    assert!(
        matches!(check(Path::new("a.py"), &large), SyntaxVerdict::Skipped(r) if r.contains("larger"))
    );
    assert!(
        matches!(check(Path::new("a.py"), b"\xff"), SyntaxVerdict::Skipped(r) if r.contains("UTF-8"))
    );
}

/// No recursive parser may run out of stack: each of these is as deep as it is long.
#[test]
fn long_chains_do_not_overflow_the_stack() {
    let chains = [
        ("a.js", "", "!", "a"),
        ("a.js", "", "a=>", "a"),
        ("a.js", "", "a?b:", "a"),
        ("a.js", "", "if(a){}else ", ";"),
        ("a.js", "", "new ", "a"),
        ("a.jsx", "", "<a>", ""),
        ("a.ts", "let a:", "keyof ", "a"),
        ("a.ts", "let a:", "A<", ""),
        ("a.rs", "fn f(){", "!", "a}"),
        ("a.rs", "fn f(){", "return ", "a}"),
        ("a.rs", "fn f(){", "|a|", "a}"),
        ("a.rs", "fn f(){", "a=", "a}"),
        ("a.rs", "fn f(){", "if a{}else ", "{}}"),
        ("a.rs", "fn f(){let a:", "&", "a;}"),
        ("a.py", "", "not ", "a"),
        ("a.py", "", "lambda:", "a"),
        ("a.py", "", "(", ""),
        ("a.py", "", "1+", "1"),
        ("a.go", "package a\nvar a = ", "!", "a"),
        ("a.go", "package a\nvar a = ", "(", ""),
        ("a.sh", "", "! ", "a"),
        ("a.sh", "", "if a; then ", ""),
        ("a.sh", "", "a | ", "a"),
        ("a.yaml", "", "- ", "a"),
        ("a.yaml", "", "[", ""),
        ("a.toml", "a = ", "[", ""),
        ("a.toml", "", "a.", "b = 1"),
        ("a.json", "", "[", ""),
    ];
    for (name, start, unit, end) in chains {
        // Whatever the verdict, it is one.
        let found = lint(name, &format!("{start}{}{end}", unit.repeat(3000)));
        assert!(
            !matches!(&found, SyntaxVerdict::Skipped(r) if r.contains("failed")),
            "{name} {unit}"
        );
    }
}

#[test]
fn deep_but_balanced_brackets_do_not_overflow_the_stack() {
    let nests = [
        ("a.js", "", "(", "a", ")", ""),
        ("a.js", "", "({a:", "1", "})", ""),
        ("a.js", "", "`${", "a", "}`", ""),
        ("a.js", "", "class A{a(){", "", "}}", ""),
        ("a.rs", "fn f(){", "(", "a", ")", "}"),
        ("a.rs", "fn f(){", "{", "", "}", "}"),
        ("a.rs", "fn f(){", "match a{_=>", "b", "}", "}"),
        ("a.rs", "fn f(){", "m!(", "b", ")", "}"),
        ("a.rs", "type A=", "Vec<", "u8", ">", ";"),
        ("a.sh", "", "(", "a", ")", ""),
        ("a.sh", "", "{ ", "a;", "};", ""),
        ("a.sh", "", "$(", "a", ")", ""),
        ("a.py", "", "[", "1", "]", ""),
    ];
    for (name, start, open, core, close, end) in nests {
        let text = format!("{start}{}{core}{}{end}", open.repeat(450), close.repeat(450));
        assert!(!matches!(lint(name, &text), SyntaxVerdict::Errors(_)), "{name} {open}");
    }
}

/// Speculation over nested type arguments takes the parser minutes.
#[test]
fn a_slow_parse_does_not_hold_the_caller() {
    let start = std::time::Instant::now();
    let found = lint("a.ts", &"a<b<".repeat(2500));
    assert_ne!(found, SyntaxVerdict::Ok);
    assert!(start.elapsed() < 3 * bounded::DEADLINE, "{found:?}");
}

#[test]
fn errors_and_messages_are_capped() {
    let SyntaxVerdict::Errors(errors) = lint("a.py", &"x = = 1\n".repeat(100)) else { panic!() };
    assert_eq!(errors.len(), MAX_ERRORS);
    let SyntaxVerdict::Errors(errors) = lint("a.js", &format!("let x = ; // {}", "y".repeat(9999)))
    else {
        panic!()
    };
    assert!(errors[0].excerpt.chars().count() <= 201);
}

mod gating {
    use super::*;

    const GOOD: &[u8] = b"{\"a\": 1}";
    const BAD: &[u8] = b"{\"a\": 1";

    fn refused(name: &str, before: Option<&[u8]>, after: &[u8]) -> bool {
        gate(Path::new(name), before, after).is_some()
    }

    #[test]
    fn broken_data_files_are_refused() {
        assert!(refused("a.json", None, BAD));
        assert!(refused("a.json", Some(GOOD), BAD));
        assert!(refused("a.yaml", None, b"a: [1"));
        assert!(refused("a.yml", Some(b"a: 1"), b"a: b: c"));
        assert!(refused("a.toml", None, b"a = "));
        let error = gate(Path::new("a.json"), None, b"{\n\"a\" 1}").unwrap();
        assert_eq!((error.kind, error.line, error.column), ("JSONDecodeError", 2, 5));
    }

    #[test]
    fn sound_data_files_pass() {
        assert!(!refused("a.json", Some(GOOD), b"{\"a\": NaN, \"a\": 2}"));
        assert!(!refused("a.yaml", None, b"a: !x 1\n---\nb: *c\n"));
        assert!(!refused("a.toml", None, b"a = 1"));
    }

    #[test]
    fn a_file_that_was_broken_may_be_repaired_in_steps() {
        assert!(!refused("a.json", Some(b"{\"a\": "), BAD));
        assert!(!refused("a.yaml", Some(b"a: ["), b"a: [1"));
        assert!(!refused("a.toml", Some(b"a ="), b"a = ["));
        assert!(!refused("a.json", Some(b"\xff\xfe{\0"), BAD));
    }

    #[test]
    fn json_that_allows_comments_is_not_held_back() {
        for name in
            ["tsconfig.app.json", "jsconfig.json", ".vscode/a.json", ".eslintrc.json", "a.jsonc"]
        {
            assert!(!refused(name, None, BAD), "{name}");
        }
        assert!(!refused("a.json", Some(b"// c\n{}"), BAD));
        assert!(!refused("a.json", Some(b"// c\n{}"), b"// c\n{\"a\": 1}"));
        assert!(refused("a.json", Some(GOOD), b"// c\n{}"));
    }

    #[test]
    fn code_is_never_refused() {
        for (name, content, _) in INVALID {
            let data = ["json", "yaml", "yml", "toml"].iter().any(|ext| name.ends_with(ext));
            assert!(data || !refused(name, None, content.as_bytes()), "{name}");
        }
    }

    #[test]
    fn templates_are_not_refused() {
        assert!(!refused("a.yaml", None, b"a: {{ .Values.a }}\n{{- if b }}\n"));
    }
}

mod reporting {
    use serde_json::{Value, json};

    use super::*;

    fn report(name: &str, before: Option<&str>, after: &str) -> Value {
        check_write(Path::new(name), before.map(str::as_bytes), after.as_bytes()).to_json()
    }

    #[test]
    fn clean_and_unknown_files() {
        assert_eq!(report("a.py", None, "x = 1\n"), json!({"status": "ok", "output": ""}));
        let unknown = json!({"status": "skipped", "message": "No linter for .x files"});
        assert_eq!(report("a.x", None, ""), unknown);
    }

    #[test]
    fn new_errors_are_listed() {
        let found = report("a.json", Some("{}"), "{\"a\": }");
        let output = "JSONDecodeError: expected a value (line 1, column 7)";
        assert_eq!(found, json!({"status": "error", "output": output}));
    }

    #[test]
    fn errors_that_were_there_before_stay_an_error_with_a_message() {
        let found = report("a.py", Some("x = = 1\n"), "y = 2\nx = = 1\n");
        assert_eq!(found["status"], "error");
        assert!(found["output"].as_str().unwrap().contains("(line 2, column 5)"), "{found}");
        assert!(found["message"].as_str().unwrap().contains("added no errors"));
    }

    #[test]
    fn only_what_the_write_broke_is_shown() {
        let found = report("a.py", Some("x = = 1\n"), "x = = 1\ny = (\n");
        let output = found["output"].as_str().unwrap();
        assert!(!output.contains("line 1,"), "{output}");
        assert!(found["message"].as_str().unwrap().starts_with("1 more"), "{found}");
    }

    #[test]
    fn the_same_error_twice_is_one_more_than_before() {
        let found = report("a.py", Some("x = = 1\n"), "x = = 1\nx = = 1\n");
        assert_eq!(found["output"].as_str().unwrap().lines().count(), 1);
        assert!(found["message"].as_str().unwrap().starts_with("1 more"));
    }

    #[test]
    fn a_fixed_file_is_clean() {
        assert_eq!(report("a.py", Some("x = = 1\n"), "x = 1\n")["status"], "ok");
    }

    #[test]
    fn without_a_judgement_on_the_old_content_all_errors_are_new() {
        let skipped = SyntaxVerdict::Skipped("too large".into());
        let after = lint("a.json", "[");
        let WriteReport::Introduced { errors, inherited: 0 } = delta(Some(&skipped), after) else {
            panic!()
        };
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn json_with_comments_on_disk_is_read_with_comments() {
        let found = report("a.json", Some("// c\n{}"), "// c\n{\"a\": 1,}");
        assert_eq!(found, json!({"status": "ok", "output": ""}));
        assert_eq!(report("a.json", None, "// c\n{}")["status"], "error");
    }

    #[test]
    fn long_lists_are_cut_with_a_count() {
        let found = report("a.py", None, &"x = = 1\n".repeat(8));
        let output = found["output"].as_str().unwrap();
        assert_eq!(output.lines().count(), MAX_SHOWN + 1);
        assert!(output.ends_with("… and 3 more"), "{output}");
    }
}

const NAMES: &[&str] = &[
    "a.json", "a.jsonc", "a.yaml", "a.toml", "a.py", "a.js", "a.mjs", "a.tsx", "a.d.ts", "a.rs",
    "a.go", "a.sh", "a.txt",
];

/// Text made of the pieces that parsers care about.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "\"",
        "'",
        "`",
        "\\",
        "/",
        "*",
        "#",
        "!",
        "$",
        "&",
        "|",
        ";",
        ":",
        ",",
        ".",
        "=",
        "-",
        "+",
        "?",
        "@",
        "%",
        "\n",
        "\r\n",
        "\t",
        " ",
        "é",
        "\0",
        "\u{2028}",
        "a",
        "if ",
        "fn ",
        "def ",
        "class ",
        "for ",
        "func ",
        "type ",
        "<<EOF\n",
        "f'",
        "r#",
        "0x",
        "1e",
        "'''",
        "---",
        "package a\n",
        "import ",
        "async ",
        "await ",
        "case ",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..60).prop_map(|p| p.concat())
}

fn holds_up(name: &str, content: &[u8]) {
    match check(Path::new(name), content) {
        SyntaxVerdict::Errors(errors) => {
            let lines = content.iter().filter(|byte| **byte == b'\n').count() + 1;
            assert!((1..=MAX_ERRORS).contains(&errors.len()));
            assert!(errors.iter().all(|error| (1..=lines).contains(&error.line)));
        }
        SyntaxVerdict::Ok => {}
        SyntaxVerdict::Skipped(reason) => {
            assert!(!reason.contains("parser failed"), "{name}: {reason}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_survived(content in prop::collection::vec(any::<u8>(), 0..300)) {
        for name in NAMES {
            holds_up(name, &content);
        }
    }

    #[test]
    fn any_text_is_survived(content in soup()) {
        for name in NAMES {
            holds_up(name, content.as_bytes());
        }
    }

    #[test]
    fn json_agrees_with_another_reader(content in "[\\[\\]{}\",:0-9eE+. \\\\untrlfasx-]{0,12}") {
        let other = serde_json::from_str::<serde::de::IgnoredAny>(&content).is_ok();
        prop_assert_eq!(lint("a.json", &content) == SyntaxVerdict::Ok, other);
    }
}
