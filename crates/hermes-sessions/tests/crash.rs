//! Processes that die at any moment, and processes that write at the same time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use hermes_process::{Child, Command, OutputMode, OutputPipe};
use hermes_sessions::SessionDatabase;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::runtime::Runtime;

/// Where the programs are waited for.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// How often a process is killed.
const KILLS: u64 = 120;
/// Appends of each of two processes.
const APPENDS: usize = 10_000;
/// Latest moment of a kill, in microseconds from the start of the process.
const LATEST: u64 = 60_000;

fn appender(database: &Path, session: &str, count: usize) -> (Child, BufReader<OutputPipe>) {
    let _in_runtime = RUNTIME.enter();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hermes-sessions-appender"))
        .arg(database.as_os_str())
        .args([session, &count.to_string()])
        .output(OutputMode::Separate)
        .spawn()
        .unwrap();
    let said = BufReader::new(child.take_stdout().unwrap());
    (child, said)
}

fn next_line(said: &mut BufReader<OutputPipe>) -> Option<usize> {
    let mut line = String::new();
    RUNTIME.block_on(said.read_line(&mut line)).unwrap();
    line.trim().parse().ok()
}

fn all_lines(mut said: BufReader<OutputPipe>) -> Vec<usize> {
    let mut text = String::new();
    RUNTIME.block_on(said.read_to_string(&mut text)).unwrap();
    // The last line may have been cut short by the kill.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Moments spread over the range, the same in every run.
fn moment(round: u64) -> Duration {
    Duration::from_micros(round.wrapping_mul(0x9e37_79b9_7f4a_7c15) % LATEST)
}

fn numbers(store: &SessionDatabase, session: &str) -> Vec<usize> {
    let text = |row: hermes_sessions::MessageRow| row.content.unwrap().text().parse().unwrap();
    store.messages(session).unwrap().into_iter().map(text).collect()
}

#[test]
fn a_killed_process_loses_nothing_it_was_told_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("state.db");
    let mut kept = 0;
    for round in 0..KILLS {
        let session = format!("s{round}");
        let (mut child, mut said) = appender(&database, &session, usize::MAX);
        // Every other process is caught in the middle of its work, the others also at its start.
        let first = if round % 2 == 0 { next_line(&mut said) } else { None };
        std::thread::sleep(moment(round) / if round % 2 == 0 { 4 } else { 1 });
        kill(Pid::from_raw(child.pid().cast_signed()), Signal::SIGKILL).unwrap();
        RUNTIME.block_on(child.wait()).unwrap();
        let last = all_lines(said).last().copied().or(first);
        // The next start reads what the last one left behind.
        let store = SessionDatabase::at(&database);
        let stored = numbers(&store, &session);
        let told: usize = last.unwrap_or_default();
        assert!(stored.len() == told || stored.len() == told + 1, "{} of {told}", stored.len());
        assert!(stored.iter().copied().eq(1..=stored.len()), "round {round}");
        if let Some(row) = store.get(&session).unwrap() {
            assert_eq!(usize::try_from(row.message_count).unwrap(), stored.len());
        }
        assert_eq!(store.check().unwrap(), [""; 0], "round {round}");
        kept += stored.len();
    }
    assert!(kept > 0, "no process ever got to its work");
}

#[test]
fn two_processes_write_at_once_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("state.db");
    let children = ["a", "b"].map(|session| appender(&database, session, APPENDS));
    for (mut child, said) in children {
        assert_eq!(all_lines(said).len(), APPENDS);
        assert!(RUNTIME.block_on(child.wait()).unwrap().success());
    }
    let store = SessionDatabase::at(&database);
    for session in ["a", "b"] {
        assert!(numbers(&store, session).into_iter().eq(1..=APPENDS), "{session}");
    }
    assert_eq!(store.check().unwrap(), [""; 0]);
}
