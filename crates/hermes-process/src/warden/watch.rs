//! The warden's life: wait, report, obey, kill, exit.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, getpgrp, getpid, read};

use super::descendants;
use super::message::{self, Order, Report};
use crate::command::Lifetime;

/// Pause between two rounds of killing: doubled from the first to the last, because what is still
/// there after several rounds is stuck in the kernel or not ours to kill.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LAST_PAUSE: Duration = Duration::from_millis(500);

/// Watches over `program` until no descendant is left (or, with [`Lifetime::Survives`], until we
/// are gone).
pub(super) fn over(program: Pid, control: BorrowedFd<'_>, lifetime: Lifetime) {
    let mut children = SigSet::empty();
    children.add(Signal::SIGCHLD);
    let Ok(signals) = SignalFd::with_flags(&children, SfdFlags::SFD_NONBLOCK) else {
        // Out of memory in the kernel: no way to do the job. The program dies with us.
        return;
    };
    Warden { program: Some(program), control: Some(control), lifetime, phase: Phase::Watching }
        .live(&signals);
}

struct Warden<'a> {
    /// The program, until it is reaped. From then on its number may belong to someone else.
    program: Option<Pid>,
    /// Our line to the owner, until it is gone.
    control: Option<BorrowedFd<'a>>,
    lifetime: Lifetime,
    phase: Phase,
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

impl Warden<'_> {
    fn live(mut self, signals: &SignalFd) {
        while self.reap() == Left::Some {
            self.act();
            let listener = PollFd::new(signals.as_fd(), PollFlags::POLLIN);
            let ended = if let Some(control) = self.control {
                let mut fds = [PollFd::new(control, PollFlags::POLLIN), listener];
                let _ = poll(&mut fds, self.timeout());
                fds[0].any() == Some(true) && self.listen(control) == Left::Nothing
            } else {
                let _ = poll(&mut [listener], self.timeout());
                false
            };
            if ended {
                return;
            }
            // Emptied only: which children ended is for `reap` to find out.
            while let Ok(Some(_)) = signals.read_signal() {}
        }
    }

    /// Reaps who has ended, the program and orphans alike, and reports the program's end.
    fn reap(&mut self) -> Left {
        loop {
            let mut status = 0;
            // SAFETY: writes one integer. Not the wrapper's `waitpid`, which fails for a status
            // that names a real-time signal.
            let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            match pid {
                0 => return Left::Some,
                1.. if self.program == Some(Pid::from_raw(pid)) => {
                    self.program = None;
                    if let Some(control) = self.control {
                        super::report(control, Report::Exited(status));
                    }
                }
                1.. => {}
                // No children. As orphans are handed to us, this means no descendants.
                _ => return Left::Nothing,
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
    fn listen(&mut self, control: BorrowedFd<'_>) -> Left {
        let mut bytes = [0; message::LEN];
        let order = match read(control, &mut bytes) {
            Ok(message::LEN) => Order::decode(bytes),
            _ => None,
        };
        match (order, self.phase) {
            (Some(Order::Terminate { grace_ms }), Phase::Watching) => {
                self.ask_all();
                let grace = Duration::from_millis(u64::from(grace_ms));
                self.phase = Phase::Asked { until: Instant::now() + grace };
            }
            // Asked once is enough: some programs take a second SIGTERM for impatience.
            (Some(Order::Terminate { .. }), _) => {}
            (Some(Order::Kill), phase) => self.start_killing(phase),
            (None, Phase::Watching) if self.lifetime == Lifetime::Survives => return Left::Nothing,
            (None, phase) => {
                self.control = None;
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

    fn ask_all(&self) {
        descendants::for_each(getpid().as_raw(), |process| {
            let pid = Pid::from_raw(process.pid);
            let _ = kill(pid, Signal::SIGTERM);
            // A stopped process would otherwise not get to hear it.
            let _ = kill(pid, Signal::SIGCONT);
        });
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
        descendants::for_each(getpid().as_raw(), |process| {
            if process.group > 1 && process.group != own {
                let _ = killpg(Pid::from_raw(process.group), Signal::SIGKILL);
            }
            let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        });
    }
}
