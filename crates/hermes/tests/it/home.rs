//! One home: whatever names it (`HERMES_HOME`, `~` in it, `--profile`), all parts mean the same folder.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, write};

const SECRET: &str = r#"{"token": "keep-me-to-yourself"}"#;

/// A home with two profiles, each with state of its own.
fn with_profiles(config: &str) -> Sandbox {
    let sandbox = Sandbox::with_config("");
    for home in homes(&sandbox) {
        std::fs::create_dir_all(&home).unwrap();
        write(&home.join("auth.json"), SECRET.as_bytes());
        write(&home.join("state.db"), b"");
    }
    write(&sandbox.path("profiles/work/config.yaml"), config.as_bytes());
    sandbox
}

fn homes(sandbox: &Sandbox) -> [PathBuf; 3] {
    [sandbox.home(), sandbox.path("profiles/work"), sandbox.path("profiles/other")]
}

fn call(sandbox: &Sandbox, before: &[&str], tool: &str, args: &Value) -> Run {
    let args = args.to_string();
    let words = before.iter().copied().chain(["tools", "call", tool, args.as_str()]);
    sandbox.run(words)
}

fn refuses_to_read(sandbox: &Sandbox, before: &[&str], file: &Path) {
    let run = call(sandbox, before, "read_file", &json!({"path": file})).exits(1);
    assert!(!run.out.contains("keep-me"), "{}: {run:#?}", file.display());
    assert!(run.out.contains("credentials"), "{}: {run:#?}", file.display());
}

/// `-p work` had the rules guard the default home: the profile's own tokens could be read.
#[test]
fn a_profiles_own_tokens_are_not_read() {
    let sandbox = with_profiles("");
    for home in homes(&sandbox) {
        refuses_to_read(&sandbox, &["-p", "work"], &home.join("auth.json"));
        refuses_to_read(&sandbox, &[], &home.join("auth.json"));
    }
}

/// `-p work` let `write_file` replace the database of the profile it ran in.
#[test]
fn a_profiles_own_database_is_not_written() {
    let sandbox = with_profiles("");
    for before in [&["-p", "work"][..], &[]] {
        for home in homes(&sandbox) {
            let file = home.join("state.db");
            call(&sandbox, before, "write_file", &json!({"path": file, "content": "x"})).exits(1);
            assert_eq!(std::fs::read(&file).unwrap(), b"", "{}", file.display());
        }
    }
}

/// Checkpoints of a profile were written to the default home, where `checkpoints list` did not look.
#[test]
fn a_profiles_checkpoints_are_listed_where_they_are_taken() {
    let sandbox = with_profiles("checkpoints:\n  enabled: true\n");
    let project = sandbox.scratch("project");
    std::fs::create_dir_all(&project).unwrap();
    write(&project.join("Makefile"), b"all:\n");
    let file = project.join("a.txt");
    call(&sandbox, &["-p", "work"], "write_file", &json!({"path": file, "content": "x"})).exits(0);
    let dir = project.to_str().unwrap();
    let list = ["-p", "work", "checkpoints", "list", "--dir", dir, "--json"];
    let listed = sandbox.run(list).exits(0).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    assert!(!sandbox.path("checkpoints").exists());
}

/// Whether a tool is there was read from the default home's settings.
#[test]
fn availability_is_that_of_the_profiles_settings() {
    let sandbox = with_profiles("terminal:\n  backend: ssh\n");
    let terminal = |before: &[&str]| {
        let words = before.iter().copied().chain(["tools", "show", "terminal"]);
        sandbox.run(words).exits(0).out
    };
    let of_profile = terminal(&["-p", "work"]);
    assert!(of_profile.contains("ssh_host"), "{of_profile}");
    let of_default = terminal(&[]);
    assert!(!of_default.contains("ssh_host"), "{of_default}");
}

/// `HERMES_HOME='~/h'` was understood by the host and taken literally by the path rules.
#[test]
fn a_tilde_in_the_homes_name_protects_the_same_home() {
    let sandbox = Sandbox::new().var("HERMES_HOME", "~/h");
    let home = sandbox.scratch("user/h");
    std::fs::create_dir_all(&home).unwrap();
    write(&home.join("auth.json"), SECRET.as_bytes());
    refuses_to_read(&sandbox, &[], &home.join("auth.json"));
}

/// A relative name meant another folder wherever it was used from another directory.
#[test]
fn a_relative_home_protects_the_same_home() {
    let sandbox = Sandbox::new().var("HERMES_HOME", "here/h");
    let home = sandbox.scratch("here/h");
    std::fs::create_dir_all(&home).unwrap();
    write(&home.join("auth.json"), SECRET.as_bytes());
    refuses_to_read(&sandbox, &[], &home.join("auth.json"));
}

/// Programs that commands start find the state folder of the profile they were started from.
#[test]
fn commands_see_the_home_that_is_in_force() {
    let sandbox = with_profiles("");
    let seen = |before: &[&str]| {
        let run = call(&sandbox, before, "terminal", &json!({"command": "echo $HERMES_HOME"}));
        run.exits(0).json()["output"].as_str().unwrap().trim().to_owned()
    };
    assert_eq!(seen(&["-p", "work"]), sandbox.path("profiles/work").display().to_string());
    assert_eq!(seen(&[]), sandbox.home().display().to_string());
}
