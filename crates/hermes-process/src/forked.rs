//! The few things that forked processes of ours do to get clear of the process they are copies of.
//!
//! All of it keeps to what is allowed after `fork` in a process that had many threads: system
//! calls and arithmetic. Any lock, the allocator's above all, may have been held by a thread that
//! does not exist in the copy. So: no allocation, no logging, no panic.

use std::os::fd::{AsRawFd as _, BorrowedFd};

use nix::libc;
use nix::sys::signal::SigSet;

use crate::system;

/// Most descriptors closed one by one where the kernel cannot close a range (before Linux 5.9) nor say which
/// are open, and no lower limit is set.
const MAX_CLOSED_SINGLY: libc::rlim_t = 1 << 20;

/// Ends the process at once.
pub(crate) fn exit() -> ! {
    // SAFETY: runs no destructors and no exit handlers, which belong to the original.
    unsafe { libc::_exit(0) }
}

/// Makes the process deaf to signals (but SIGKILL) and forgets the original's handlers.
pub(crate) fn shut_out_signals() -> nix::Result<()> {
    SigSet::all().thread_set_mask()?;
    for signal in 1..=system::last_signal() {
        set_disposition(signal, libc::SIG_DFL);
    }
    Ok(())
}

/// Sets how a signal is handled. Cannot fail but for SIGKILL, SIGSTOP and the numbers that the C
/// library keeps for itself, all of which are fine as they are.
pub(crate) fn set_disposition(signal: libc::c_int, to: libc::sighandler_t) {
    // SAFETY: the callers pass SIG_DFL or SIG_IGN, which refer to no code or memory.
    unsafe { libc::signal(signal, to) };
}

/// Closes every descriptor but one. Nothing else in the process may be used that owns one.
pub(crate) fn close_all_but(keep: BorrowedFd<'_>) {
    let keep = keep.as_raw_fd().cast_unsigned();
    let below = keep.checked_sub(1).is_none_or(|last| system::close_range(0, last));
    if !(below && system::close_range(keep.saturating_add(1), libc::c_uint::MAX)) {
        for fd in (0..descriptor_limit()).filter(|fd| *fd != keep.cast_signed()) {
            // SAFETY: as the function's contract says, nobody uses them any more.
            unsafe { libc::close(fd) };
        }
    }
}

/// The number that no open descriptor reaches.
fn descriptor_limit() -> libc::c_int {
    let mut limit = libc::rlimit { rlim_cur: MAX_CLOSED_SINGLY, rlim_max: 0 };
    // SAFETY: writes the structure or leaves it alone.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    limit.rlim_cur.min(MAX_CLOSED_SINGLY).try_into().unwrap_or(libc::c_int::MAX)
}
