//! The mark of what we start, see the module `lineage` of the crate.

use nix::libc;

/// Larger than any file, and not without limit.
const LARGEST_FILE: libc::rlim_t = 1 << 62;

/// Marks this process and all that descend from it.
pub(crate) fn mark() {
    let mut limit = file_size();
    limit.rlim_cur = limit.rlim_cur.min(LARGEST_FILE);
    limit.rlim_max = limit.rlim_max.min(LARGEST_FILE);
    // SAFETY: reads the structure. It cannot fail: lowering a limit is always allowed.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
}

/// Whether this process carries the mark.
pub(crate) fn descends_from_marked() -> bool {
    file_size().rlim_max != libc::RLIM_INFINITY
}

fn file_size() -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: writes the structure or leaves it alone.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;

    #[test]
    fn what_we_start_carries_the_mark_and_we_do_not() {
        assert!(!descends_from_marked());
        let limit = |script: &str| {
            let done = Command::new("sh").args(["-c", script]).run_blocking().unwrap();
            done.stdout.text().trim().to_owned()
        };
        let marked = limit("ulimit -H -f");
        assert_ne!(marked, "unlimited");
        assert_eq!(limit("setsid sh -c 'ulimit -H -f'"), marked, "by descendants, too");
        // Whoever lowers it does not lose it, and nobody meets it by writing.
        assert_eq!(limit("ulimit -f 100; ulimit -H -f"), "100");
        assert_eq!(limit("f=$(mktemp) && echo x > \"$f\" && cat \"$f\"; rm \"$f\""), "x");
    }
}
