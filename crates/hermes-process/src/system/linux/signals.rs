//! Signals to exactly one process: a descriptor holds it while it is looked at.

use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::processes::{self, Process};

/// The highest number that a signal has.
pub(crate) fn last_signal() -> libc::c_int {
    libc::SIGRTMAX()
}

/// Signals exactly this process, or nobody.
pub(crate) fn signal_exactly(process: &Process, signal: Signal) {
    let same = || {
        let now = processes::look_up(process.pid);
        now.is_some_and(|now| now.start_time == process.start_time)
    };
    // SAFETY: takes integers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, process.pid, 0) };
    match Errno::result(fd) {
        Ok(fd) => {
            let Ok(fd) = i32::try_from(fd) else { return };
            // SAFETY: the kernel has just made this descriptor for us.
            let fd = unsafe { OwnedFd::from_raw_fd(fd) };
            // The descriptor means whoever had the number when it was opened: now or never.
            if same() {
                let no_info = std::ptr::null::<libc::siginfo_t>();
                let (fd, signal) = (fd.as_raw_fd(), signal as libc::c_int);
                // SAFETY: takes integers and a null pointer, which it allows for.
                unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, no_info, 0) };
            }
        }
        // Before Linux 5.3: the number has to do, right after a look.
        Err(Errno::ENOSYS) if same() => {
            let _ = kill(Pid::from_raw(process.pid), signal);
        }
        Err(_) => {}
    }
}
