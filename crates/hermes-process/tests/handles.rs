//! What a table of background processes needs: looking, waiting and ending from several tasks, and
//! finding processes of an earlier run again.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::{Duration, Instant};

use common::{PATIENCE, eventually, is_alive, kill_9, look_up, pids, sh};
use hermes_process::{
    Child, Command, End, Lifetime, OutputMode, ProcessError, Stdin, StopMode, process_start_time,
    signal_if_same,
};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::timeout;

/// Starts a script and reads the lines it prints first.
async fn started(command: Command, lines: usize) -> (Child, Vec<u32>) {
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap()).lines();
    let mut printed = String::new();
    for _ in 0..lines {
        printed += &stdout.next_line().await.unwrap().unwrap();
        printed += "\n";
    }
    (child, pids(&printed))
}

#[tokio::test]
async fn one_task_ends_what_another_waits_for() {
    let (mut child, tree) = started(sh("echo $$; setsid sleep 600 & echo $!; wait"), 2).await;
    let handle = child.handle();
    let waiter = tokio::spawn(async move { child.wait().await });
    tokio::task::yield_now().await;
    assert_eq!(handle.try_wait().unwrap(), None);
    handle.clone().terminate(PATIENCE).await.unwrap();
    assert!(!tree.iter().any(|pid| is_alive(*pid)), "{tree:?}");
    assert_eq!(End::from(waiter.await.unwrap().unwrap()), End::Signalled(15));
    assert_eq!(handle.try_wait().unwrap().map(End::from), Some(End::Signalled(15)));
    assert!(handle.is_gone());
    // Nobody is left to hear it.
    handle.order(StopMode::Kill);
    handle.kill().await.unwrap();
}

#[tokio::test]
async fn looking_does_not_wait_and_needs_no_other_task() {
    let mut child = sh("read line; exit 3").stdin(Stdin::Piped).spawn().unwrap();
    assert_eq!(child.try_wait().unwrap(), None);
    drop(child.take_stdin());
    // Without a single `await`: the runtime gets no chance to look.
    let mut status = None;
    let begun = Instant::now();
    while status.is_none() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(2));
        status = child.try_wait().unwrap();
    }
    assert_eq!(status.map(End::from), Some(End::Exited(3)));
    assert_eq!(End::from(child.wait().await.unwrap()), End::Exited(3));
}

#[tokio::test]
async fn a_program_has_ended_though_its_descendants_have_not() {
    let (mut child, left) = started(sh("sleep 600 & echo $!; exit 4"), 1).await;
    assert_eq!(End::from(child.wait().await.unwrap()), End::Exited(4));
    let handle = child.handle();
    assert!(!handle.is_gone() && is_alive(left[0]));
    handle.order(StopMode::AskThenKill(PATIENCE));
    timeout(PATIENCE, handle.gone()).await.unwrap();
    assert!(!is_alive(left[0]));
}

#[tokio::test]
async fn asking_does_not_kill_and_can_be_followed_up() {
    let (child, tree) = started(sh("trap '' TERM; echo $$; while :; do sleep 0.05; done"), 1).await;
    let handle = child.handle();
    handle.order(StopMode::Ask);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(is_alive(tree[0]));
    handle.terminate(Duration::from_millis(20)).await.unwrap();
    assert!(!is_alive(tree[0]));
}

#[tokio::test]
async fn a_handle_keeps_nothing_alive_and_tells_how_it_ended() {
    let (child, tree) = started(sh("echo $$; exec sleep 600"), 1).await;
    let handle = child.handle();
    drop(child);
    let status = timeout(PATIENCE, handle.wait()).await.unwrap().unwrap();
    assert_eq!(End::from(status), End::Signalled(9));
    assert!(!is_alive(tree[0]));
}

#[tokio::test]
async fn a_survivor_that_was_let_go_is_not_harmed_by_its_handle() {
    let command = sh("echo $$; exec sleep 600").lifetime(Lifetime::Survives);
    let (child, tree) = started(command, 1).await;
    let handle = child.handle();
    let (_, supervisor) = look_up(tree[0]).unwrap();
    drop(child);
    let error = timeout(PATIENCE, handle.wait()).await.unwrap().unwrap_err();
    assert!(matches!(error, ProcessError::LetGo { pid } if pid == tree[0]), "{error:?}");
    assert!(eventually(|| !is_alive(supervisor)));
    handle.gone().await;
    handle.order(StopMode::Kill);
    std::thread::sleep(Duration::from_millis(20));
    assert!(is_alive(tree[0]));
    kill_9(tree[0]);
}

