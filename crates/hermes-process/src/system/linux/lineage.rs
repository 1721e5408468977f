//! The marks of what we start, see the module `lineage` of the crate.

use nix::libc;

use crate::native::SUPERVISOR;
use crate::processes;

/// Marks this process and all that descend from it.
pub(crate) fn mark() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: reads the structure. It cannot fail: lowering a limit is always allowed.
    unsafe { libc::setrlimit(libc::RLIMIT_LOCKS, &raw const none) };
}

/// Whether this process carries the mark, or stands below a supervisor.
pub(crate) fn descends_from_marked() -> bool {
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
