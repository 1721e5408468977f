//! The real environments tests run commands in, and what all such tests need.
#![allow(dead_code, reason = "every test program uses a part of it")]
#![allow(clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::time::Duration;

use hermes_approval::{ApprovalSettings, Approvals, CommandRequest};
use hermes_exec::{
    Backend, ClientInput, Environment, ExecEnd, ExecOptions, ExecResult, ShellCall, ShellKind,
    Variables,
};
use hermes_process::{Command, FinishedProcess, Leftovers};
use hermes_tool::Vars;
use tokio::io::AsyncBufReadExt as _;

pub(crate) mod backends;

/// The client that runs a script in an environment.
pub(crate) fn client(place: &dyn Backend, script: &str, input: ClientInput) -> Command {
    place.client(&ShellCall {
        script,
        shell: ShellKind::Plain,
        variables: Variables::Inherited,
        granted: &[],
        input,
        tag: "test".to_owned(),
    })
}

/// Runs a script without input and returns what came of it.
pub(crate) async fn run(place: &dyn Backend, script: &str) -> FinishedProcess {
    let client = client(place, script, ClientInput::None).deadline(Duration::from_secs(60));
    client.run().await.expect("a run")
}

/// What a script that must succeed wrote.
pub(crate) async fn output(place: &dyn Backend, script: &str) -> String {
    let done = run(place, script).await;
    assert!(done.success(), "{script}: {:?} {}", done.end, done.stderr.text());
    done.stdout.text().trim_end().to_owned()
}

/// Waits until something holds, within bounds.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not within 30 s: {what}");
}

/// Processes with all these texts in their command lines.
pub(crate) fn processes_with(texts: &[&str]) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let numbered = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbered
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            texts.iter().all(|text| line.contains(text))
        })
        .collect()
}

/// Ends a process as nothing can be done about.
pub(crate) fn kill(pid: i32) {
    let pid = nix::unistd::Pid::from_raw(pid);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("a process to kill");
}

/// Runs a program that starts such an environment in a folder, kills it when the environment is
/// there, and returns what the program had to say about it.
pub(crate) async fn killed_while_holding(place: &str, folder: &Path) -> String {
    killed_with(place, folder, &[]).await
}

/// The same with further variables.
pub(crate) async fn killed_with(
    place: &str,
    folder: &Path,
    variables: &[(String, String)],
) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hermes-exec-holds-a-backend"))
        .arg(place)
        .arg(folder)
        .envs(Vars::from_process().overlaid(variables.iter().cloned()).iter())
        .leftovers(Leftovers::Keep)
        .spawn()
        .expect("a program");
    let mut lines = tokio::io::BufReader::new(child.take_stdout().expect("its output")).lines();
    let held = lines.next_line().await.expect("a line").expect("the place has started");
    kill(i32::try_from(child.pid()).expect("a pid"));
    child.release();
    held
}

/// Runs a command in a session as the terminal would.
pub(crate) async fn execute(
    environment: &Environment,
    command: &str,
    how: ExecOptions,
) -> ExecResult {
    let approvals =
        Approvals::builder(ApprovalSettings { yolo: true, ..ApprovalSettings::default() }).build();
    let target = environment.backend().target();
    let line = approvals.admit(CommandRequest { target, ..CommandRequest::new(command) }).await;
    environment.execute(&line.expect("approval"), how).await.expect("a run")
}

/// What a command wrote in a session.
pub(crate) async fn said(environment: &Environment, command: &str) -> String {
    execute(environment, command, ExecOptions::default()).await.output.trim_end().to_owned()
}

/// A command that takes too long is ended where it runs, not only here.
pub(crate) async fn a_late_command_is_ended(environment: &Environment) {
    // A time that nobody else sleeps for.
    let sleep = format!("sleep 86399.{}", std::process::id());
    let how = ExecOptions { timeout: Duration::from_secs(2), ..ExecOptions::default() };
    let ran = execute(environment, &format!("{sleep} & {sleep}"), how).await;
    assert_eq!(ran.ending, ExecEnd::TimedOut);
    let lines = "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; echo; done 2>/dev/null";
    let left = said(environment, &format!("{{ {lines}; }} | grep '^{sleep}'")).await;
    assert_eq!(left, "");
}
