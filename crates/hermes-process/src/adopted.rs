//! Processes known by number only: those that an earlier run of ours left running.
//!
//! A process with [`Lifetime::Survives`](crate::Lifetime::Survives) outlives its supervisor and us.
//! All that a later run knows of it is what was written down: its number and the time at which
//! it was started. Numbers are used again, so nothing here is ever signalled by number alone: a
//! process is held by a descriptor, its start time is compared, and the signal goes through that
//! descriptor. Whoever has taken over a number in the meantime hears nothing. (Where there are no such
//! descriptors, the start time is compared right before the signal.)
//!
//! There is no supervisor here to say when all are gone, so the tree is surveyed again and again:
//! all processes below those known to belong to it, and all of the session that the program leads.
//! One that left the session *and* lost its parent before we first looked is not found.

use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};

use crate::error::ProcessError;
use crate::handle::{KILL_LIMIT, StopMode};
use crate::processes::{self, Process};
use crate::system::signal_exactly;

/// Pause between two looks at a tree that has been told to end.
const PAUSE: Duration = Duration::from_millis(10);

/// When the process was started, as the kernel counts (on Linux in clock ticks since the system's start, on macOS in
/// microseconds since 1970); none, if there is no such process or it has ended and only waits to be reaped.
pub fn process_start_time(pid: u32) -> Option<u64> {
    let process = processes::look_up(i32::try_from(pid).ok()?)?;
    process.is_alive().then_some(process.start_time)
}

/// Whether there is a process of that number, also one that has ended and waits to be reaped. It may be another than
/// the one that is meant: numbers are used again, see [`process_start_time`].
#[must_use]
pub fn process_exists(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().filter(|pid| *pid > 0) else { return false };
    // Nothing is sent. One of another user is there, although it may not be signalled.
    matches!(kill(Pid::from_raw(pid), None), Ok(()) | Err(Errno::EPERM))
}

/// The names of the programs that a process and those below it run: the file's, and the one the process
/// goes by. Its own come first. Those of other users may be missing.
#[must_use]
pub fn programs_of_tree(pid: u32) -> Vec<String> {
    let Ok(root) = i32::try_from(pid) else { return Vec::new() };
    let mut names = processes::program_names(root);
    processes::for_each_below(root, |process| names.extend(processes::program_names(process.pid)));
    names
}

/// Ends the process of that number and its tree, if it is still the one that was started at that
/// time. Whether it was; if not, nobody has been signalled.
///
/// With [`StopMode::Ask`] it returns when all have been asked, otherwise when all are gone. Needs a
/// Tokio runtime; dropping the future does not take the order back.
///
/// For processes that are nobody's [`Child`](crate::Child) any more.
pub async fn signal_if_same(
    pid: u32,
    start_time: u64,
    stop: StopMode,
) -> Result<bool, ProcessError> {
    // Looking at all processes takes its time on a large machine.
    let work = tokio::task::spawn_blocking(move || Stored::find(pid, start_time).stop(pid, stop));
    match work.await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime is being shut down.
        Err(_) => Err(ProcessError::StillRunning { pid }),
    }
}

/// A tree as far as it is known.
struct Stored {
    /// Its living members.
    members: Vec<Process>,
    /// The session that belongs to it.
    session: Option<i32>,
}

impl Stored {
    /// The process, alone so far; none, if it is not the same.
    fn find(pid: u32, start_time: u64) -> Self {
        let same = |process: &Process| process.is_alive() && process.start_time == start_time;
        let root = i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(processes::look_up);
        let members: Vec<_> = root.filter(same).into_iter().collect();
        let led = |root: &Process| (root.session == root.pid).then_some(root.session);
        let session = members.first().and_then(led);
        Self { members, session }
    }

    fn stop(mut self, pid: u32, stop: StopMode) -> Result<bool, ProcessError> {
        if self.members.is_empty() {
            return Ok(false);
        }
        let grace = match stop {
            StopMode::Kill => Duration::ZERO,
            StopMode::Ask | StopMode::AskThenKill(_) => {
                self.survey();
                // The program, which comes first, hears it first: a shell that finds a child ended
                // goes on with its script.
                for member in &self.members {
                    signal_exactly(member, Signal::SIGTERM);
                    signal_exactly(member, Signal::SIGCONT);
                }
                match stop {
                    StopMode::AskThenKill(grace) => grace,
                    _ => return Ok(true),
                }
            }
        };
        let asked = Instant::now();
        loop {
            self.survey();
            if self.members.is_empty() {
                return Ok(true);
            }
            if asked.elapsed() >= grace {
                for member in &self.members {
                    signal_exactly(member, Signal::SIGKILL);
                }
            }
            if asked.elapsed() >= grace.saturating_add(KILL_LIMIT) {
                return Err(ProcessError::StillRunning { pid });
            }
            thread::sleep(PAUSE);
        }
    }

    /// Looks who belongs to the tree by now: the members that still live, the rest of their
    /// session, and all below any of them.
    fn survey(&mut self) {
        let mut others = Vec::new();
        processes::for_each(|process| others.push(process));
        let us = getpid().as_raw();
        others.retain(|process| process.is_alive() && process.pid != us);
        let known = std::mem::take(&mut self.members);
        let same = |process: &Process| {
            known.iter().any(|old| old.pid == process.pid && old.start_time == process.start_time)
        };
        self.members = others.extract_if(.., |process| same(process)).collect();
        // The kernel gives a session's number to no one else while the session has a member.
        let held = self.members.iter().any(|member| Some(member.session) == self.session);
        if held {
            let session = self.session;
            self.members.extend(others.extract_if(.., |process| Some(process.session) == session));
        }
        let mut index = 0;
        while let Some(parent) = self.members.get(index).map(|member| member.pid) {
            self.members.extend(others.extract_if(.., |process| process.parent == parent));
            index += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_exists_whoever_it_belongs_to() {
        assert!(process_exists(1) && process_exists(std::process::id()));
        assert!(!process_exists(0) && !process_exists(u32::MAX));
    }
}
