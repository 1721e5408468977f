//! A tree below a subreaper: whoever loses its parent becomes our child, so that no descendant leaves.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::Instant;

use nix::libc;
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, getpgrp, getpid};

use crate::processes;
use crate::system::{Left, Reaped};

/// A program and all that descend from it.
pub(crate) struct Tree {
    /// The program, until it is reaped. From then on its number may belong to someone else.
    program: Option<Pid>,
    signals: SignalFd,
}

impl Tree {
    /// Starts to listen for ends of processes; none if the kernel has no memory left for that.
    pub(crate) fn watch(program: Pid) -> Option<Self> {
        let mut children = SigSet::empty();
        children.add(Signal::SIGCHLD);
        let signals = SignalFd::with_flags(&children, SfdFlags::SFD_NONBLOCK).ok()?;
        Some(Self { program: Some(program), signals })
    }

    /// Becomes readable when a child has ended.
    pub(crate) fn news(&self) -> BorrowedFd<'_> {
        self.signals.as_fd()
    }

    /// Empties what became readable: which children ended is for `reap` to find out.
    pub(crate) fn heard(&self) {
        // The signal does not queue, so there is one at most.
        let _ = self.signals.read_signal();
    }

    /// When to look again without having heard anything: never.
    pub(crate) fn look_again(&self) -> Option<Instant> {
        None
    }

    /// Reaps who has ended, the program and orphans alike.
    pub(crate) fn reap(&mut self) -> Reaped {
        let mut ended = None;
        loop {
            let mut status = 0;
            // SAFETY: writes one integer. Not the wrapper's `waitpid`, which fails for a status
            // that names a real-time signal.
            let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            match pid {
                0 => return Reaped { ended, left: Left::Some },
                1.. if self.program == Some(Pid::from_raw(pid)) => {
                    self.program = None;
                    ended = Some(status);
                }
                1.. => {}
                // No children. As orphans are handed to us, this means no descendants.
                _ => return Reaped { ended, left: Left::Nothing },
            }
        }
    }

    /// The program first: a shell that finds a child ended goes on with its script, which may say
    /// what to do when that child fails. It comes first by itself, being our oldest child.
    ///
    /// Nobody is told before all are noted: a shell that ends hands its children on, and one that
    /// changes hands while the lists are read can be missed.
    pub(crate) fn terminate_all(&mut self) {
        let mut told = false;
        processes::for_each_below(getpid().as_raw(), |process| {
            let pid = Pid::from_raw(process.pid);
            told |= self.program == Some(pid);
            terminate(pid);
        });
        // Also without `/proc`.
        if let Some(program) = self.program.filter(|_| !told) {
            terminate(program);
        }
    }

    /// Kills by group as well as one by one: a group dies at a stroke, so that a program that
    /// forks as fast as it can does not stay ahead. Groups below us hold descendants only, since
    /// the program began a session of its own and a group never spans sessions.
    pub(crate) fn kill_all(&mut self) {
        if let Some(program) = self.program {
            // Also without `/proc`.
            let _ = killpg(program, Signal::SIGKILL);
            let _ = kill(program, Signal::SIGKILL);
        }
        let own = getpgrp().as_raw();
        processes::for_each_below(getpid().as_raw(), |process| {
            if process.group > 1 && process.group != own {
                let _ = killpg(Pid::from_raw(process.group), Signal::SIGKILL);
            }
            let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        });
    }
}

fn terminate(pid: Pid) {
    let _ = kill(pid, Signal::SIGTERM);
    // A stopped process would otherwise not get to hear it.
    let _ = kill(pid, Signal::SIGCONT);
}
