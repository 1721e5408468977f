//! Signals by number.

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::processes::{self, Process};

/// The highest number that a signal has.
pub(crate) fn last_signal() -> libc::c_int {
    #[cfg(target_os = "linux")]
    return libc::SIGRTMAX();
    #[cfg(not(target_os = "linux"))]
    return libc::SIGUSR2;
}

/// Signals this process, if the number is still its own a moment before.
pub(crate) fn signal_exactly(process: &Process, signal: Signal) {
    let now = processes::look_up(process.pid);
    if now.is_some_and(|now| now.start_time == process.start_time) {
        let _ = kill(Pid::from_raw(process.pid), signal);
    }
}
