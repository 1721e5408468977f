//! The supervisor: the process that stands between us and one program, and owns that program's
//! tree.
//!
//! It is forked by the fork server, waits for a request, starts the program, says whether that
//! worked, and from then on watches over the tree. We talk to it over a socket pair
//! ([`SupervisorLink`]), in messages of eight bytes.
//!
//! **Why no tree outlives us.** The supervisor holds one end of the socket pair, we the other, and
//! nobody else. However we end, the kernel closes our end; the supervisor reads the end of file and
//! kills. It cannot be told apart from dropping the handle on purpose, and need not be.
//!
//! **Why no descendant escapes.** The supervisor is a *child subreaper*: a process whose parent
//! dies is handed to the nearest subreaper above it. So every descendant stays below the
//! supervisor, through double forks and `setsid`. The supervisor kills all it finds below itself in
//! `/proc`, again and again, until the kernel says that it has no children left. Only then it
//! exits, so its end is the proof that the tree is gone.
//!
//! **Why the program does not outlive its supervisor.** Should the supervisor itself be killed, the
//! program dies by its parent-death signal. That signal is bound to the *thread* that started the
//! program, a trap in programs with a thread pool; a supervisor has one thread. With
//! [`Lifetime::Survives`](crate::Lifetime) there is no such signal, and the end of file makes the
//! supervisor step aside.
//!
//! What runs in the supervisor is restricted, see the `forked` module. All signals are blocked in
//! it; it hears of dead children through a `signalfd`.
//!
//! The last three paragraphs are about Linux. What takes the place of subreaper, parent-death signal and `signalfd`
//! elsewhere, and what follows from that, is told in `system::portable`.

mod link;
mod message;
mod program;
mod watch;

pub(crate) use link::{FirstReport, SupervisorLink, TreeState, first_report, forbid};
pub(crate) use message::{StartStage, SupervisorReport};

use std::os::fd::{AsFd as _, BorrowedFd};

use nix::errno::Errno;
use nix::libc;
use nix::unistd::write;

use crate::forked;
use crate::native;
use crate::request::SpawnRequest;
use crate::system;

/// What can be done before there is a request.
pub(crate) fn become_standby() {
    // What `ps` shows.
    native::name_process(native::STANDBY);
    // The fork server ignores its children's ends; we live for them.
    forked::set_disposition(libc::SIGCHLD, libc::SIG_DFL);
}

/// The supervisor's whole life, from the request on.
pub(crate) fn supervise(request: &SpawnRequest) -> ! {
    let control = request.fds.control.as_fd();
    native::name_process(native::SUPERVISOR);
    system::mark();
    match program::start(request) {
        Ok((program, lifetime)) => {
            report(control, SupervisorReport::Started(program.as_raw()));
            // The program's pipes must see their end without us. The descriptors in `request` are
            // not used again: this function does not return.
            forked::close_all_but(control);
            watch::watch_tree(program, control, lifetime);
        }
        Err((stage, error)) => report(control, SupervisorReport::Failed(stage, error)),
    }
    forked::exit()
}

/// Says in place of a supervisor that there is none.
pub(crate) fn decline(control: BorrowedFd<'_>, stage: StartStage, error: Errno) {
    report(control, SupervisorReport::Failed(stage, error));
}

fn report(control: BorrowedFd<'_>, report: SupervisorReport) {
    // If nobody is there to read it, the end of file will tell.
    let _ = write(control, &report.encode());
}
