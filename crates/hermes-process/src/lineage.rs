//! Whether this process descends from a program that a Hermes has started.
//!
//! There are two marks, and either is enough.
//!
//! * Every supervisor gives up a *resource limit* before it starts its program: the hard limit of
//!   file locks becomes zero. Kernels since 2.4 enforce nothing by it, so nobody misses it. A hard
//!   limit is inherited by every descendant, through `exec`, `setsid`, double forks, an emptied
//!   environment and closed descriptors, and nobody may raise it again but who has the right to
//!   (`CAP_SYS_RESOURCE`: root, though not root in an ordinary container). It stays when the
//!   supervisor is killed.
//! * A *supervisor among our ancestors*, by the name it gives itself. A program that takes on this
//!   name gains nothing but being marked; none can take the name from a supervisor. This also finds
//!   what root started, as long as it stays below: a subreaper loses nobody.
//!
//! What is not found: work handed to a process that was there before (a daemon that runs jobs, a
//! terminal of the user), and other machines and containers, which have a Hermes of their own.

use nix::libc;

use crate::processes;

/// The name of a supervisor, as `ps` shows it.
pub(crate) const SUPERVISOR: &std::ffi::CStr = c"hermes-superv";

/// Marks this process and all that descend from it. Only system calls: supervisors do it.
pub(crate) fn mark() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: reads the structure. It cannot fail: lowering a limit is always allowed.
    unsafe { libc::setrlimit(libc::RLIMIT_LOCKS, &raw const none) };
}

/// Whether a program that a Hermes has started, a command of a model above all, is an ancestor of
/// this process. Who is told so should do nothing that loosens a rule: it may be the model that asks.
///
/// Programs in the foreground of a person ([`Command::run_in_foreground`](crate::Command)) are not
/// counted.
#[must_use]
pub fn descends_from_own_command() -> bool {
    is_marked() || processes::has_ancestor_named(SUPERVISOR.to_bytes())
}

fn is_marked() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
    // SAFETY: writes the structure or leaves it alone.
    unsafe { libc::getrlimit(libc::RLIMIT_LOCKS, &raw mut limit) };
    limit.rlim_max == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;

    #[test]
    fn what_we_start_carries_the_mark_and_we_do_not() {
        let done = Command::new("cat").args(["/proc/self/limits"]).run_blocking().unwrap();
        let limits = done.stdout.text();
        let locks = limits.lines().find(|line| line.starts_with("Max file locks")).unwrap();
        assert_eq!(locks.split_whitespace().nth(3), Some("0"), "{locks}");
        assert_eq!(locks.split_whitespace().nth(4), Some("0"), "the hard limit: {locks}");
    }

    #[test]
    fn an_ancestor_is_found_by_its_name() {
        let own = processes::look_up(nix::unistd::getppid().as_raw()).unwrap();
        let name = std::fs::read_to_string(format!("/proc/{}/comm", own.pid)).unwrap();
        assert!(processes::has_ancestor_named(name.trim_end().as_bytes()));
        assert!(!processes::has_ancestor_named(b"no such name"));
    }
}
