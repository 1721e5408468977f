//! A tree that is remembered: see `roster`.
//!
//! The supervisor hears of its program's end by a self-pipe. It does not hear of anybody else's: orphans belong to
//! init. So it looks: soon after the start, because that is when daemons are made, then more and more rarely, and
//! often again once the program has ended and something is left, until nothing is.
//!
//! The program is reaped last. Until then its number belongs to nobody else, and with it its session and group.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc::{self, c_int};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, kill, killpg, sigaction};
use nix::unistd::{Pid, getpgrp, read};

use super::roster::Roster;
use super::signals::signal_exactly;
use crate::system::{Left, Reaped};

/// Pause between two looks at a tree: doubled from the first to the last.
const FIRST_LOOK: Duration = Duration::from_millis(2);
const LAST_LOOK: Duration = Duration::from_secs(1);
/// The last while something is left of a program that has ended: somebody may be waiting for its end.
const LAST_LOOK_AT_REST: Duration = Duration::from_millis(100);

/// The writing end of the self-pipe.
static PEN: AtomicI32 = AtomicI32::new(-1);

/// A program and all that descend from it, as far as they were seen.
pub(crate) struct Tree {
    program: Pid,
    has_ended: bool,
    roster: Roster,
    news: OwnedFd,
    _pen: OwnedFd,
    next_look: Instant,
    pause: Duration,
}

impl Tree {
    /// Starts to listen for the program's end. If that cannot be had the program is killed, since nobody would
    /// watch over it.
    pub(crate) fn watch(program: Pid) -> Option<Self> {
        let Ok((news, pen)) = listen() else {
            let _ = killpg(program, Signal::SIGKILL);
            return None;
        };
        let roster = Roster::of(program);
        let next_look = Instant::now() + FIRST_LOOK;
        let (has_ended, pause) = (false, FIRST_LOOK);
        Some(Self { program, has_ended, roster, news, _pen: pen, next_look, pause })
    }

    /// Becomes readable when the program has ended.
    pub(crate) fn news(&self) -> BorrowedFd<'_> {
        self.news.as_fd()
    }

    /// Empties what became readable: who ended is for `reap` to find out.
    pub(crate) fn heard(&self) {
        while matches!(read(&self.news, &mut [0; 16]), Ok(1..)) {}
    }

    /// When to look again without having heard anything.
    pub(crate) fn look_again(&self) -> Option<Instant> {
        Some(self.next_look)
    }

    /// Finds out whether the program has ended, and looks who else there is when it is time to.
    pub(crate) fn reap(&mut self) -> Reaped {
        let mut ended = None;
        if !self.has_ended {
            ended = status_of(self.program);
            self.has_ended = ended.is_some();
        }
        let now = Instant::now();
        let is_news = ended.is_some();
        if is_news {
            self.pause = FIRST_LOOK;
        }
        if is_news || now >= self.next_look {
            let last = if self.has_ended {
                self.roster.survey();
                LAST_LOOK_AT_REST
            } else {
                self.roster.refresh();
                LAST_LOOK
            };
            self.next_look = now + self.pause;
            self.pause = (self.pause * 2).min(last);
        }
        if !self.has_ended || !self.roster.members().is_empty() {
            return Reaped { ended, left: Left::Some };
        }
        // SAFETY: takes an integer and a null pointer, which it allows for.
        unsafe { libc::waitpid(self.program.as_raw(), std::ptr::null_mut(), 0) };
        Reaped { ended, left: Left::Nothing }
    }

    /// The program first: a shell that finds a child ended goes on with its script, which may say what to do when
    /// that child fails. It comes first by itself, being the oldest on the list.
    pub(crate) fn terminate_all(&mut self) {
        self.roster.survey();
        for member in self.roster.members() {
            signal_exactly(member, Signal::SIGTERM);
            // A stopped process would otherwise not get to hear it.
            signal_exactly(member, Signal::SIGCONT);
        }
        self.look_soon();
    }

    /// Kills by group as well as one by one: a group dies at a stroke, so that a program that forks as fast as it
    /// can does not stay ahead. The groups of members hold descendants only, since a group never spans sessions.
    pub(crate) fn kill_all(&mut self) {
        // Before all else, and also where there is no table of processes. Not reaped: the number is its own.
        let _ = killpg(self.program, Signal::SIGKILL);
        let _ = kill(self.program, Signal::SIGKILL);
        self.roster.survey();
        let own = getpgrp().as_raw();
        for member in self.roster.members() {
            if member.group > 1 && member.group != own {
                let _ = killpg(Pid::from_raw(member.group), Signal::SIGKILL);
            }
            signal_exactly(member, Signal::SIGKILL);
        }
        self.look_soon();
    }

    fn look_soon(&mut self) {
        self.pause = FIRST_LOOK;
        self.next_look = Instant::now() + FIRST_LOOK;
    }
}

/// The status of a program that has ended, which stays unreaped.
fn status_of(program: Pid) -> Option<c_int> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let id = libc::id_t::try_from(program.as_raw()).ok()?;
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: writes one structure.
    let asked = unsafe { libc::waitid(libc::P_PID, id, info.as_mut_ptr(), options) };
    match Errno::result(asked) {
        Ok(_) => {}
        // Reaped by nobody but us; without a child there is no status to be had.
        Err(Errno::ECHILD) => return Some(libc::SIGKILL),
        Err(_) => return None,
    }
    // SAFETY: the kernel has filled it in, or left it as it was: zero, which is no process.
    let (info, pid, status) = unsafe {
        let info = info.assume_init();
        (info, info.si_pid(), info.si_status())
    };
    // As `waitpid` would put it.
    let dumped = if info.si_code == libc::CLD_DUMPED { 0x80 } else { 0 };
    match info.si_code {
        _ if pid == 0 => None,
        libc::CLD_EXITED => Some((status & 0xFF) << 8),
        _ => Some((status & 0x7F) | dumped),
    }
}

/// Has ends of children written into a pipe.
fn listen() -> nix::Result<(OwnedFd, OwnedFd)> {
    let (news, pen) = super::pipe()?;
    for end in [&news, &pen] {
        fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    }
    PEN.store(pen.as_raw_fd(), Ordering::SeqCst);
    let action =
        SigAction::new(SigHandler::Handler(note_end), SaFlags::SA_NOCLDSTOP, SigSet::empty());
    // SAFETY: the handler makes one system call and keeps the error number.
    unsafe { sigaction(Signal::SIGCHLD, &action)? };
    let mut children = SigSet::empty();
    children.add(Signal::SIGCHLD);
    children.thread_unblock()?;
    Ok((news, pen))
}

extern "C" fn note_end(_: c_int) {
    let before = Errno::last_raw();
    let pen = PEN.load(Ordering::SeqCst);
    // SAFETY: writes one byte. A full pipe has told already.
    unsafe { libc::write(pen, [0_u8].as_ptr().cast(), 1) };
    Errno::set_raw(before);
}
