//! The keeper's side: a loop that forks wardens. Runs in a forked copy of us, see `forked`.
//!
//! There is always one warden more than programs, the *spare*: it waits for the next request
//! itself, so that no fork stands between a request and its program. As soon as it has one, the
//! keeper forks the next.

use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

use nix::fcntl::OFlag;
use nix::libc;
use nix::sys::prctl;
use nix::unistd::{ForkResult, chdir, fork, pipe2, read, setsid, write};

use super::handover::{self, Received};
use crate::forked;
use crate::warden;

/// Whether there is still someone to serve.
#[derive(PartialEq, Eq)]
enum Service {
    GoesOn,
    Ended,
}

/// What a spare writes when it hears that there will be no request.
const CLOSED: &[u8] = b"x";

/// Serves requests until nobody is left to make one.
pub(super) fn serve(socket: BorrowedFd<'_>) -> ! {
    if settle(socket).is_ok() {
        while keep_a_spare(socket) == Service::GoesOn {}
    }
    forked::exit()
}

/// Forks a spare and waits until it is needed, or has been killed.
fn keep_a_spare(socket: BorrowedFd<'_>) -> Service {
    // The spare's end closes when it takes a request, or dies.
    let Ok((watched, place)) = pipe2(OFlag::O_CLOEXEC) else {
        return serve_without_spare(socket);
    };
    // SAFETY: this process has a single thread, and the copy keeps to system calls.
    match unsafe { fork() } {
        Ok(ForkResult::Child) => {
            drop(watched);
            wait_as_spare(socket, place)
        }
        Ok(ForkResult::Parent { .. }) => {
            drop(place);
            match read(watched, &mut [0]) {
                Ok(0) => Service::GoesOn,
                _ => Service::Ended,
            }
        }
        Err(_) => serve_without_spare(socket),
    }
}

fn wait_as_spare(socket: BorrowedFd<'_>, place: OwnedFd) -> ! {
    warden::get_ready();
    loop {
        match handover::receive(socket) {
            Received::Request(request) => {
                // Before the program is started, which may take long on a slow file system.
                drop(place);
                warden::stand(&request);
            }
            Received::Garbled => {}
            Received::Closed => {
                let _ = write(place, CLOSED);
                forked::exit();
            }
        }
    }
}

/// For times when there is no room for a spare: tries again when it is needed.
fn serve_without_spare(socket: BorrowedFd<'_>) -> Service {
    match handover::receive(socket) {
        Received::Request(request) => {
            // SAFETY: as above.
            match unsafe { fork() } {
                Ok(ForkResult::Child) => {
                    warden::get_ready();
                    warden::stand(&request);
                }
                Ok(ForkResult::Parent { .. }) => {}
                Err(error) => warden::decline(request.fds.control.as_fd(), error),
            }
            Service::GoesOn
        }
        Received::Garbled => Service::GoesOn,
        Received::Closed => Service::Ended,
    }
}

/// Gets clear of the original.
fn settle(socket: BorrowedFd<'_>) -> nix::Result<()> {
    forked::shut_out_signals()?;
    // Wardens need not be reaped: what they have to say they say to their owner.
    forked::set_disposition(libc::SIGCHLD, libc::SIG_IGN);
    // Out of the terminal's reach: its Ctrl-C and hang-up are for the original to act upon.
    setsid()?;
    // What `ps` shows.
    let _ = prctl::set_name(c"hermes-keeper");
    // Our memory is a copy of the original's, secrets included: not for programs to look at.
    let _ = prctl::set_dumpable(false);
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
