//! What holds for every command: help, slips of the fingers, streams that end early, a home left
//! as it was.

use crate::support::Sandbox;

#[test]
fn version_is_one_line() {
    for flag in ["--version", "-V"] {
        let run = Sandbox::new().run([flag]).exits(0).quietly();
        assert_eq!(run.out, concat!("hermes ", env!("CARGO_PKG_VERSION"), "\n"));
    }
}

#[test]
fn version_needs_no_usable_home() {
    let sandbox = Sandbox::new().var("HERMES_HOME", "/dev/null/nowhere");
    sandbox.run(["--version"]).exits(0).quietly();
}

#[test]
fn help_lists_commands_and_exit_codes() {
    let run = Sandbox::new().run(["--help"]).exits(0).quietly();
    for command in ["tools", "toolsets", "config", "hooks", "doctor", "completion"] {
        assert!(run.out.lines().any(|line| line.trim_start().starts_with(command)), "{command}");
    }
    let codes = run.out.split("Exit codes:").nth(1).unwrap();
    for code in ["0  done", "1  failed", "2  usage", "4  blocked", "5  timed out", "130  inter"] {
        assert!(codes.contains(code), "{code}: {codes}");
    }
}

#[test]
fn every_subcommand_has_help() {
    for (command, subcommands) in [
        ("tools", vec!["list", "show", "call", "schema", "enable", "disable"]),
        ("toolsets", vec!["list", "show", "resolve", "distributions"]),
        ("config", vec!["show", "get", "set", "unset", "path", "edit", "check", "keys"]),
        ("hooks", vec!["list", "test", "approve", "revoke"]),
    ] {
        let help = Sandbox::new().run([command, "--help"]).exits(0).out;
        for subcommand in subcommands {
            assert!(help.contains(subcommand), "{command} {subcommand}");
            let run = Sandbox::new().run([command, subcommand, "--help"]).exits(0);
            run.says(&format!("Usage: hermes {command} {subcommand}"));
        }
    }
}

#[test]
fn without_a_command_and_without_a_model_the_ways_to_one_are_shown() {
    let run = Sandbox::new().run([""; 0]).exits(1).notes("hermes setup").notes("hermes tools list");
    assert_eq!(run.out, "");
}

#[test]
fn a_command_without_its_part_is_a_usage_error_with_help() {
    Sandbox::new().run(["tools"]).exits(2).notes("Usage: hermes tools");
}

#[test]
fn misspelt_commands_get_a_suggestion() {
    Sandbox::new().run(["tols"]).exits(2).notes("'tools'");
    Sandbox::new().run(["tools", "lst"]).exits(2).notes("'list'");
    Sandbox::new().run(["tools", "list", "--jsn"]).exits(2).notes("'--json'");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for args in [
        vec!["--version"],
        vec!["--help"],
        vec!["tools", "list"],
        vec!["tools", "list", "--json"],
        vec!["tools", "schema"],
        vec!["toolsets", "list"],
        vec!["config", "keys"],
        vec!["completion", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, err) = Sandbox::new().run_into(writer, &args);
        assert_eq!((code, err.contains("panicked")), (0, false), "{args:?}: {err}");
        assert!(!err.contains("error"), "{args:?}: {err}");
    }
}

#[test]
fn head_ends_a_long_list_without_noise() {
    let run = Sandbox::new()
        .shell(r#""$HERMES" tools list --all | head -1; echo "${PIPESTATUS[0]}""#)
        .exits(0);
    assert_eq!(run.out.lines().count(), 2, "{run:#?}");
    assert_eq!(run.out.lines().nth(1), Some("0"), "{run:#?}");
    assert!(!run.err.contains("panicked") && !run.err.contains("error"), "{run:#?}");
}

#[test]
fn a_full_disk_is_an_error_that_says_so() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (code, err) = Sandbox::new().run_into(full, &["tools", "list"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("No space left"), "{err}");
    assert!(!err.contains("panicked"), "{err}");
}

/// Commands that only look.
const READERS: &[&[&str]] = &[
    &["tools", "list"],
    &["tools", "list", "--all", "--json"],
    &["tools", "show", "todo"],
    &["tools", "schema"],
    &["tools", "schema", "--size"],
    &["tools", "call", "todo"],
    &["tools", "call", "todo", "--dry-run"],
    &["toolsets", "list"],
    &["toolsets", "show", "file"],
    &["toolsets", "resolve"],
    &["toolsets", "distributions", "--sample", "default"],
    &["config", "show"],
    &["config", "get", "tools.coercion"],
    &["config", "get", "OPENAI_API_KEY"],
    &["config", "unset", "tools.coercion"],
    &["config", "unset", "OPENAI_API_KEY"],
    &["config", "path"],
    &["config", "check"],
    &["config", "keys"],
    &["hooks", "list"],
    &["hooks", "test", "pre_tool_call"],
    &["hooks", "approve"],
    &["hooks", "revoke", "nothing"],
    &["doctor"],
    &["completion", "bash"],
];

#[test]
fn looking_does_not_create_a_home() {
    let sandbox = Sandbox::new();
    for args in READERS {
        sandbox.run(*args);
        assert!(!sandbox.home().exists(), "{args:?} made {:?}", sandbox.entries());
    }
}

#[test]
fn looking_leaves_an_existing_home_as_it_was() {
    let sandbox = Sandbox::with_config("# mine\nmodel: some\n");
    for args in READERS {
        sandbox.run(*args);
        assert_eq!(sandbox.entries(), ["config.yaml"], "{args:?}");
    }
    assert_eq!(sandbox.read("config.yaml"), "# mine\nmodel: some\n");
}

#[test]
fn the_home_is_hermes_home_or_a_folder_of_the_user() {
    let sandbox = Sandbox::new().var("HERMES_HOME", "");
    let run = sandbox.run(["config", "path"]).exits(0);
    assert_eq!(run.out.trim_end(), sandbox.scratch("user/.hermes/config.yaml").to_str().unwrap());
    let elsewhere = Sandbox::new().var("HERMES_HOME", "/some/where");
    elsewhere.run(["config", "path"]).exits(0).says("/some/where/config.yaml\n");
}

#[test]
fn colours_stay_out_of_pipes() {
    for args in [&["tools", "list"][..], &["doctor"], &["tools", "show", "todo"], &["tools", "x"]] {
        let run = Sandbox::new().run(args);
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{run:#?}");
    }
}
