//! The last steps of a confined program before `exec`: system calls only, see `forked`.

use std::os::fd::{AsRawFd as _, BorrowedFd};

use nix::errno::Errno;
use nix::libc::{self, c_ulong};
use nix::sys::prctl;

pub(crate) use super::filter::Instruction;

/// What becomes of the right to gain rights, by set-user-id programs above all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privileges {
    /// Nothing: the program is not confined.
    Kept = 0,
    /// It is kept if the kernel allows that, which it does for administrators.
    KeptIfAllowed = 1,
    GivenUp = 2,
}

impl Privileges {
    fn from_word(word: usize) -> Option<Self> {
        [Self::Kept, Self::KeptIfAllowed, Self::GivenUp]
            .into_iter()
            .find(|one| *one as usize == word)
    }
}

/// What a program gives up.
#[derive(Debug)]
pub(crate) struct Restrictions {
    pub(crate) privileges: Privileges,
    pub(crate) filter: *const Instruction,
    pub(crate) filter_len: u16,
}

impl Restrictions {
    /// The restrictions of a word and so many bytes at an address, which must stay as they are; none if
    /// they do not mean any.
    pub(crate) fn from_image(word: usize, at: *const u8, len: usize) -> Option<Self> {
        let privileges = Privileges::from_word(word)?;
        if !len.is_multiple_of(Instruction::SIZE) {
            return None;
        }
        let filter_len = u16::try_from(len / Instruction::SIZE).ok()?;
        Some(Self { privileges, filter: at.cast::<Instruction>(), filter_len })
    }
}

/// Confines the calling process, for good.
pub(crate) fn confinement(
    restrictions: &Restrictions,
    ruleset: Option<BorrowedFd<'_>>,
) -> nix::Result<()> {
    if restrictions.privileges == Privileges::GivenUp {
        prctl::set_no_new_privs()?;
    }
    if let Some(ruleset) = ruleset {
        match restrict(ruleset) {
            Err(Errno::EPERM) if restrictions.privileges == Privileges::KeptIfAllowed => {
                prctl::set_no_new_privs()?;
                restrict(ruleset)?;
            }
            result => result?,
        }
    }
    if restrictions.privileges != Privileges::Kept {
        // Not before: an administrator may restrict itself because it is one.
        give_up_capabilities()?;
    }
    if restrictions.filter_len > 0 {
        install_filter(restrictions)?;
    }
    Ok(())
}

fn restrict(ruleset: BorrowedFd<'_>) -> nix::Result<()> {
    // SAFETY: takes integers.
    let done =
        unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) };
    Errno::result(done).map(|_| ())
}

/// An administrator's rights to look into every process, by number: trace it, administer the
/// system, watch its performance. With any of them Landlock is not asked for the environment of
/// another process (since Linux 6.15, with the last two).
const CAPABILITIES: [u32; 3] = [19, 21, 38];

/// The third and so far last version of the interface: two words of 32 capabilities each.
const CAPABILITY_VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: libc::pid_t,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapabilitySets {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Gives up those of [`CAPABILITIES`] that we have, so that no `exec` brings them back.
fn give_up_capabilities() -> nix::Result<()> {
    let mut header = CapabilityHeader { version: CAPABILITY_VERSION, pid: 0 };
    let mut sets = [CapabilitySets::default(); 2];
    // SAFETY: writes two sets, which is what this version has.
    let got = unsafe { libc::syscall(libc::SYS_capget, &raw mut header, sets.as_mut_ptr()) };
    Errno::result(got)?;
    let mut had_any = false;
    for capability in CAPABILITIES {
        let bit = 1 << (capability % 32);
        let [low, high] = &mut sets;
        let set = if capability < 32 { low } else { high };
        if (set.permitted | set.inheritable) & bit != 0 {
            had_any = true;
            set.effective &= !bit;
            set.permitted &= !bit;
            set.inheritable &= !bit;
            // SAFETY: takes integers.
            let dropped =
                unsafe { libc::prctl(libc::PR_CAPBSET_DROP, c_ulong::from(capability), 0, 0, 0) };
            Errno::result(dropped)?;
        }
    }
    if had_any {
        // SAFETY: reads two sets.
        let set = unsafe { libc::syscall(libc::SYS_capset, &raw mut header, sets.as_ptr()) };
        Errno::result(set)?;
    }
    Ok(())
}

fn install_filter(restrictions: &Restrictions) -> nix::Result<()> {
    let program = libc::sock_fprog {
        len: restrictions.filter_len,
        // The kernel only reads it.
        filter: restrictions.filter.cast_mut().cast::<libc::sock_filter>(),
    };
    let mode = c_ulong::from(libc::SECCOMP_MODE_FILTER);
    // SAFETY: the program points to that many instructions, which have the layout of the C type.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) };
    Errno::result(done).map(|_| ())
}
