//! What differs from system to system, behind one interface.
//!
//! Two backends keep the promises of this crate. `linux` has the kernel's own means: a subreaper that no
//! orphan leaves, parent-death signals, processes held by descriptors, files in memory that can be sealed.
//! `portable` does without them and keeps weaker promises where nothing else can be done; they are told
//! in its essay. It is what systems other than Linux get. On Linux it is chosen by
//! `RUSTFLAGS='--cfg hermes_portable'`, so that the same tests run on both.
//!
//! Neither of them decides anything: when a tree is asked, killed or let go is `supervisor`'s matter.
//! What is not a question of means but of how a kernel is asked (its table of processes, what it shows of
//! our own) is in `processes` and `native`, by system.
//!
//! Everything here that runs in forked processes keeps to system calls, see `forked`.

#[cfg(all(target_os = "linux", not(hermes_portable)))]
mod linux;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
mod portable;

#[cfg(all(target_os = "linux", not(hermes_portable)))]
pub(crate) use linux::*;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
pub(crate) use portable::*;

use nix::libc::c_int;

/// Whether there is anything left to watch over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    Some,
    Nothing,
}

/// What a look at the dead has found.
pub(crate) struct Reaped {
    /// The status of the program, once: when it is first seen to have ended.
    pub(crate) ended: Option<c_int>,
    pub(crate) left: Left,
}

/// The last words of a process that did not become the program it was to be.
pub(crate) type Note = [u8; 8];
