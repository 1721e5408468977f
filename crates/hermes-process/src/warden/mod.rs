//! The warden: the process that stands between us and one program, and owns that program's tree.
//!
//! It is forked by the keeper, waits for a request, starts the program, says whether that worked,
//! and from then on watches over the tree. We talk to it over a socket pair ([`Line`]), in messages
//! of eight bytes.
//!
//! **Why no tree outlives us.** The warden holds one end of the socket pair, we the other, and
//! nobody else. However we end, the kernel closes our end; the warden reads the end of file and
//! kills. It cannot be told apart from dropping the handle on purpose, and need not be.
//!
//! **Why no descendant escapes.** The warden is a *child subreaper*: a process whose parent dies
//! is handed to the nearest subreaper above it. So every descendant stays below the warden,
//! through double forks and `setsid`. The warden kills all it finds below itself in `/proc`, again
//! and again, until the kernel says that it has no children left. Only then it exits, so its end
//! is the proof that the tree is gone.
//!
//! **Why the program does not outlive its warden.** Should the warden itself be killed, the
//! program dies by its parent-death signal. That signal is bound to the *thread* that started the
//! program, a trap in programs with a thread pool; a warden has one thread. With
//! [`Lifetime::Survives`](crate::Lifetime) there is no such signal, and the end of file makes the
//! warden step aside.
//!
//! What runs in the warden is restricted, see the `forked` module. All signals are blocked in it;
//! it hears of dead children through a `signalfd`.

mod line;
mod message;
mod program;
mod watch;

pub(crate) use line::{Line, News, next_report};
pub(crate) use message::{Report, Stage};

use std::os::fd::{AsFd as _, BorrowedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;
use nix::unistd::write;

use crate::forked;
use crate::keeper::Request;

/// What can be done before there is a request.
pub(crate) fn get_ready() {
    // What `ps` shows.
    let _ = prctl::set_name(c"hermes-spare");
    // The keeper ignores its children's ends; we live for them.
    forked::set_disposition(libc::SIGCHLD, libc::SIG_DFL);
}

/// The warden's whole life, from the request on.
pub(crate) fn stand(request: &Request) -> ! {
    let control = request.fds.control.as_fd();
    let _ = prctl::set_name(c"hermes-warden");
    match program::start(request) {
        Ok((program, lifetime)) => {
            report(control, Report::Started(program.as_raw()));
            // The program's pipes must see their end without us. The descriptors in `request` are
            // not used again: this function does not return.
            forked::close_all_but(control);
            watch::over(program, control, lifetime);
        }
        Err((stage, error)) => report(control, Report::Failed(stage, error)),
    }
    forked::exit()
}

/// Says in place of a warden that there is none.
pub(crate) fn decline(control: BorrowedFd<'_>, error: Errno) {
    report(control, Report::Failed(Stage::Prepare, error));
}

fn report(control: BorrowedFd<'_>, report: Report) {
    // If nobody is there to read it, the end of file will tell.
    let _ = write(control, &report.encode());
}