#[tokio::test]
async fn the_start_time_names_a_process() {
    let (mut child, _) = started(sh("echo $$; exec sleep 600"), 1).await;
    let time = child.start_time().expect("recorded");
    assert_eq!(process_start_time(child.pid()), Some(time));
    assert_eq!(child.handle().start_time(), Some(time));
    // The system has been up for longer than this program has existed.
    assert!(process_start_time(1).unwrap() < time);
    child.kill().await.unwrap();
    assert_eq!(process_start_time(child.pid()), None);
    assert_eq!(process_start_time(u32::MAX), None);
}

/// A tree that has been let go, as one finds it after a restart: the number and start time of the
/// program, and the numbers of all.
async fn left_by_an_earlier_run(script: &str, lines: usize) -> (u32, u64, Vec<u32>) {
    let command = sh(script).lifetime(Lifetime::Survives);
    let (child, tree) = started(command, lines).await;
    let (pid, time) = (child.pid(), child.start_time().unwrap());
    let (_, supervisor) = look_up(pid).unwrap();
    drop(child);
    assert!(eventually(|| !is_alive(supervisor)), "the supervisor steps aside");
    assert!(tree.iter().all(|pid| is_alive(*pid)));
    (pid, time, tree)
}

/// One child, one that is orphaned but in the session, one that left the session.
const TREE: &str = "echo $$; sleep 600 & echo $!; (sleep 600 & echo $!)
    setsid sleep 600 & echo $!; wait";

#[tokio::test]
async fn a_process_of_an_earlier_run_is_ended_with_its_tree() {
    for stop in [StopMode::Kill, StopMode::AskThenKill(PATIENCE)] {
        let (pid, time, tree) = left_by_an_earlier_run(TREE, 4).await;
        assert!(signal_if_same(pid, time, stop).await.unwrap());
        assert!(!tree.iter().any(|pid| is_alive(*pid)), "{stop:?} {tree:?}");
        assert!(!signal_if_same(pid, time, stop).await.unwrap(), "it is gone");
    }
}

#[tokio::test]
async fn one_of_an_earlier_run_that_ignores_sigterm_is_killed_after_the_grace() {
    let script = "trap '' TERM; echo $$; while :; do sleep 0.05; done";
    let (pid, time, _) = left_by_an_earlier_run(script, 1).await;
    assert!(signal_if_same(pid, time, StopMode::Ask).await.unwrap());
    std::thread::sleep(Duration::from_millis(100));
    assert!(is_alive(pid));
    let grace = Duration::from_millis(100);
    let begun = Instant::now();
    assert!(signal_if_same(pid, time, StopMode::AskThenKill(grace)).await.unwrap());
    assert!(begun.elapsed() >= grace && !is_alive(pid));
}

#[tokio::test]
async fn a_number_used_again_is_never_signalled() {
    let (pid, time, tree) = left_by_an_earlier_run(TREE, 4).await;
    for stop in [StopMode::Kill, StopMode::Ask, StopMode::AskThenKill(Duration::ZERO)] {
        // As if the process had taken over the number of one started earlier.
        assert!(!signal_if_same(pid, time - 1, stop).await.unwrap());
    }
    std::thread::sleep(Duration::from_millis(50));
    assert!(tree.iter().all(|pid| is_alive(*pid)), "{tree:?}");
    assert!(signal_if_same(pid, time, StopMode::Kill).await.unwrap());
}

#[tokio::test]
async fn errors_can_go_to_a_file_while_output_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("errors");
    let file = std::fs::File::create(&path).unwrap();
    let command = sh("read line; echo \"out $line\"; echo \"err $line\" >&2");
    let command = command.stdin(Stdin::Piped).output(OutputMode::ErrorsToFile(file));
    let mut child = command.spawn().unwrap();
    assert!(child.take_stderr().is_none());
    let mut stdin = child.take_stdin().unwrap();
    stdin.write_all(b"1\n").await.unwrap();
    let mut stdout = BufReader::new(child.take_stdout().unwrap()).lines();
    assert_eq!(stdout.next_line().await.unwrap().as_deref(), Some("out 1"));
    assert_eq!(stdout.next_line().await.unwrap(), None);
    child.wait().await.unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "err 1\n");
}
