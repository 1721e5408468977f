//! The fork server's side: a loop that forks supervisors. Runs in a forked copy of us, see
//! `forked`.
//!
//! There is always one supervisor more than programs, the *standby*: it waits for the next request
//! itself, so that no fork stands between a request and its program. As soon as it has one, the
//! fork server forks the next.

use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::unistd::{ForkResult, chdir, fork, read, setsid, write};

use crate::forked;
use crate::native;
use crate::request::handover::{self, ReceivedRequest};
use crate::supervisor::{self, StartStage};
use crate::system;

/// Whether there is still someone to serve.
#[derive(PartialEq, Eq)]
enum Service {
    GoesOn,
    Ended,
}

/// What a standby writes when it hears that there will be no request.
const CLOSED: &[u8] = b"x";

/// Serves requests until nobody is left to make one.
pub(super) fn serve(socket: BorrowedFd<'_>) -> ! {
    if settle(socket).is_ok() {
        while fork_standby(socket) == Service::GoesOn {}
    }
    forked::exit()
}

/// Forks a standby and waits until it is needed, or has been killed.
fn fork_standby(socket: BorrowedFd<'_>) -> Service {
    // The standby's end closes when it takes a request, or dies.
    let Ok((watched, standby_end)) = system::pipe() else {
        return serve_without_standby(socket);
    };
    // SAFETY: this process has a single thread, and the copy keeps to system calls.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => {
            drop(watched);
            wait_as_standby(socket, standby_end)
        }
        Ok(ForkResult::Parent { .. }) => {
            drop(standby_end);
            match read(watched, &mut [0]) {
                Ok(0) => Service::GoesOn,
                _ => Service::Ended,
            }
        }
        Err(_) => serve_without_standby(socket),
    }
}

fn wait_as_standby(socket: BorrowedFd<'_>, standby_end: OwnedFd) -> ! {
    supervisor::become_standby();
    loop {
        match handover::receive(socket) {
            ReceivedRequest::Request(request) => {
                // Before the program is started, which may take long on a slow file system.
                drop(standby_end);
                supervisor::supervise(&request);
            }
            ReceivedRequest::Incomplete { control, error } => refuse(control, error),
            ReceivedRequest::Closed => {
                let _ = write(standby_end, CLOSED);
                forked::exit();
            }
        }
    }
}

/// For times when there is no room for a standby: tries again when it is needed.
fn serve_without_standby(socket: BorrowedFd<'_>) -> Service {
    match handover::receive(socket) {
        ReceivedRequest::Request(request) => {
            // SAFETY: as above.
            match unsafe { fork() } {
                Ok(ForkResult::Child) => {
                    supervisor::become_standby();
                    supervisor::supervise(&request);
                }
                Ok(ForkResult::Parent { .. }) => {}
                Err(error) => {
                    supervisor::decline(request.fds.control.as_fd(), StartStage::Prepare, error);
                }
            }
            Service::GoesOn
        }
        ReceivedRequest::Incomplete { control, error } => {
            refuse(control, error);
            Service::GoesOn
        }
        ReceivedRequest::Closed => Service::Ended,
    }
}

/// Answers a request that did not arrive whole. Its program has certainly not been started.
fn refuse(control: Option<OwnedFd>, error: Errno) {
    if let Some(control) = control {
        supervisor::decline(control.as_fd(), StartStage::Handover, error);
    }
}

/// Gets clear of the original.
fn settle(socket: BorrowedFd<'_>) -> nix::Result<()> {
    forked::shut_out_signals()?;
    // Supervisors need not be reaped: what they have to say they say to their owner.
    forked::set_disposition(libc::SIGCHLD, libc::SIG_IGN);
    // Out of the terminal's reach: its Ctrl-C and hang-up are for the original to act upon.
    setsid()?;
    // What `ps` shows.
    native::name_process(native::FORK_SERVER);
    // Our memory is a copy of the original's, secrets included: not for programs to look at.
    let _ = native::keep_from_tracing();
    // Keeps no file system from being unmounted.
    let _ = chdir(c"/");
    forked::close_all_but(socket);
    // Received descriptors must not take the numbers of the standard three, lest one is
    // overwritten by another when they are put in place.
    for standard in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        if standard != socket.as_raw_fd() {
            // SAFETY: the target was closed above and belongs to nobody.
            unsafe { libc::dup2(socket.as_raw_fd(), standard) };
        }
    }
    Ok(())
}
