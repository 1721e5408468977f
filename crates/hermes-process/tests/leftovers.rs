//! What is still running when the program itself has ended.

mod common;

use std::time::{Duration, Instant};

use common::{eventually, is_alive, kill_9, pids, sh};
use hermes_process::{End, Leftovers, OutputMode};

/// Bounds of the calls below, far above the time they are to take.
const BOUNDED: Duration = Duration::from_secs(10);

#[tokio::test]
async fn one_that_holds_the_pipe_does_not_hold_the_call() {
    let begun = Instant::now();
    let command = sh("sleep 600 & echo $!").output(OutputMode::Merged);
    let done = command.run().await.unwrap();
    assert_eq!(done.end, End::Exited(0));
    assert!(begun.elapsed() < BOUNDED, "{:?}", begun.elapsed());
    assert!(!is_alive(pids(&done.stdout.text())[0]), "it is killed");
}

#[tokio::test]
async fn one_that_never_stops_writing_does_not_hold_the_call() {
    let begun = Instant::now();
    let done = sh("yes & exit 3").run().await.unwrap();
    assert_eq!(done.end, End::Exited(3));
    assert!(begun.elapsed() < BOUNDED, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn what_is_written_late_is_still_read() {
    let done = sh("(sleep 0.05; echo late) & echo early").run().await.unwrap();
    assert_eq!(done.stdout.text(), "early\nlate\n");
}

#[tokio::test]
async fn they_run_on_if_asked_for() {
    let command = sh("sleep 600 >/dev/null 2>&1 & echo $!").leftovers(Leftovers::Keep);
    let done = command.run().await.unwrap();
    assert_eq!(done.end, End::Exited(0));
    let left = pids(&done.stdout.text())[0];
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(is_alive(left));
    kill_9(left);
    assert!(eventually(|| common::look_up(left).is_none()), "its supervisor has reaped it");
}

#[tokio::test]
async fn a_pipe_still_held_does_not_hold_a_call_that_keeps_them() {
    let begun = Instant::now();
    let command = sh("sleep 600 & echo $!").leftovers(Leftovers::Keep);
    let done = command.run().await.unwrap();
    assert!(begun.elapsed() < BOUNDED, "{:?}", begun.elapsed());
    let left = pids(&done.stdout.text())[0];
    assert!(is_alive(left));
    kill_9(left);
}
