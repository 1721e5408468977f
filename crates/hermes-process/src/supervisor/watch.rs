//! The supervisor's life: wait, report, obey, kill, exit.
//!
//! A loop around one `poll`, woken by the end of a child, by an order, or by the time at which the
//! next step is due. Each turn first reaps, as the end of the last descendant ends everything else,
//! then does what its phase asks for: nothing, waiting out a grace, or killing round after round
//! until nobody is left. Phases only go forward.
//!
//! Most programs leave nothing behind. For these there is one report, no look into `/proc` and
//! nobody to kill.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, getpgrp, getpid, read};

use super::message::{self, SupervisorOrder, SupervisorReport};
use crate::command::Lifetime;
use crate::processes;

/// Pause between two rounds of killing: doubled from the first to the last, because what is still
/// there after several rounds is stuck in the kernel or not ours to kill.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LAST_PAUSE: Duration = Duration::from_millis(500);

/// Watches over `program` until no descendant is left (or, with [`Lifetime::Survives`], until we
/// are gone).
pub(super) fn watch_tree(program: Pid, control: BorrowedFd<'_>, lifetime: Lifetime) {
    let mut children = SigSet::empty();
    children.add(Signal::SIGCHLD);
    let Ok(signals) = SignalFd::with_flags(&children, SfdFlags::SFD_NONBLOCK) else {
        // Out of memory in the kernel: no way to do the job. The program dies with us.
        return;
    };
    let (owner, phase) = (Owner::There, Phase::Watching);
    TreeWatch { program: Some(program), control, owner, lifetime, phase }.run(&signals);
}

struct TreeWatch<'a> {
    /// The program, until it is reaped. From then on its number may belong to someone else.
    program: Option<Pid>,
    /// Our line to the owner.
    control: BorrowedFd<'a>,
    owner: Owner,
    lifetime: Lifetime,
    phase: Phase,
}

/// Whether the owner has anything left to say. One that has hung up may still listen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    There,
    Gone,
}

#[derive(Clone, Copy)]
enum Phase {
    Watching,
    /// Everyone was asked to end.
    Asked {
        until: Instant,
    },
    Killing {
        next_round: Instant,
        pause: Duration,
    },
}

/// Whether there is anything left to watch over.
#[derive(PartialEq, Eq)]
enum Left {
    Some,
    Nothing,
}

impl TreeWatch<'_> {
    fn run(mut self, signals: &SignalFd) {
        while self.reap() == Left::Some {
            self.act();
            let listener = PollFd::new(signals.as_fd(), PollFlags::POLLIN);
            if self.owner == Owner::There {
                let mut fds = [PollFd::new(self.control, PollFlags::POLLIN), listener];
                let _ = poll(&mut fds, self.timeout());
                if fds[0].any() == Some(true) && self.read_order() == Left::Nothing {
                    return;
                }
            } else {
                let _ = poll(&mut [listener], self.timeout());
            }
            // Emptied only: which children ended is for `reap` to find out. The signal does not
            // queue, so there is one at most.
            let _ = signals.read_signal();
        }
    }

    /// Reaps who has ended, the program and orphans alike, and reports the program's end.
    fn reap(&mut self) -> Left {
        let mut ended = None;
        loop {
            let mut status = 0;
            // SAFETY: writes one integer. Not the wrapper's `waitpid`, which fails for a status
            // that names a real-time signal.
            let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            match pid {
                0 => {
                    if let Some(status) = ended {
                        super::report(self.control, SupervisorReport::Exited(status));
                    }
                    return Left::Some;
                }
                1.. if self.program == Some(Pid::from_raw(pid)) => {
                    self.program = None;
                    ended = Some(status);
                }
                1.. => {}
                // No children. As orphans are handed to us, this means no descendants.
                _ => {
                    if let Some(status) = ended {
                        super::report(self.control, SupervisorReport::Finished(status));
                    }
                    return Left::Nothing;
                }
            }
        }
    }

    /// Does what is due in this phase.
    fn act(&mut self) {
        let now = Instant::now();
        if let Phase::Asked { until } = self.phase
            && now >= until
        {
            self.phase = Phase::Killing { next_round: now, pause: FIRST_PAUSE };
        }
        if let Phase::Killing { next_round, pause } = self.phase
            && now >= next_round
        {
            self.kill_all();
            let longer = (pause * 2).min(LAST_PAUSE);
            self.phase = Phase::Killing { next_round: now + pause, pause: longer };
        }
    }

    fn timeout(&self) -> PollTimeout {
        let due = match self.phase {
            Phase::Watching => return PollTimeout::NONE,
            Phase::Asked { until } => until,
            Phase::Killing { next_round, .. } => next_round,
        };
        // Rounded up, lest the last fraction of a millisecond is spent spinning.
        let wait = due.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
        PollTimeout::from(u16::try_from(wait.as_millis()).unwrap_or(u16::MAX))
    }

    /// Takes an order, or notices that the owner is gone.
    fn read_order(&mut self) -> Left {
        let mut bytes = [0; message::LEN];
        let order = match read(self.control, &mut bytes) {
            Ok(message::LEN) => SupervisorOrder::decode(bytes),
            _ => None,
        };
        match (order, self.phase) {
            (Some(SupervisorOrder::Terminate { grace_ms }), Phase::Watching) => {
                self.terminate_all();
                self.phase = Phase::Asked { until: after(grace_ms) };
            }
            // Asked once is enough: some programs take a second SIGTERM for impatience. But the
            // end may be wanted sooner than before.
            (Some(SupervisorOrder::Terminate { grace_ms }), Phase::Asked { until }) => {
                self.phase = Phase::Asked { until: until.min(after(grace_ms)) };
            }
            (Some(SupervisorOrder::Terminate { .. }), Phase::Killing { .. }) => {}
            (Some(SupervisorOrder::Kill), phase) => self.start_killing(phase),
            (None, Phase::Watching) if self.lifetime == Lifetime::Survives => return Left::Nothing,
            (None, phase) => {
                self.owner = Owner::Gone;
                self.start_killing(phase);
            }
        }
        Left::Some
    }

    fn start_killing(&mut self, phase: Phase) {
        if !matches!(phase, Phase::Killing { .. }) {
            self.phase = Phase::Killing { next_round: Instant::now(), pause: FIRST_PAUSE };
        }
    }

    /// The program first: a shell that finds a child ended goes on with its script, which may say
    /// what to do when that child fails. It comes first by itself, being our oldest child.
    ///
    /// Nobody is told before all are noted: a shell that ends hands its children on, and one that
    /// changes hands while the lists are read can be missed.
    fn terminate_all(&self) {
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
    fn kill_all(&self) {
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

fn after(milliseconds: u32) -> Instant {
    Instant::now() + Duration::from_millis(u64::from(milliseconds))
}

fn terminate(pid: Pid) {
    let _ = kill(pid, Signal::SIGTERM);
    // A stopped process would otherwise not get to hear it.
    let _ = kill(pid, Signal::SIGCONT);
}
