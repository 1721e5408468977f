use super::*;
use crate::atomic::{WriteOptions, write};
use proptest::prelude::*;
use serde_json::json;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("config.yaml"))
}

fn no_vars(_: &str) -> Option<String> {
    None
}

#[test]
fn a_missing_file_is_empty_and_stays_missing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("home/config.yaml");
    let config = Config::load(&file, no_vars).unwrap();
    assert_eq!(config.value(), &json!({}));
    assert_eq!(config.fingerprint(), None);
    assert_eq!(config.source(), file);
    assert!(!folder.path().join("home").exists());
}

#[test]
fn loads_and_expands() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    write(&file, b"a: \"${WHO}\"\nport: ${PORT}\nb: ${NOPE}\n", WriteOptions::KEEP).unwrap();
    let lookup = |name: &str| match name {
        "WHO" => Some("ada".to_string()),
        "PORT" => Some("8080".to_string()),
        _ => None,
    };
    let config = Config::load(&file, lookup).unwrap();
    assert_eq!(config.text("a").as_deref(), Some("ada"));
    assert_eq!(config.integer("port"), Some(8080));
    assert_eq!(config.text("b").as_deref(), Some("${NOPE}"));
    assert_eq!(config.fingerprint(), Fingerprint::of(&file));
    let raw = Config::load_unexpanded(&file).unwrap();
    assert_eq!(raw.text("a").as_deref(), Some("${WHO}"));
}

#[test]
fn the_fingerprint_changes_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    write(&file, b"a: 1\n", WriteOptions::KEEP).unwrap();
    let before = Fingerprint::of(&file);
    write(&file, b"a: 12\n", WriteOptions::KEEP).unwrap();
    assert!(before.is_some() && before != Fingerprint::of(&file));
}

#[test]
fn getters_answer_by_kind() {
    let config = parse(
        "b: yes\ni: 42\nf: 0.5\ns: text\nl: [a, 2, {x: 1}]\none: single\nm:\n  list:\n    - k: v\nn:\n",
    )
    .unwrap();
    assert_eq!(config.bool("b"), Some(true));
    assert_eq!(config.integer("i"), Some(42));
    assert_eq!(config.number("f"), Some(0.5));
    assert_eq!(config.text("s").as_deref(), Some("text"));
    assert_eq!(config.text("i").as_deref(), Some("42"));
    assert_eq!(config.text_list("l").unwrap(), ["a", "2"]);
    assert_eq!(config.text_list("one").unwrap(), ["single"]);
    assert_eq!(config.get("m.list.0.k"), Some(&json!("v")));
    assert_eq!(config.section("m").unwrap().len(), 1);
    for absent in ["nope", "m.list.1", "s.x", "", "a..b"] {
        assert_eq!(config.get(absent), None, "{absent}");
    }
    assert_eq!(config.bool("s"), None);
    assert_eq!(config.integer("f"), None);
    assert_eq!(config.text("n"), None);
    assert_eq!(config.text_list("m"), None);
}

#[test]
fn broken_yaml_shows_the_place() {
    let error = parse("model: x\nterminal:\n  backend: local: docker\n").unwrap_err();
    assert_eq!(error.line(), Some(3));
    let text = error.to_string();
    assert!(text.starts_with("config.yaml:3:"), "{text}");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[1], "      backend: local: docker");
    assert_eq!(lines[2].trim(), "^");
}

#[test]
fn duplicate_keys_are_an_error() {
    let text = parse("a: 1\nb:\n  c: 1\n  c: 2\n").unwrap_err().to_string();
    assert!(text.starts_with("config.yaml:4:3: the key `c` is there twice"), "{text}");
}

#[test]
fn the_top_level_must_be_settings() {
    for (text, found) in [("- a\n", "a list"), ("hello\n", "a text"), ("42\n", "a number")] {
        let error = parse(text).unwrap_err();
        assert!(matches!(error, ConfigError::NotAMapping { .. }));
        assert!(error.to_string().contains(found), "{error}");
    }
    for empty in ["", "# nothing yet\n", "---\n", "{}\n", "\u{feff}"] {
        assert_eq!(parse(empty).unwrap().value(), &json!({}), "{empty:?}");
    }
}

#[test]
fn a_broken_file_yields_defaults_and_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    let broken = b"a: [1,\nb: 2\n";
    write(&file, broken, WriteOptions::KEEP).unwrap();
    let (config, error) = Config::load_or_default(&file, no_vars);
    assert_eq!(config.value(), &json!({}));
    assert_eq!(config.fingerprint(), Fingerprint::of(&file));
    assert!(matches!(error, Some(ConfigError::Syntax { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), broken);

    write(&file, b"a: 1\n", WriteOptions::KEEP).unwrap();
    let (config, error) = Config::load_or_default(&file, no_vars);
    assert!(error.is_none() && config.integer("a") == Some(1));
}

#[test]
fn other_encodings_are_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.yaml");
    write(&file, b"a: 1\nname: J\xfcrgen\n", WriteOptions::KEEP).unwrap();
    let error = Config::load(&file, no_vars).unwrap_err();
    assert!(error.to_string().contains("config.yaml:2:8: a byte that is not UTF-8"), "{error}");
}

#[test]
fn defaults_fill_the_gaps() {
    let config = parse("terminal:\n  timeout: 5\n").unwrap();
    let config = config.with_defaults(&json!({"terminal": {"timeout": 180, "backend": "local"}}));
    assert_eq!(config.integer("terminal.timeout"), Some(5));
    assert_eq!(config.text("terminal.backend").as_deref(), Some("local"));
}

#[test]
fn debug_output_shows_names_only() {
    let config = parse("model:\n  api_key: sk-hush\n").unwrap();
    let shown = format!("{config:?}");
    assert!(shown.contains("model") && !shown.contains("hush"), "{shown}");
    assert!(Config::from_value(json!([1])).value().is_object());
}

proptest! {
    #[test]
    fn parsing_never_panics(text in "[-a-c:#\\[\\]{}'\"|>&*!%@`, \n\t\r0-9\u{feff}é]{0,60}") {
        if let Err(error) = parse(&text) {
            let _ = error.to_string();
        }
    }
}
