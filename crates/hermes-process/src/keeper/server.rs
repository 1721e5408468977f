//! The keeper's side: a loop that forks wardens. Runs in a forked copy of us, see `forked`.

use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};

use nix::libc;
use nix::sys::prctl;
use nix::unistd::{ForkResult, chdir, fork, setsid};

use super::handover::{self, Received};
use crate::forked;
use crate::warden;

/// Serves requests until nobody is left to make one.
pub(super) fn serve(socket: BorrowedFd<'_>) -> ! {
    if settle(socket).is_ok() {
        loop {
            match handover::receive(socket) {
                Received::Request(request) => {
                    // SAFETY: this process has a single thread, and the copy keeps to system calls.
                    match unsafe { fork() } {
                        Ok(ForkResult::Child) => warden::stand(&request),
                        Ok(ForkResult::Parent { .. }) => {}
                        Err(error) => warden::decline(request.fds.control.as_fd(), error),
                    }
                }
                Received::Garbled => {}
                Received::Closed => break,
            }
        }
    }
    forked::exit()
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
