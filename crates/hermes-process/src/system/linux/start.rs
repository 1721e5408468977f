//! From the supervisor to the program: a process that borrows our memory until it calls `exec`.

use std::mem::MaybeUninit;

use nix::errno::Errno;
use nix::libc::{self, c_int, c_void};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use crate::system::Note;

/// Stack for the steps before `exec`: a few nested calls with small buffers.
const STACK: usize = 64 * 1024;

#[repr(align(16))]
struct Stack([MaybeUninit<u8>; STACK]);

/// What the new process needs, in memory that it shares with us.
struct Beside<'a, T> {
    task: &'a T,
    become_program: fn(&T) -> Note,
    note: Option<Note>,
}

/// Whether the kernel ends a program whose supervisor is killed.
pub(crate) const PROGRAM_DIES_WITH_SUPERVISOR: bool = true;

/// Makes the calling process the one to which orphans below it are handed.
pub(crate) fn adopt_orphans() -> nix::Result<()> {
    prctl::set_child_subreaper(true)
}

/// Has the calling process signalled when its parent dies, which it is an error for to have happened
/// already if the parent is given.
pub(crate) fn die_with_parent(signal: Signal, parent: Option<Pid>) -> nix::Result<()> {
    prctl::set_pdeathsig(signal)?;
    // It may have died before the line above took effect.
    match parent {
        Some(parent) if getppid() != parent => Err(Errno::ESRCH),
        _ => Ok(()),
    }
}

/// Runs `become_program` in a new process that uses our memory, while we wait (the manner of `vfork`,
/// but on a stack of its own, since one shared stack would be spoilt for the second to return).
///
/// It returns when the program runs, or with a note why not. To know that takes no pipe: we stand
/// still until the new process has called `exec` or has ended.
pub(crate) fn start_beside<T>(
    task: &T,
    become_program: fn(&T) -> Note,
) -> nix::Result<(Pid, Option<Note>)> {
    let mut stack = Stack([MaybeUninit::uninit(); STACK]);
    let mut beside = Beside { task, become_program, note: None };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack grows down from its end and is in use only while we stand still, as is
    // the task. The new process makes system calls on its own descriptors and signals and writes
    // one field of what it is given.
    let pid = unsafe {
        let top = stack.0.as_mut_ptr().add(STACK).cast::<c_void>();
        libc::clone(run::<T>, top, flags, (&raw mut beside).cast::<c_void>())
    };
    Errno::result(pid).map(|pid| (Pid::from_raw(pid), beside.note))
}

extern "C" fn run<T>(beside: *mut c_void) -> c_int {
    // SAFETY: `start_beside` passes what nobody else uses meanwhile.
    let beside = unsafe { &mut *beside.cast::<Beside<'_, T>>() };
    beside.note = Some((beside.become_program)(beside.task));
    127
}
