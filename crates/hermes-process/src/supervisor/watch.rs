//! The supervisor's life: wait, report, obey, kill, exit.
//!
//! A loop around one `poll`, woken by the end of a child, by an order, or by the time at which the
//! next step is due. Each turn first reaps, as the end of the last descendant ends everything else,
//! then does what its phase asks for: nothing, waiting out a grace, or killing round after round
//! until nobody is left. Phases only go forward.
//!
//! Most programs leave nothing behind. For these there is one report and nobody to kill.
//! How a tree is listened to, looked at, asked and killed is the system's ([`Tree`]).

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{Pid, read};

use super::message::{self, SupervisorOrder, SupervisorReport};
use crate::command::Lifetime;
use crate::system::{Left, Reaped, Tree};

/// Pause between two rounds of killing: doubled from the first to the last, because what is still
/// there after several rounds is stuck in the kernel or not ours to kill.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LAST_PAUSE: Duration = Duration::from_millis(500);

/// Watches over `program` until no descendant is left (or, with [`Lifetime::Survives`], until we
/// are gone).
pub(super) fn watch_tree(program: Pid, control: BorrowedFd<'_>, lifetime: Lifetime) {
    let Some(tree) = Tree::watch(program) else {
        // Out of memory in the kernel: no way to do the job. The program dies with us.
        return;
    };
    let (owner, phase) = (Owner::There, Phase::Watching);
    TreeWatch { tree, control, owner, lifetime, phase }.run();
}

struct TreeWatch<'a> {
    tree: Tree,
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

impl TreeWatch<'_> {
    fn run(mut self) {
        while self.reap() == Left::Some {
            self.act();
            let listener = PollFd::new(self.tree.news(), PollFlags::POLLIN);
            if self.owner == Owner::There {
                let mut fds = [PollFd::new(self.control, PollFlags::POLLIN), listener];
                let _ = poll(&mut fds, self.timeout());
                if fds[0].any() == Some(true) && self.read_order() == Left::Nothing {
                    return;
                }
            } else {
                let _ = poll(&mut [listener], self.timeout());
            }
            self.tree.heard();
        }
    }

    /// Finds out who has ended, and reports the program's end.
    fn reap(&mut self) -> Left {
        let Reaped { ended, left } = self.tree.reap();
        if let Some(status) = ended {
            super::report(
                self.control,
                match left {
                    Left::Some => SupervisorReport::Exited(status),
                    Left::Nothing => SupervisorReport::Finished(status),
                },
            );
        }
        left
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
            self.tree.kill_all();
            let longer = (pause * 2).min(LAST_PAUSE);
            self.phase = Phase::Killing { next_round: now + pause, pause: longer };
        }
    }

    fn timeout(&self) -> PollTimeout {
        let due = match self.phase {
            Phase::Watching => None,
            Phase::Asked { until } => Some(until),
            Phase::Killing { next_round, .. } => Some(next_round),
        };
        let Some(due) = due.into_iter().chain(self.tree.look_again()).min() else {
            return PollTimeout::NONE;
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
                self.tree.terminate_all();
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
}

fn after(milliseconds: u32) -> Instant {
    Instant::now() + Duration::from_millis(u64::from(milliseconds))
}
