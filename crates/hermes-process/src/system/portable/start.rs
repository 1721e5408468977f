//! From the supervisor to the program: a copy of the supervisor, which is small.

use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::Signal;
use nix::unistd::{ForkResult, Pid, fork, getppid, read, write};

use crate::system::Note;

/// Whether the kernel ends a program whose supervisor is killed. Somebody has to notice it instead.
pub(crate) const PROGRAM_DIES_WITH_SUPERVISOR: bool = false;

/// There is nobody to whom orphans could be handed but init. The roster takes its place.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn adopt_orphans() -> nix::Result<()> {
    Ok(())
}

/// Makes sure that the parent lives, if it is given. There is no signal for its death.
pub(crate) fn die_with_parent(_: Signal, parent: Option<Pid>) -> nix::Result<()> {
    match parent {
        Some(parent) if getppid() != parent => Err(Errno::ESRCH),
        _ => Ok(()),
    }
}

/// Runs `become_program` in a new process and waits until it runs, or has left a note why not. The note comes
/// through a pipe, whose end without a note is that of the new process's `exec`.
pub(crate) fn start_beside<T>(
    task: &T,
    become_program: fn(&T) -> Note,
) -> nix::Result<(Pid, Option<Note>)> {
    let (note, pen) = super::pipe()?;
    // SAFETY: this process has a single thread, and the copy keeps to system calls.
    match unsafe { fork() }? {
        ForkResult::Child => {
            drop(note);
            let words = become_program(task);
            let _ = write(pen, &words);
            // SAFETY: runs no destructors and no exit handlers, which belong to the original.
            unsafe { libc::_exit(127) }
        }
        ForkResult::Parent { child } => {
            drop(pen);
            Ok((child, read_note(&note)))
        }
    }
}

fn read_note(from: &OwnedFd) -> Option<Note> {
    let mut note = Note::default();
    loop {
        match read(from, &mut note) {
            Ok(length) => return (length == note.len()).then_some(note),
            Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
    }
}
