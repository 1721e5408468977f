//! Stopping whole trees: at a deadline, by cancellation, by dropping the handle or the call.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::{PATIENCE, eventually, is_alive, kill_9, look_up, pids, sh};
use hermes_process::{Child, Command, End, FinishedProcess, Lifetime, ProcessError};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio_util::sync::CancellationToken;

/// Enough for the scripts below to have printed all their ids, also on a busy machine.
const DEADLINE: Duration = Duration::from_secs(1);

/// Runs a script in a directory of its own and cancels it when it has made the file `ready`.
async fn cancelled_when_ready(script: &str, grace: Duration) -> FinishedProcess {
    let dir = tempfile::tempdir().unwrap();
    let token = CancellationToken::new();
    let call = sh(script).cwd(dir.path()).grace(grace).cancel(token.clone()).run();
    let canceller = async {
        until_exists(&dir.path().join("ready")).await;
        token.cancel();
    };
    let (done, ()) = tokio::join!(call, canceller);
    let done = done.unwrap();
    assert_eq!(done.end, End::Cancelled);
    assert!(done.duration < PATIENCE);
    done
}

async fn until_exists(file: &Path) {
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// The `count` process ids printed by a script that was ended; none of them may be alive.
fn assert_dead(done: &FinishedProcess, count: usize) {
    let seen = pids(&done.stdout.text());
    assert_eq!(seen.len(), count);
    assert!(!seen.iter().any(|pid| is_alive(*pid)), "{seen:?}");
}

#[tokio::test]
async fn the_deadline_kills_grandchildren() {
    let command = sh("echo $$; sleep 600 & echo $!; wait").deadline(DEADLINE);
    let done = command.run().await.unwrap();
    assert_eq!(done.end, End::TimedOut);
    assert_dead(&done, 2);
    assert!(done.duration >= DEADLINE && done.duration < PATIENCE);
}

#[tokio::test]
async fn the_deadline_kills_who_left_the_session() {
    let command = sh("setsid sh -c 'echo $$; exec sleep 600' & wait").deadline(DEADLINE);
    let done = command.run().await.unwrap();
    assert_eq!(done.end, End::TimedOut);
    assert_dead(&done, 1);
}

#[tokio::test]
async fn a_survivor_is_still_stopped_by_its_deadline() {
    let command = sh("sleep 600 & echo $!; wait").lifetime(Lifetime::Survives);
    let done = command.deadline(DEADLINE).run().await.unwrap();
    assert_eq!(done.end, End::TimedOut);
    assert_dead(&done, 1);
}

#[tokio::test]
async fn an_endless_writer_does_not_outrun_its_deadline() {
    let command = Command::new("yes").deadline(Duration::from_millis(100));
    let done = command.run().await.unwrap();
    assert_eq!(done.end, End::TimedOut);
    assert!(done.stdout.is_truncated());
    assert!(done.duration < PATIENCE);
}

#[tokio::test]
async fn cancelling_ends_the_tree() {
    let script = "echo $$; sleep 600 & echo $!; : > ready; wait";
    assert_dead(&cancelled_when_ready(script, PATIENCE).await, 2);
}

/// A shell that hears it first hands its child on while the others are still looked for. Rare, so it is
/// tried often; who was missed is ended only after the grace.
#[tokio::test]
async fn nobody_who_changes_hands_is_left_out() {
    let script = "echo $$; sleep 600 & echo $!; : > ready; wait";
    for _ in 0..40 {
        let done = cancelled_when_ready(script, PATIENCE).await;
        assert_dead(&done, 2);
    }
}

// Promised where there is a subreaper.
#[cfg(all(target_os = "linux", not(hermes_portable)))]
#[tokio::test]
async fn daemons_orphaned_on_purpose_are_ended() {
    // Twice forked, own session, no pipe held: nothing ties it to its tree but the subreaper.
    let script = "(setsid sh -c 'echo $$; : > ready; exec sleep 600 >/dev/null 2>&1' &)
        sleep 600";
    assert_dead(&cancelled_when_ready(script, PATIENCE).await, 1);
}

#[tokio::test]
async fn an_orphan_that_stayed_in_the_session_is_ended() {
    let script = "(sh -c 'echo $$; : > ready; exec sleep 600 >/dev/null 2>&1' &)
        sleep 600";
    assert_dead(&cancelled_when_ready(script, PATIENCE).await, 1);
}

/// Without a subreaper it is remembered by the supervisor, which looks often at the beginning.
#[tokio::test]
async fn one_that_left_the_session_is_ended_also_when_its_parent_ends_later() {
    let script = "sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 600 >/dev/null 2>&1\" & sleep 2'
        : > ready
        sleep 600";
    assert_dead(&cancelled_when_ready(script, PATIENCE).await, 1);
}

#[tokio::test]
async fn who_ignores_sigterm_is_killed_after_the_grace() {
    let grace = Duration::from_millis(100);
    let begun = Instant::now();
    let script = "trap '' TERM; echo $$; : > ready; while :; do sleep 1; done";
    let done = cancelled_when_ready(script, grace).await;
    assert!(begun.elapsed() >= grace);
    assert_dead(&done, 1);
}

#[tokio::test]
async fn who_heeds_sigterm_can_say_goodbye() {
    let script = "trap 'echo bye; exit 0' TERM; : > ready; while :; do sleep 0.02; done";
    let done = cancelled_when_ready(script, PATIENCE).await;
    assert_eq!(done.stdout.text(), "bye\n");
}

#[tokio::test]
async fn stopped_processes_are_ended() {
    let script = "echo $$; sleep 600 & echo $!; kill -STOP $!; : > ready; kill -STOP $$; wait";
    assert_dead(&cancelled_when_ready(script, PATIENCE).await, 2);
}

#[tokio::test]
async fn one_that_forks_without_pause_is_ended() {
    let script = "trap '' TERM; f() { while :; do (exit) & done; }
        f & echo $!; echo $$; : > ready; f";
    let done = cancelled_when_ready(script, Duration::from_millis(50)).await;
    assert_dead(&done, 2);
}

#[tokio::test]
async fn a_command_cancelled_before_it_starts_does_not_start() {
    let dir = tempfile::tempdir().unwrap();
    let token = CancellationToken::new();
    token.cancel();
    let command = sh("echo > started").cwd(dir.path()).cancel(token);
    assert_eq!(command.run().await.unwrap().end, End::Cancelled);
    assert!(!dir.path().join("started").exists());
}

/// Starts a script and reads the one process id that it prints.
async fn started(command: Command) -> (Child, u32) {
    let mut child = command.spawn().unwrap();
    let stdout = BufReader::new(child.take_stdout().unwrap());
    let line = stdout.lines().next_line().await.unwrap().unwrap();
    (child, line.parse().unwrap())
}

#[tokio::test]
async fn killing_a_child_waits_until_its_tree_is_gone() {
    let (mut child, grandchild) = started(sh("setsid sleep 600 & echo $!; wait")).await;
    child.kill().await.unwrap();
    assert!(!is_alive(child.pid()) && !is_alive(grandchild));
    assert_eq!(End::from(child.wait().await.unwrap()), End::Signalled(9));
    child.kill().await.unwrap();
}

#[tokio::test]
async fn dropping_the_handle_ends_the_tree() {
    let (child, grandchild) = started(sh("sleep 600 & echo $!; wait")).await;
    let pid = child.pid();
    assert!(is_alive(pid) && is_alive(grandchild));
    drop(child);
    assert!(eventually(|| !is_alive(pid) && !is_alive(grandchild)));
}

#[tokio::test]
async fn dropping_the_call_ends_the_tree() {
    let dir = tempfile::tempdir().unwrap();
    let call = sh("sleep 600 & echo $! > pid; : > ready; wait").cwd(dir.path()).run();
    let ready = dir.path().join("ready");
    tokio::select! {
        _ = call => panic!("does not end by itself"),
        () = until_exists(&ready) => {}
    }
    let grandchild = std::fs::read_to_string(dir.path().join("pid")).unwrap();
    let grandchild = grandchild.trim().parse().unwrap();
    assert!(eventually(|| !is_alive(grandchild)));
}

#[tokio::test]
async fn a_program_may_survive_its_handle() {
    let command = sh("sleep 600 & echo $!; exec sleep 600").lifetime(Lifetime::Survives);
    let (child, grandchild) = started(command).await;
    let pid = child.pid();
    let (_, supervisor) = look_up(pid).unwrap();
    drop(child);
    assert!(eventually(|| !is_alive(supervisor)), "the supervisor steps aside");
    assert!(is_alive(pid) && is_alive(grandchild));
    kill_9(pid);
    kill_9(grandchild);
}

#[tokio::test]
async fn a_killed_supervisor_is_reported_and_its_group_ended() {
    let (mut child, grandchild) = started(sh("sleep 600 & echo $!; wait")).await;
    let (_, supervisor) = look_up(child.pid()).unwrap();
    kill_9(supervisor);
    let error = child.wait().await.unwrap_err();
    assert!(matches!(error, ProcessError::SupervisorLost { pid } if pid == child.pid()));
    assert!(eventually(|| !is_alive(child.pid()) && !is_alive(grandchild)));
}
