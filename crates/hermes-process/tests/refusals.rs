//! Programs that cannot be started: each with an error of its own that says what to check.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use common::sh;
use hermes_process::{Command, ProcessError};

fn file(dir: &Path, name: &str, content: &str, mode: u32) -> PathBuf {
    let path = dir.join(name);
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(content.as_bytes()).unwrap();
    file.set_permissions(Permissions::from_mode(mode)).unwrap();
    path
}

async fn refusal(command: Command) -> ProcessError {
    command.run().await.map(|done| done.end).expect_err("must not start")
}

#[tokio::test]
async fn an_unknown_program_is_named_with_where_it_was_sought() {
    let error = refusal(Command::new("no-such-program").env("PATH", "/usr/bin:/bin")).await;
    assert!(matches!(error, ProcessError::NotFound { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("`no-such-program`") && text.contains("/usr/bin:/bin"), "{text}");

    let error = refusal(Command::new("/no/such/program")).await;
    assert!(matches!(&error, ProcessError::NotFound { searched, .. } if searched == "/no/such"));
}

#[tokio::test]
async fn a_missing_directory_is_not_mistaken_for_a_missing_program() {
    let dir = tempfile::tempdir().unwrap();
    let plain = file(dir.path(), "plain", "", 0o644);
    for cwd in [dir.path().join("gone"), plain] {
        let error = refusal(sh("true").cwd(&cwd)).await;
        assert!(
            matches!(&error, ProcessError::WorkingDirectory { cwd: named, .. } if *named == cwd),
            "{error:?}"
        );
        assert!(error.to_string().contains("working directory"), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_may_not_be_executed_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let plain = file(dir.path(), "plain", "#!/bin/sh\n", 0o644);
    for program in [plain.as_path(), dir.path()] {
        let error = refusal(Command::new(program)).await;
        assert!(matches!(error, ProcessError::NotExecutable { .. }), "{error:?}");
    }
    let by_name = Command::new("plain").env("PATH", dir.path());
    assert!(matches!(refusal(by_name).await, ProcessError::NotExecutable { .. }));
}

#[tokio::test]
async fn a_script_without_its_interpreter_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let script = file(dir.path(), "script", "#!/no/such/interpreter\n", 0o755);
    let error = refusal(Command::new(&script)).await;
    assert!(
        matches!(&error, ProcessError::InterpreterMissing { path } if *path == script),
        "{error:?}"
    );
}

#[tokio::test]
async fn text_that_cannot_be_passed_is_refused() {
    for command in [
        Command::new(""),
        Command::new("sh\0"),
        sh("true").arg("a\0b"),
        sh("true").env("A=B", "x"),
        sh("true").env("A", "x\0y"),
    ] {
        let error = refusal(command).await;
        assert!(matches!(error, ProcessError::InvalidText { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn too_much_text_is_refused() {
    let error = refusal(sh("true").arg("x".repeat(8 << 20))).await;
    assert!(matches!(error, ProcessError::TooLong { .. }), "{error:?}");
}

/// Other threads fork all the time; their children hold our freshly written script open for
/// writing until they `exec`, and the kernel refuses to run it meanwhile ("text file busy").
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_just_written_runs() {
    let dir = tempfile::tempdir().unwrap();
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let dir = dir.path().to_owned();
            tokio::spawn(async move {
                let script = file(&dir, &n.to_string(), "#!/bin/sh\necho ran\n", 0o755);
                Command::new(script).run().await
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap().stdout.text(), "ran\n");
    }
}
