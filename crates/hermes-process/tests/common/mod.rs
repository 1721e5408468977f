//! What several tests need: a shell command, and a look at which processes are alive.
#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use hermes_process::Command;

/// Far more than anything here takes; only a failing test waits for it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// `sh -c script`.
pub(crate) fn sh(script: &str) -> Command {
    Command::new("sh").args(["-c", script])
}

/// The state letter and parent of a process, if it exists.
pub(crate) fn look_up(pid: u32) -> Option<(char, u32)> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = line.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// The name of a process, as `ps` shows it.
pub(crate) fn name_of(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

/// Whether a process runs. One that waits to be reaped (by init, which is not ours to hurry)
/// does not.
pub(crate) fn is_alive(pid: u32) -> bool {
    look_up(pid).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
}

/// All children of a process, dead ones included.
pub(crate) fn children_of(parent: u32) -> Vec<u32> {
    let dir = std::fs::read_dir("/proc").expect("/proc");
    dir.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| look_up(*pid).is_some_and(|(_, its_parent)| its_parent == parent))
        .collect()
}

/// How many descriptors we have open.
pub(crate) fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("/proc").count()
}

/// Waits until `condition` holds; whether it did.
pub(crate) fn eventually(condition: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// The process ids in a command's output, one to a line.
pub(crate) fn pids(output: &str) -> Vec<u32> {
    output.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Sends SIGKILL to one process.
pub(crate) fn kill_9(pid: u32) {
    let pid = nix::unistd::Pid::from_raw(pid.cast_signed());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("alive");
}
