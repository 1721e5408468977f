//! Who belongs to a tree, as far as it was seen: a list that is kept while the tree lives, since nobody else
//! remembers whose child an orphan was.
//!
//! A process belongs to it that is a child of one who does, or is in the session of one. A session is joined by
//! nobody but the descendants of who began it; and its number is given to no other while somebody is in it, or while
//! its leader has not been reaped, which is why the supervisor reaps the program last.
//!
//! Everyone on the list is known by number and start time, and is taken off when the two do not fit any more.

use nix::unistd::{Pid, getpid, getsid};

use crate::processes::{self, Process};

/// Most processes that are kept in mind: a supervisor has nothing but its stack for them. When there are more, those
/// who come first are ended first, and make room.
const MOST: usize = processes::MAX_NOTED;

/// A list of processes.
pub(super) struct Roster {
    /// The session that the program leads.
    session: i32,
    members: [Process; MOST],
    count: usize,
}

const NOBODY: Process =
    Process { pid: 0, state: 0, parent: 0, group: 0, session: 0, start_time: 0 };

impl Roster {
    /// The program alone.
    pub(super) fn of(program: Pid) -> Self {
        let session = program.as_raw();
        let mut roster = Self { session, members: [NOBODY; MOST], count: 0 };
        roster.add(session);
        roster
    }

    /// Those who live, as they were at the last look.
    pub(super) fn members(&self) -> &[Process] {
        self.members.get(..self.count).unwrap_or_default()
    }

    /// Takes those off the list who have ended, and adds the children of those who have not. What it takes depends
    /// on the tree alone.
    pub(super) fn refresh(&mut self) {
        let mut kept = 0;
        for index in 0..self.count {
            let known = self.members[index];
            if let Some(now) = processes::look_up(known.pid)
                && now.is_alive()
                && now.start_time == known.start_time
            {
                self.members[kept] = now;
                kept += 1;
            }
        }
        self.count = kept;
        self.add_children_from(0);
    }

    /// The same, and adds who is in a session of the tree without being the child of anyone in it. All processes of
    /// the system are asked for their session.
    pub(super) fn survey(&mut self) {
        self.refresh();
        let own = getsid(None).map_or(0, Pid::as_raw);
        let us = getpid().as_raw();
        let before = self.count;
        processes::each_pid(|pid| {
            let Ok(session) = getsid(Some(Pid::from_raw(pid))) else { return };
            let session = session.as_raw();
            let is_theirs = session == self.session
                || self.members().iter().any(|member| member.session == session);
            if is_theirs && session > 0 && session != own && pid != us {
                self.add(pid);
            }
        });
        self.add_children_from(before);
    }

    /// Goes down from the members behind this place, and from those that are added meanwhile.
    fn add_children_from(&mut self, first: usize) {
        let mut next = first;
        while let Some(parent) = self.members().get(next).map(|member| member.pid) {
            let _ = processes::each_child(parent, |child| self.add(child));
            next += 1;
        }
    }

    /// Adds a process that lives and is not on the list; whether there was room.
    fn add(&mut self, pid: i32) -> bool {
        if self.members().iter().any(|member| member.pid == pid) {
            return true;
        }
        let Some(process) = processes::look_up(pid).filter(Process::is_alive) else { return true };
        let free = self.members.get_mut(self.count);
        free.is_some_and(|free| {
            *free = process;
            self.count += 1;
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::signal::{Signal, kill, killpg};
    use std::os::unix::process::CommandExt as _;

    #[expect(clippy::disallowed_methods, reason = "a plain tree, without a supervisor")]
    #[test]
    fn orphans_in_the_session_are_found_and_strangers_are_not() {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "(sleep 600 & sleep 600 &) ; setsid sleep 600 & exec sleep 600"]);
        // SAFETY: one system call between fork and exec.
        unsafe {
            command.pre_exec(|| Ok(nix::unistd::setsid().map(|_| ())?));
        }
        let mut shell = command.spawn().unwrap();
        let program = Pid::from_raw(i32::try_from(shell.id()).unwrap());
        let mut stranger = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let mut roster = Roster::of(program);
        // The program, two orphans, and a child that left the session.
        while roster.members().len() < 4 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            roster.survey();
        }
        roster.survey();
        assert_eq!(roster.members().len(), 4);
        assert_eq!(roster.members()[0].pid, program.as_raw());
        let stranger_pid = i32::try_from(stranger.id()).unwrap();
        assert!(!roster.members().iter().any(|member| member.pid == stranger_pid));

        // The session is known by its leader also when that has ended, as long as it is not reaped.
        kill(program, Signal::SIGKILL).unwrap();
        while roster.members().iter().any(|member| member.pid == program.as_raw()) {
            roster.survey();
        }
        assert_eq!(roster.members().len(), 3);
        for member in roster.members() {
            let _ = kill(Pid::from_raw(member.pid), Signal::SIGKILL);
        }
        let _ = killpg(program, Signal::SIGKILL);
        shell.wait().unwrap();
        stranger.kill().unwrap();
        stranger.wait().unwrap();
        while !roster.members().is_empty() {
            roster.survey();
        }
    }
}
