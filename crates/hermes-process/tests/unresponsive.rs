//! Helper processes that cannot do their work: whoever asked for a program gets an answer all the
//! same, within its deadline. In a binary of its own, as the helpers are shared by all its programs.

#![expect(clippy::result_large_err, reason = "an error of starting a program names the program")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(unsafe_code, reason = "the limits of another process can be set in no other way")]

mod common;

use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use common::{PATIENCE, children_of, eventually, is_alive, kill_9, name_of, sh};
use hermes_process::{Command, End, FinishedProcess, ProcessError, prepare};
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Time given to each program here; what is not waited for in vain takes milliseconds.
const DEADLINE: Duration = Duration::from_secs(2);

/// The helpers are the same for all tests of a process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs a command on a thread of its own: a call that hangs fails the test instead of stopping it.
fn answer(command: Command) -> Result<FinishedProcess, ProcessError> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(command.deadline(DEADLINE).run_blocking()));
    receiver.recv_timeout(PATIENCE).expect("an answer, whatever it is")
}

/// The fork server and the supervisor that waits for the next request.
fn helpers() -> (u32, u32) {
    prepare().unwrap();
    let named = |parent: u32, name: &str| {
        children_of(parent).into_iter().find(|pid| is_alive(*pid) && name_of(*pid) == name)
    };
    let mut found = None;
    let there = || {
        let fork_server = named(std::process::id(), "hermes-forksrv")?;
        Some((fork_server, named(fork_server, "hermes-standby")?))
    };
    let begun = Instant::now();
    while found.is_none() && begun.elapsed() < PATIENCE {
        found = there();
    }
    found.expect("both run")
}

/// Sets how many descriptors a process may have open.
fn limit_descriptors(pid: u32, limit: u64) {
    let mut limits = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let pid = pid.cast_signed();
    // SAFETY: reads and writes the structure.
    unsafe {
        assert_eq!(libc::prlimit(pid, libc::RLIMIT_NOFILE, std::ptr::null(), &raw mut limits), 0);
        limits.rlim_cur = limit;
        assert_eq!(
            libc::prlimit(pid, libc::RLIMIT_NOFILE, &raw const limits, std::ptr::null_mut()),
            0
        );
    }
}

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid.cast_signed()), signal).unwrap();
}

/// With a limit of ten in the fork server, nobody answered at all: part of a request's descriptors
/// were received and kept open, its control socket among them, and its maker waited for the end of
/// it.
#[test]
fn a_helper_out_of_descriptors_answers() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(answer(sh("exit 3")).unwrap().end, End::Exited(3));
    let (mut exhausted, mut enough) = (0, 0);
    for limit in (4..=16).chain([10]) {
        let (fork_server, standby) = helpers();
        for helper in [fork_server, standby] {
            limit_descriptors(helper, limit);
        }
        let begun = Instant::now();
        let result = answer(sh("exit 3"));
        assert!(begun.elapsed() < DEADLINE, "limit {limit}: {:?}", begun.elapsed());
        match result {
            Ok(done) => {
                enough += 1;
                assert_eq!(done.end, End::Exited(3));
            }
            Err(error) => {
                let told = matches!(
                    error,
                    ProcessError::ForkServerExhausted { .. } | ProcessError::RequestDropped { .. }
                );
                assert!(told, "limit {limit}: {error:?}");
                assert!(error.to_string().contains("ulimit -n"), "{error}");
                exhausted += usize::from(matches!(error, ProcessError::ForkServerExhausted { .. }));
            }
        }
        // The same helpers serve on when there is room again.
        let (fork_server, standby) = helpers();
        for helper in [fork_server, standby] {
            limit_descriptors(helper, 64);
        }
        assert_eq!(answer(sh("exit 4")).unwrap().end, End::Exited(4), "after limit {limit}");
        assert_eq!(helpers().0, fork_server);
    }
    assert!(exhausted >= 4 && enough >= 3, "{exhausted} told, {enough} started");
}

/// The wait for the first word about a program had no end.
#[test]
fn helpers_that_stand_still_are_replaced_and_what_they_were_asked_for_never_runs() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let (fork_server, standby) = helpers();
    for helper in [fork_server, standby] {
        signal(helper, Signal::SIGSTOP);
    }
    let begun = Instant::now();
    let error = answer(sh("echo ran > \"$TRACE\"").env("TRACE", &trace)).unwrap_err();
    assert!(matches!(error, ProcessError::NotTakenUp { .. }), "{error:?}");
    assert!(error.to_string().contains("not started, try again"), "{error}");
    assert!(begun.elapsed() < DEADLINE * 3, "{:?}", begun.elapsed());

    assert_eq!(answer(sh("exit 5")).unwrap().end, End::Exited(5), "others serve");
    assert_ne!(helpers().0, fork_server);
    // Now it finds the request, and that it is withdrawn.
    signal(standby, Signal::SIGCONT);
    assert!(eventually(|| !is_alive(standby)), "it has nobody to wait for");
    assert!(!trace.exists());
}

/// A request that nobody took was reported as one that may have run.
#[test]
fn helpers_that_are_killed_with_a_request_unread_are_replaced_unnoticed() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let (fork_server, standby) = helpers();
    for helper in [fork_server, standby] {
        signal(helper, Signal::SIGSTOP);
    }
    let waiting = thread::spawn(|| answer(sh("exit 6")));
    thread::sleep(Duration::from_millis(100));
    kill_9(fork_server);
    kill_9(standby);
    assert_eq!(waiting.join().unwrap().unwrap().end, End::Exited(6));
}
