//! What this process shows of itself, and how that is changed: each system in its own way, whatever the
//! backend (see `system`).

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(target_os = "macos")]
pub(crate) use macos::*;

use std::ffi::CStr;
use std::ops::Range;

/// The names of our helper processes, as `ps` shows them where a process can name itself.
pub(crate) const FORK_SERVER: &CStr = c"hermes-forksrv";
pub(crate) const STANDBY: &CStr = c"hermes-standby";
pub(crate) const SUPERVISOR: &CStr = c"hermes-superv";

/// What matters of ourselves to who wants to hide our environment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) threads: u64,
    /// Where the environment that the kernel shows lies.
    pub(crate) block: Range<usize>,
}
