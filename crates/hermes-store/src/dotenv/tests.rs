use super::*;
use proptest::prelude::*;

fn value(line: &str) -> Option<String> {
    DotEnv::parse(line).iter().next().map(|(_, value)| value.to_string())
}

fn problems(text: &str) -> Vec<(usize, Problem)> {
    DotEnv::parse(text).warnings.into_iter().map(|w| (w.line, w.problem)).collect()
}

#[test]
fn reads_the_usual_forms() {
    let cases = [
        ("A=1", "1"),
        ("A=", ""),
        ("A = spaced out  ", "spaced out"),
        ("  export A=1", "1"),
        ("export\tA=1", "1"),
        ("A=x # comment", "x"),
        ("A=x#no comment", "x#no comment"),
        ("A=#x", "#x"),
        ("A= # comment", ""),
        ("A=a=b=c", "a=b=c"),
        ("A=it's", "it's"),
        ("A=${B} $C", "${B} $C"),
        (r#"A="two\nlines\t\"q\" \\ \$ \` \x""#, "two\nlines\t\"q\" \\ $ ` \\x"),
        (r#"A="with # hash" # comment"#, "with # hash"),
        (r"A='as \n it \' is \\'", r"as \n it ' is \"),
        ("A='x'#comment", "x"),
        ("A=\"\"", ""),
        ("A=héllo", "héllo"),
        ("\u{feff}A=1\r", "1"),
    ];
    for (line, expected) in cases {
        assert_eq!(value(line).as_deref(), Some(expected), "{line}");
        assert!(problems(line).is_empty(), "{line}");
    }
}

#[test]
fn blank_lines_and_comments_are_nothing() {
    let env = DotEnv::parse("\n  \n# A=1\n   # B=2\r\n\t\n");
    assert!(env.is_empty() && env.warnings().is_empty());
}

#[test]
fn bad_lines_are_reported_and_skipped() {
    let text = "A=1\nnonsense\n1B=x\nC='open\nD=\"x\" y\nE-F=1\nexport=2\nG=a\0b\n=x\nZ=9\n";
    let env = DotEnv::parse(text);
    let names: Vec<_> = env.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["A", "export", "Z"]);
    assert_eq!(
        problems(text),
        [
            (2, Problem::NotAnAssignment),
            (3, Problem::BadName),
            (4, Problem::UnclosedQuote),
            (5, Problem::TextAfterQuote),
            (6, Problem::BadName),
            (8, Problem::NulCharacter),
            (9, Problem::BadName),
        ]
    );
}

#[test]
fn a_line_in_another_encoding_does_not_spoil_the_rest() {
    let env = DotEnv::parse_bytes(b"A=1\nB=\xff\nC=3\n");
    assert_eq!(env.get("A"), Some("1"));
    assert_eq!(env.get("C"), Some("3"));
    assert_eq!(env.warnings()[0], Warning { line: 2, problem: Problem::NotUtf8 });
}

#[test]
fn the_last_of_two_counts() {
    let env = DotEnv::parse("A=1\nB=2\nA=3\n");
    assert_eq!(env.iter().collect::<Vec<_>>(), [("A", "3"), ("B", "2")]);
    assert!(env.warnings()[0].to_string().starts_with("line 3: A is set a second time"));
}

#[test]
fn credentials_lose_characters_that_cannot_belong_to_them() {
    let env = DotEnv::parse("API_KEY=sk-\u{200b}12\u{2013}3\nNAME=Jürgen\n");
    assert_eq!(env.get("API_KEY"), Some("sk-123"));
    assert_eq!(env.get("NAME"), Some("Jürgen"));
    let removed = Problem::NonAsciiRemoved { name: "API_KEY".into(), count: 2 };
    assert_eq!(env.warnings(), [Warning { line: 1, problem: removed }]);
}

#[test]
fn values_are_never_printed() {
    let text = "API_KEY=hush1\nTOKEN='hush2\nhush3\nhush-4=x\nhush5 \"x\" hush6=1\n";
    let env = DotEnv::parse(text);
    let mut shown = format!("{env:?}{:?}", env.warnings());
    for warning in env.warnings() {
        shown += &warning.to_string();
    }
    shown += &set_in_text("", "hush-7", "hush8").unwrap_err().to_string();
    shown += &set_in_text("", "A", "hush9\0").unwrap_err().to_string();
    assert!(shown.contains("API_KEY") && !shown.contains("hush"), "{shown}");
}

#[test]
fn another_file_fills_gaps_only() {
    let mut env = DotEnv::parse("A=1\n");
    env.fill_missing(&DotEnv::parse("A=2\nB=3\n"));
    assert_eq!(env.iter().collect::<Vec<_>>(), [("A", "1"), ("B", "3")]);
    let shell = |name: &str| match name {
        "A" => Some("other".to_string()),
        "B" => Some("3".to_string()),
        _ => None,
    };
    assert_eq!(env.differing(shell), ["A"]);
}

#[test]
fn setting_keeps_everything_else() {
    let text = "\u{feff}# keys\r\nexport A = 'old'  # why\r\n\r\nB=2\r\njunk line\r\nA=older # x";
    let changed = set_in_text(text, "A", "new value").unwrap();
    assert_eq!(
        changed,
        "\u{feff}# keys\r\nexport A = 'old'  # why\r\n\r\nB=2\r\njunk line\r\nA='new value' # x"
    );
    let changed = set_in_text(&changed, "C", "3").unwrap();
    assert!(changed.ends_with("A='new value' # x\r\nC=3\r\n"), "{changed:?}");
    let changed = set_in_text("export A = 'old'  # why\n", "A", "").unwrap();
    assert_eq!(changed, "export A =   # why\n");
}

#[test]
fn unsetting_removes_every_line_of_the_name() {
    let text = "# keys\nA=1 # gone\nB=2\nexport A=3";
    assert_eq!(unset_in_text(text, "A").unwrap(), "# keys\nB=2\n");
    assert_eq!(unset_in_text(text, "X").unwrap(), text);
    assert_eq!(unset_in_text(text, "not a name").unwrap(), text);
}

#[test]
fn bad_names_and_values_are_refused() {
    for name in ["", "1A", "A-B", "A B", "Ä", "A\nB"] {
        assert!(matches!(set_in_text("", name, "x"), Err(DotEnvError::BadName)), "{name}");
    }
    assert!(matches!(set_in_text("", "A", "\0"), Err(DotEnvError::BadValue { .. })));
}

#[test]
fn files_are_created_changed_and_kept_private() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("home/.env");
    assert!(!unset(&file, "A").unwrap());
    assert!(DotEnv::load(&file).unwrap().is_empty());
    assert!(!folder.path().join("home").exists(), "reading and unsetting create nothing");

    let stored = set(&file, "API_KEY", "sk-\u{200b}1").unwrap();
    assert_eq!(stored, Stored { removed_non_ascii: 1 });
    set(&file, "NAME", "Jürgen's \"x\"\n$y").unwrap();
    let env = DotEnv::load(&file).unwrap();
    assert_eq!(env.get("API_KEY"), Some("sk-1"));
    assert_eq!(env.get("NAME"), Some("Jürgen's \"x\"\n$y"));
    assert!(unset(&file, "API_KEY").unwrap());
    assert!(!unset(&file, "API_KEY").unwrap());
    assert_eq!(DotEnv::load(&file).unwrap().get("API_KEY"), None);
}

#[cfg(unix)]
#[test]
fn a_write_makes_a_readable_file_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".env");
    crate::atomic::write(&file, b"A=1\n", crate::atomic::WriteOptions::new_file_mode(0o644))
        .unwrap();
    set(&file, "A", "2").unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_in_another_encoding_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".env");
    let bytes = b"A=\xff\n";
    crate::atomic::write(&file, bytes, crate::atomic::WriteOptions::KEEP).unwrap();
    assert!(matches!(set(&file, "B", "1"), Err(DotEnvError::NotUtf8 { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}

#[test]
fn concurrent_changes_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".env");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let file = &file;
            scope.spawn(move || {
                for n in 0..5 {
                    set(file, &format!("V{thread}_{n}"), "x").unwrap();
                }
            });
        }
    });
    assert_eq!(DotEnv::load(&file).unwrap().iter().count(), 20);
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = DotEnv::parse_bytes(&bytes);
    }

    #[test]
    fn any_value_set_in_any_text_reads_back(
        text in "([AB]{1,2}[ =#'\"\\\\x\r]{0,8}\n?){0,5}",
        value in "[^\0]{0,12}",
    ) {
        if let Ok(changed) = set_in_text(&text, "A", &value) {
            let env = DotEnv::parse(&changed);
            prop_assert_eq!(env.get("A"), Some(value.as_str()));
            let gone = unset_in_text(&changed, "A").unwrap();
            prop_assert!(DotEnv::parse(&gone).get("A").is_none());
        }
    }

    #[test]
    fn setting_in_an_orderly_file_always_works(value in "[^\0]{0,12}", other in "[a-z #]{0,8}") {
        let text = format!("# c\nB='{other}'\nA=1 # keep\n");
        let changed = set_in_text(&text, "A", &value).unwrap();
        prop_assert!(changed.starts_with(&text[..text.len() - 9]));
        prop_assert!(changed.ends_with(" # keep\n"));
    }
}
