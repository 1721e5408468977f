//! What is wrong with a value, and that it is said where it stands.

use super::*;

#[test]
fn a_malformed_number_is_an_error_that_names_its_variable() {
    assert_eq!(
        error(&json!({}), &[("TERMINAL_TIMEOUT", "soon")]),
        "the variable TERMINAL_TIMEOUT is \"soon\", but must be a whole number from 1 to 3162240000"
    );
    for variable in ["TERMINAL_LIFETIME_SECONDS", "TERMINAL_MAX_FOREGROUND_TIMEOUT"] {
        for value in ["5m", "-1", "0", "1.5", "99999999999999999999"] {
            let error = error(&json!({}), &[(variable, value)]);
            assert!(error.starts_with(&format!("the variable {variable} is")), "{error}");
        }
    }
}

#[test]
fn a_malformed_number_is_an_error_that_names_its_key() {
    for (key, value) in [
        ("timeout", json!("soon")),
        ("timeout", json!(0)),
        ("timeout", json!(true)),
        ("lifetime_seconds", json!([300])),
        ("daemon_term_grace_seconds", json!(-1)),
        ("daemon_term_grace_seconds", json!("nan")),
        ("daemon_term_grace_seconds", json!("inf")),
        ("persistent_shell", json!("maybe")),
        ("persistent_shell", json!(2)),
        ("home_mode", json!("elsewhere")),
        ("env_passthrough", json!({"A": 1})),
        ("env_passthrough", json!(["A", ["B"]])),
        ("credential_files", json!([1])),
        ("cwd", json!(["/"])),
    ] {
        let error = error(&json!({"terminal": {key: value}}), &[]);
        assert!(error.starts_with(&format!("terminal.{key} in config.yaml is")), "{error}");
    }
}

#[test]
fn numbers_and_flags_may_be_written_as_text() {
    let config = json!({"terminal": {
        "timeout": " 20 ", "lifetime_seconds": 30.0, "persistent_shell": "OFF",
        "daemon_term_grace_seconds": "0",
    }});
    let settings = read(&config, &[]).unwrap();
    assert_eq!(settings.timeout, Duration::from_secs(20));
    assert_eq!(settings.lifetime, Duration::from_secs(30));
    assert_eq!(settings.term_grace, Duration::ZERO);
    assert!(!settings.persistent_shell);
}

#[test]
fn a_terminal_that_is_no_section_is_an_error() {
    assert_eq!(
        error(&json!({"terminal": "docker"}), &[]),
        "terminal in config.yaml is \"docker\", but must be a section"
    );
}

#[test]
fn a_single_text_is_a_list_of_one_in_the_file() {
    let config = json!({"terminal": {"env_passthrough": "MY_KEY", "credential_files": "a.json"}});
    let settings = read(&config, &[]).unwrap();
    assert_eq!(settings.env_passthrough, ["MY_KEY"]);
    assert_eq!(settings.credential_files, ["a.json"]);
}

#[test]
fn json_in_a_variable_must_be_json_of_the_right_shape() {
    let docker = json!({"terminal": {"backend": "docker"}});
    for (variable, value, complaint) in [
        ("TERMINAL_DOCKER_VOLUMES", "/a:/b", "is not valid JSON"),
        ("TERMINAL_DOCKER_VOLUMES", "{\"a\": 1}", "a list of texts"),
        ("TERMINAL_DOCKER_VOLUMES", "\"/a:/b\"", "a list of texts"),
        ("TERMINAL_DOCKER_ENV", "[\"A=1\"]", "a section of names and texts"),
        ("TERMINAL_DOCKER_FORWARD_ENV", "[[]]", "a list of texts"),
        ("TERMINAL_DOCKER_EXTRA_ARGS", "[", "is not valid JSON"),
    ] {
        let error = error(&docker, &[(variable, value)]);
        assert!(error.starts_with(&format!("the variable {variable} ")), "{error}");
        assert!(error.contains(complaint), "{error}");
    }
}

#[test]
fn errors_show_no_values_of_lists_and_sections_and_no_long_texts() {
    let docker = json!({"terminal": {"backend": "docker"}});
    for (variable, value) in [
        ("TERMINAL_DOCKER_ENV", "[{\"TOKEN\": \"s3cret\"}]"),
        ("TERMINAL_DOCKER_ENV", "{\"TOKEN\": \"s3cret\""),
        ("TERMINAL_DOCKER_VOLUMES", "[[\"s3cret\"]]"),
        ("TERMINAL_DOCKER_VOLUMES", "s3cret"),
    ] {
        let error = error(&docker, &[(variable, value)]);
        assert!(!error.contains("s3cret"), "{error}");
    }
    let config = json!({"terminal": {"backend": "docker", "docker_env": ["s3cret"]}});
    assert!(!error(&config, &[]).contains("s3cret"));
    let long = "ä".repeat(10_000);
    assert!(error(&json!({"terminal": {"timeout": long}}), &[]).len() < 300);
}
