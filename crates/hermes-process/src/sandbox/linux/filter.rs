//! Which system calls a confined program cannot make: a small program for the kernel's filter.
//!
//! The filter sees the number of each call and its arguments as they lie in registers, nothing
//! that pointers point to. So it can tell a Unix socket from another by the first argument of
//! `socket`, but not one path from another: that is Landlock's part.
//!
//! A number means something only together with the calling convention. A processor may have
//! several, each with numbers of its own, so calls of any other convention than ours are
//! refused first: by ending the process (32-bit programs), or as unknown calls (x32, whose numbers
//! are ours with one bit added).

use std::mem;

use nix::libc::{self, c_long};

use crate::sandbox::{Metadata, Network};

/// One instruction of a filter, laid out as the kernel expects.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    code: u16,
    if_so: u8,
    if_not: u8,
    value: u32,
}

impl Instruction {
    pub(crate) const SIZE: usize = mem::size_of::<Self>();

    /// Loads four bytes of the call's description.
    pub(crate) const fn load(at: u32) -> Self {
        Self { code: LOAD, if_so: 0, if_not: 0, value: at }
    }

    /// Ends the filter with this answer.
    pub(crate) const fn answer(value: u32) -> Self {
        Self { code: ANSWER, if_so: 0, if_not: 0, value }
    }

    /// Skips so many instructions if what was loaded is `value`, else goes on.
    const fn if_equal(value: u32, skip: u8) -> Self {
        Self { code: EQUAL, if_so: skip, if_not: 0, value }
    }

    /// Goes on if what was loaded is `value`, else skips so many instructions.
    const fn unless_equal(value: u32, skip: u8) -> Self {
        Self { code: EQUAL, if_so: 0, if_not: skip, value }
    }

    /// Goes on if what was loaded is at least `value`, else skips so many instructions.
    const fn unless_at_least(value: u32, skip: u8) -> Self {
        Self { code: AT_LEAST, if_so: 0, if_not: skip, value }
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..2].copy_from_slice(&self.code.to_ne_bytes());
        bytes[2..4].copy_from_slice(&[self.if_so, self.if_not]);
        bytes[4..].copy_from_slice(&self.value.to_ne_bytes());
        bytes
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the codes are small numbers")]
const fn code(parts: u32) -> u16 {
    parts as u16
}
const LOAD: u16 = code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS);
const EQUAL: u16 = code(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K);
const AT_LEAST: u16 = code(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K);
const ANSWER: u16 = code(libc::BPF_RET | libc::BPF_K);

/// Where things are in the description of a call.
const NUMBER_AT: u32 = 0;
const CONVENTION_AT: u32 = 4;
/// The lower half of the first argument, which is all that the kernel takes of an `int`. Both
/// processors below put it first.
const FIRST_ARGUMENT_AT: u32 = 16;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const END: u32 = libc::SECCOMP_RET_KILL_PROCESS;
const NOT_PERMITTED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
const DENIED: u32 = libc::SECCOMP_RET_ERRNO | libc::EACCES.cast_unsigned();
const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();

/// The calling convention of this program, by the number that the kernel has for it.
#[cfg(target_arch = "x86_64")]
const CONVENTION: Option<u32> = Some(0xC000_003E);
#[cfg(target_arch = "aarch64")]
const CONVENTION: Option<u32> = Some(0xC000_00B7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const CONVENTION: Option<u32> = None;

/// Numbers from here on mean calls in the x32 convention on x86_64, and nothing elsewhere.
const X32: u32 = 0x4000_0000;

/// Calls that look into other processes or steer them.
const OTHER_PROCESSES: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
];

/// Calls that do things past the rules (a ring of requests past this very filter, opening files
/// without a path), rearrange the file tree, take keys from the user's ring, or are the
/// administrator's: a confined program may be run by one.
const PAST_THE_RULES: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// Numbers younger than the C library's list, the same on all processors.
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;

/// Calls that change modes, owners, times and attributes of files.
const METADATA: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SYS_SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// The filter; none, if this processor is not known here.
pub(super) fn program(network: Network, metadata: Metadata) -> Option<Vec<Instruction>> {
    let mut program = vec![
        Instruction::load(CONVENTION_AT),
        Instruction::if_equal(CONVENTION?, 1),
        Instruction::answer(END),
        Instruction::load(NUMBER_AT),
        Instruction::unless_at_least(X32, 1),
        Instruction::answer(UNKNOWN),
    ];
    let frozen = match metadata {
        Metadata::Changeable => &[],
        Metadata::Frozen => METADATA,
    };
    for call in OTHER_PROCESSES.iter().chain(PAST_THE_RULES).chain(frozen) {
        program.push(Instruction::unless_equal(u32::try_from(*call).ok()?, 1));
        program.push(Instruction::answer(NOT_PERMITTED));
    }
    let socket = u32::try_from(libc::SYS_socket).ok()?;
    match network {
        Network::Allowed => {}
        Network::UnixSockets => program.extend([
            Instruction::unless_equal(socket, 4),
            Instruction::load(FIRST_ARGUMENT_AT),
            Instruction::unless_equal(libc::AF_UNIX.cast_unsigned(), 1),
            Instruction::answer(ALLOW),
            Instruction::answer(DENIED),
        ]),
        Network::Nothing => {
            program.push(Instruction::unless_equal(socket, 1));
            program.push(Instruction::answer(DENIED));
        }
    }
    program.push(Instruction::answer(ALLOW));
    Some(program)
}

#[cfg(test)]
mod tests;
