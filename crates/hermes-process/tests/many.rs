//! A thousand programs at a time: memory and descriptors stay within bounds. In a binary of its
//! own, to be measured alone.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{eventually, open_descriptors, sh};
use hermes_process::{End, OutputMode};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use tokio::task::JoinSet;

/// Programs at a time.
const MANY: usize = 1_000;
/// Memory, in kibibytes, that one more running call may cost us.
const KIB_PER_CALL: usize = 64;

/// What `/proc/self/status` says of our memory.
fn resident_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_at_a_time_complete_within_bounds() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).unwrap();
    sh("true").run().await.unwrap();
    let (memory, descriptors) = (resident_kib(), open_descriptors());
    let dir = tempfile::tempdir().unwrap();
    let gate = dir.path().join("gate");
    mkfifo(&gate, Mode::S_IRWXU).unwrap();
    let arrived = Arc::new(AtomicUsize::new(0));
    let mut calls = JoinSet::new();
    for number in 0..MANY {
        let arrived = Arc::clone(&arrived);
        // All wait at the gate, so that all run at the same time.
        let command = sh("read number; echo $number; read line < \"$GATE\"; echo x")
            .env("GATE", &gate)
            .stdin_bytes(format!("{number}\n"))
            .output(OutputMode::Merged)
            .on_output(Arc::new(move |_| {
                arrived.fetch_add(1, Ordering::Relaxed);
            }));
        calls.spawn(async move { (number, command.run().await) });
    }
    let all_at_once = eventually(|| arrived.load(Ordering::Relaxed) >= MANY);
    let (grown, opened) = (resident_kib().saturating_sub(memory), open_descriptors());
    assert!(all_at_once, "{arrived:?} of {MANY}");

    let mut opener = std::fs::File::options().read(true).write(true).open(&gate).unwrap();
    opener.write_all(&[b'\n'; MANY]).unwrap();
    while let Some(done) = calls.join_next().await {
        let (number, done) = done.unwrap();
        let done = done.unwrap();
        assert_eq!(done.end, End::Exited(0));
        assert_eq!(done.stdout.text(), format!("{number}\nx\n"));
    }
    drop(opener);
    assert!(grown < MANY * KIB_PER_CALL, "{grown} KiB more memory");
    // A line and a pipe each.
    assert!(opened <= descriptors + 2 * MANY, "{opened} descriptors");
    assert!(eventually(|| open_descriptors() <= descriptors), "none is left open");
}
