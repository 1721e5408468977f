//! One dashboard a home: which process it is, and how it is ended.

use std::fs;
use std::path::Path;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::lock::{FileLock, LockError, Wait, lock_path};
use serde_json::{Value, json};

/// Says where it is. The lock beside it is held for as long as a dashboard runs.
const STATE_FILE: &str = "dashboard.json";

/// A dashboard that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunningDashboard {
    pub(crate) pid: u32,
    pub(crate) address: String,
}

/// Takes the place of the dashboard of a home.
pub(crate) fn take_place(root: &Path) -> Result<FileLock, LockError> {
    FileLock::acquire(&lock_path(&root.join(STATE_FILE)), Wait::Never)
}

/// Says where it is now.
pub(crate) fn announce(root: &Path, address: &str) -> Result<(), atomic::AtomicError> {
    let state = json!({"pid": std::process::id(), "address": address});
    atomic::write(&root.join(STATE_FILE), state.to_string().as_bytes(), WriteOptions::SECRET)
}

/// The one that runs in a home.
pub(crate) fn running(root: &Path) -> Option<RunningDashboard> {
    let text = fs::read(root.join(STATE_FILE)).ok()?;
    let known: Value = serde_json::from_slice(&text).ok()?;
    // Whoever can take the lock finds that nobody runs, whatever the file says.
    if take_place(root).is_ok() {
        return None;
    }
    let pid = u32::try_from(known["pid"].as_u64()?).ok()?;
    Some(RunningDashboard { pid, address: known["address"].as_str()?.to_owned() })
}

/// Asks it to end.
pub(crate) fn end(one: &RunningDashboard) -> bool {
    let Ok(pid) = i32::try_from(one.pid) else { return false };
    let process = nix::unistd::Pid::from_raw(pid);
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).is_ok()
}
