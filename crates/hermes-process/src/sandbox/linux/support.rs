//! What this kernel can do, for `doctor` pages and early refusals.

use std::{fs, ptr};

use nix::errno::Errno;
use nix::libc;

use crate::sandbox::KernelSupport;

/// Asks the running kernel what it can do. Starts nothing and changes nothing.
pub fn kernel_support() -> KernelSupport {
    KernelSupport {
        landlock_abi: landlock_version(),
        seccomp: has_seccomp(),
        seatbelt: false,
        user_namespaces: allows_user_namespaces(),
        pidfd: has_pidfd(),
        proc: fs::read_link("/proc/self").is_ok_and(|own| own.to_str() == Some(&own_number())),
    }
}

pub(super) fn landlock_version() -> Option<u32> {
    const VERSION: u32 = 1;
    let nothing = ptr::null::<libc::c_void>();
    // SAFETY: with this flag it takes no rules and answers with a number.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

pub(super) fn has_seccomp() -> bool {
    let nothing = ptr::null::<libc::c_void>();
    // SAFETY: a null pointer cannot be a filter: a kernel that has filters says that the address
    // is bad, others that they do not know what is meant.
    let done = unsafe {
        libc::prctl(libc::PR_SET_SECCOMP, libc::c_ulong::from(libc::SECCOMP_MODE_FILTER), nothing)
    };
    Errno::result(done) == Err(Errno::EFAULT)
}

fn has_pidfd() -> bool {
    // SAFETY: takes integers. Minus one is no process, which only a kernel that knows the call
    // will notice.
    let done = unsafe { libc::syscall(libc::SYS_pidfd_open, -1, 0) };
    Errno::result(done) == Err(Errno::EINVAL)
}

fn allows_user_namespaces() -> bool {
    let setting = |name: &str| -> Option<u64> {
        fs::read_to_string(format!("/proc/sys/{name}")).ok()?.trim().parse().ok()
    };
    // The second and third exist on some distributions only.
    setting("user/max_user_namespaces").is_some_and(|most| most > 0)
        && setting("kernel/unprivileged_userns_clone") != Some(0)
        && setting("kernel/apparmor_restrict_unprivileged_userns") != Some(1)
}

fn own_number() -> String {
    std::process::id().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_supported_kernel_has_is_found() {
        let support = kernel_support();
        assert!(support.proc && support.seccomp && support.pidfd, "{support:?}");
    }

    /// The tests of confinement rely on it: a kernel without would make them refusals.
    #[test]
    fn landlock_is_recent_enough_here() {
        assert!(kernel_support().landlock_abi >= Some(3), "{:?}", kernel_support());
    }
}
