//! Killing the program in the middle of changing a file, over and over.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Sandbox, std_command, write};

/// Kills, half of them during `write_file` and half during `patch`.
const KILLS: u64 = 500;
/// Large enough that writing takes a while.
const LINES: usize = 40_000;

fn content(word: &str) -> String {
    format!("first {word}\n") + &format!("{word}\n").repeat(LINES)
}

/// A different moment each time, from right away to well after the end of a run that takes so long.
fn moment(turn: u64, whole: Duration) -> Duration {
    const STEPS: u64 = 60_000;
    let mixed = turn.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let part = u32::try_from(mixed % STEPS).unwrap_or_default();
    whole.mul_f64(1.5 * f64::from(part) / STEPS as f64)
}

#[test]
fn a_kill_leaves_the_old_file_or_the_new_one_and_nothing_else() {
    let sandbox = Sandbox::new();
    let folder = sandbox.scratch("work");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("file.txt");
    let (old, new) = (content("old"), content("new"));
    let mut outcomes = [0_usize; 2];
    // How long a run takes depends on the machine and what else it does.
    let whole_run = json!({"path": path, "content": new}).to_string();
    let begun = Instant::now();
    sandbox.run_with_stdin(["tools", "call", "write_file", "-"], whole_run.into_bytes()).exits(0);
    let whole = begun.elapsed();
    for turn in 0..KILLS {
        write(&path, old.as_bytes());
        let (tool, args) = if turn % 2 == 0 {
            ("write_file", json!({"path": path, "content": new}))
        } else {
            let patch = json!({"path": path, "old_string": "old", "new_string": "new",
                               "replace_all": true});
            ("patch", patch)
        };
        let mut child = std_command(env!("CARGO_BIN_EXE_hermes"))
            .args(["tools", "call", tool, "-"])
            .env_clear()
            .env("HOME", sandbox.scratch("user"))
            .env("HERMES_HOME", sandbox.home())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The program may be dead before it has read everything.
        let _ = stdin.write_all(args.to_string().as_bytes());
        drop(stdin);
        std::thread::sleep(moment(turn, whole));
        let _ = child.kill();
        child.wait().unwrap();
        let present = std::fs::read_to_string(&path).unwrap();
        assert!(present == old || present == new, "kill {turn}: {} bytes", present.len());
        outcomes[usize::from(present == new)] += 1;
    }
    assert!(outcomes.iter().all(|count| *count > 0), "the kills missed the write: {outcomes:?}");
    let call = json!({"path": path, "content": "end\n"}).to_string();
    sandbox.run(["tools", "call", "write_file", call.as_str()]).exits(0);
    let left: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["file.txt"], "leftovers of killed writes are gone after the next one");
}
