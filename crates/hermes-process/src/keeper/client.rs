//! Our side: starting the keeper and sending it requests.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork};

use super::handover::{self, Handed};
use super::server;

static KEEPER: Mutex<Option<Keeper>> = Mutex::new(None);

struct Keeper {
    pid: Pid,
    socket: UnixStream,
}

/// Gets ready to start programs, which otherwise happens with the first one.
///
/// Worth calling early in a program that will grow large: the helper process made here is a copy
/// of this one as it is now. Calling it again does nothing.
pub fn prepare() -> io::Result<()> {
    let mut keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
    if keeper.is_none() {
        *keeper = Some(Keeper::start()?);
    }
    Ok(())
}

/// Asks for a program to be started. Whether it was is said by its warden.
pub(crate) fn request(image_len: usize, fds: &Handed<BorrowedFd<'_>>) -> io::Result<()> {
    let mut slot = KEEPER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(keeper) = slot.take() {
        if handover::send(keeper.socket.as_fd(), image_len, fds).is_ok() {
            *slot = Some(keeper);
            return Ok(());
        }
        keeper.bury();
    }
    let keeper = Keeper::start()?;
    handover::send(keeper.socket.as_fd(), image_len, fds)?;
    *slot = Some(keeper);
    Ok(())
}

/// Lets the keeper go, if there is one; the next command starts another.
pub(crate) fn retire() {
    let keeper = KEEPER.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(keeper) = keeper {
        keeper.part();
    }
}

impl Keeper {
    fn start() -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        // SAFETY: the copy goes on with `serve`, which keeps to what is allowed there.
        match unsafe { fork() }? {
            ForkResult::Child => server::serve(theirs.as_fd()),
            ForkResult::Parent { child } => {
                tracing::debug!(pid = child.as_raw(), "keeper started");
                Ok(Self { pid: child, socket: ours })
            }
        }
    }

    /// Reaps a keeper that does not listen any more: it has been killed, or ends for want of us.
    fn bury(self) {
        tracing::warn!(pid = self.pid.as_raw(), "the keeper was killed; starting another");
        self.part();
    }

    /// Hangs up, upon which it ends, and reaps it.
    fn part(self) {
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
        let pid = || KEEPER.lock().unwrap().as_ref().map(|keeper| keeper.pid);
        let before = pid();
        prepare().expect("second");
        assert!(before.is_some() && before == pid());
    }
}
