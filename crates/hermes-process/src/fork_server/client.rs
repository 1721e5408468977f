//! Our side: starting the fork server and sending it requests.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork};

use super::server;
use crate::request::SpawnFds;
use crate::request::handover;
use crate::system;

/// How long a request may wait for room in the fork server's queue, which holds hundreds.
const SEND_LIMIT: Duration = Duration::from_secs(2);

static FORK_SERVER: Mutex<Option<ForkServer>> = Mutex::new(None);

struct ForkServer {
    pid: Pid,
    socket: UnixStream,
}

/// Gets ready to start programs, which otherwise happens with the first one.
///
/// Worth calling early in a program that will grow large: the helper process made here is a copy
/// of this one as it is now. Calling it again does nothing.
pub fn prepare() -> io::Result<()> {
    let mut fork_server = FORK_SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    if fork_server.is_none() {
        *fork_server = Some(ForkServer::start()?);
    }
    Ok(())
}

/// Which fork server has a request, so that it can be told from those after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForkServerId(Pid);

/// Asks for a program to be started. Whether it was is said by its supervisor.
pub(crate) fn request(
    image_len: usize,
    fds: &SpawnFds<BorrowedFd<'_>>,
) -> io::Result<ForkServerId> {
    let mut slot = FORK_SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(fork_server) = slot.take() {
        match handover::send(fork_server.socket.as_fd(), image_len, fds) {
            Ok(()) => return Ok(fork_server.keep_in(&mut slot)),
            // Its queue has been full for as long as we care to wait.
            Err(Errno::EAGAIN) => fork_server.kill_unresponsive(),
            // Says nothing about the fork server: too many descriptors are under way to all of
            // them.
            Err(error @ (Errno::ETOOMANYREFS | Errno::ENOMEM | Errno::ENOBUFS)) => {
                fork_server.keep_in(&mut slot);
                return Err(error.into());
            }
            Err(_) => fork_server.reap_killed(),
        }
    }
    let fork_server = ForkServer::start()?;
    let sent = handover::send(fork_server.socket.as_fd(), image_len, fds);
    let id = fork_server.keep_in(&mut slot);
    sent?;
    Ok(id)
}

/// Ends a fork server that has left a request unanswered; the next command starts another. Requests
/// that are still in its queue are dropped, and their makers ask again.
pub(crate) fn replace(unresponsive: ForkServerId) {
    let mut slot = FORK_SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    // Somebody else may have been faster.
    if let Some(fork_server) =
        slot.take_if(|fork_server| ForkServerId(fork_server.pid) == unresponsive)
    {
        fork_server.kill_unresponsive();
    }
}

/// Lets the fork server go, if there is one; the next command starts another.
pub(crate) fn retire() {
    let fork_server = FORK_SERVER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(fork_server) = fork_server {
        fork_server.close_and_reap();
    }
}

impl ForkServer {
    fn start() -> io::Result<Self> {
        let (ours, theirs) = system::socket_pair()?;
        ours.set_write_timeout(Some(SEND_LIMIT))?;
        // SAFETY: the copy goes on with `serve`, which keeps to what is allowed there.
        match unsafe { fork() }? {
            ForkResult::Child => server::serve(theirs.as_fd()),
            ForkResult::Parent { child } => {
                tracing::debug!(pid = child.as_raw(), "fork server started");
                Ok(Self { pid: child, socket: ours })
            }
        }
    }

    fn keep_in(self, slot: &mut Option<Self>) -> ForkServerId {
        let id = ForkServerId(self.pid);
        *slot = Some(self);
        id
    }

    /// Kills a fork server that does not answer. Running programs are not affected.
    fn kill_unresponsive(self) {
        tracing::warn!(
            pid = self.pid.as_raw(),
            "the fork server does not answer; the next is started"
        );
        // Our own child and not reaped yet, so the number is certainly its.
        let _ = kill(self.pid, Signal::SIGKILL);
        self.close_and_reap();
    }

    /// Reaps a fork server that does not listen any more: it has been killed, or ends for want of
    /// us.
    fn reap_killed(self) {
        tracing::warn!(pid = self.pid.as_raw(), "the fork server was killed; starting another");
        self.close_and_reap();
    }

    /// Hangs up, upon which it ends, and reaps it.
    fn close_and_reap(self) {
        drop(self.socket);
        // An error means that it is not our child (we are a copy of who started it).
        let _ = waitpid(self.pid, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_preparation_changes_nothing() {
        prepare().expect("first");
        let pid = || FORK_SERVER.lock().unwrap().as_ref().map(|fork_server| fork_server.pid);
        let before = pid();
        prepare().expect("second");
        assert!(before.is_some() && before == pid());
    }
}
