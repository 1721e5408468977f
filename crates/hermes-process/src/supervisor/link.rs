//! Our end of the link to a supervisor.
//!
//! A link is shared: one task may wait for the program while others ask how it is or order its
//! end. Whoever comes first reads what has arrived and tells the others; the lock around what was
//! inbox is held for a read that does not wait, never across an `await`.

use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, Shutdown, send, shutdown};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;

use super::message::{self, SupervisorOrder, SupervisorReport};
use crate::system;

/// Lines to supervisors whose trees were released: open for as long as we live, so that the trees
/// do not live longer.
static RELEASED: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// The link to one supervisor. Dropped, it makes the supervisor kill its tree, or leave it alone if
/// the program is to survive.
pub(crate) struct SupervisorLink {
    socket: AsyncFd<UnixStream>,
    inbox: Mutex<Inbox>,
    changed: Notify,
}

/// What a supervisor has told of its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TreeState {
    /// How the program has ended, if it has.
    pub(crate) status: Option<ExitStatus>,
    /// Whether the whole tree has ended.
    pub(crate) gone: bool,
}

struct Inbox {
    bytes: [u8; message::LEN],
    filled: usize,
    state: TreeState,
}

/// What is heard of a program that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstReport {
    /// From its supervisor, or from who could not make one.
    Arrived(SupervisorReport),
    /// The other end is closed: nobody is there to say anything.
    Gone,
    /// Nothing within the time that was given.
    Overdue,
}

/// Waits for the first words about a program, but no longer than `limit`.
pub(crate) fn first_report(mut control: &UnixStream, limit: Duration) -> FirstReport {
    let begun = Instant::now();
    loop {
        let left = limit.saturating_sub(begun.elapsed());
        // Rounded up, lest the last fraction of a millisecond is spent spinning.
        let wait = i32::try_from(left.as_millis()).unwrap_or(i32::MAX).saturating_add(1);
        let wait = PollTimeout::try_from(wait).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(control.as_fd(), PollFlags::POLLIN)], wait) {
            Ok(1..) => break,
            Ok(_) | Err(Errno::EINTR) if begun.elapsed() < limit => {}
            Ok(_) | Err(Errno::EINTR) => return FirstReport::Overdue,
            Err(_) => return FirstReport::Gone,
        }
    }
    // Reports are written in one piece: what begins to arrive has arrived.
    let mut bytes = [0; message::LEN];
    let report = control.read_exact(&mut bytes).ok().and_then(|()| SupervisorReport::decode(bytes));
    report.map_or(FirstReport::Gone, FirstReport::Arrived)
}

/// Has a program killed that nobody waits for any more, should it still be started, also one that
/// would survive the end of the link.
pub(crate) fn forbid(control: &UnixStream) {
    let _ = send(control.as_raw_fd(), &SupervisorOrder::Kill.encode(), sending());
}

/// How orders are sent: without waiting, and without a signal if nobody is there.
fn sending() -> MsgFlags {
    MsgFlags::from_bits_retain(system::SEND) | MsgFlags::MSG_DONTWAIT
}

impl SupervisorLink {
    /// Takes over the link to a supervisor whose program runs. Needs a Tokio runtime.
    pub(crate) fn open(control: UnixStream) -> io::Result<Self> {
        control.set_nonblocking(true)?;
        // Not Tokio's own stream, which would also be told, and wake someone, that there is room
        // to write.
        // SAFETY: an owned socket means the same open file until it is dropped.
        let socket = unsafe { AsyncFd::register_with_interest(control, Interest::READABLE) };
        let socket = socket.map_err(io::Error::from)?;
        let state = TreeState { status: None, gone: false };
        let inbox = Mutex::new(Inbox { bytes: [0; message::LEN], filled: 0, state });
        Ok(Self { socket, inbox, changed: Notify::new() })
    }

    /// What is known by now, without waiting.
    pub(crate) fn state(&self) -> TreeState {
        // Asks the kernel, not the runtime, which may not have looked for a while.
        self.read_reports(|into| self.socket.get_ref().read(into))
    }

    /// Waits for a state in which `pick` finds something. Loses nothing when cancelled.
    pub(crate) async fn until<T>(&self, pick: impl Fn(TreeState) -> Option<T>) -> T {
        loop {
            // Listens to the others first, lest one reads the state between our look and our wait.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let state = self.read_reports(|into| {
                self.socket.try_io(Interest::READABLE, |mut socket| socket.read(into))
            });
            if let Some(found) = pick(state) {
                return found;
            }
            tokio::select! {
                readable = self.socket.readable() => {
                    if readable.is_err() {
                        // The runtime is being shut down.
                        std::future::pending::<()>().await;
                    }
                }
                () = changed => {}
            }
        }
    }

    /// Reads all there is.
    fn read_reports(&self, mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> TreeState {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let before = inbox.state;
        while !inbox.state.gone {
            let Inbox { bytes, filled, state } = &mut *inbox;
            match read(&mut bytes[*filled..]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A reset is an end, too: the supervisor left with an order unread.
                Ok(0) | Err(_) => state.gone = true,
                Ok(count) => *filled += count,
            }
            if *filled == message::LEN {
                *filled = 0;
                state.apply(SupervisorReport::decode(*bytes));
            }
        }
        let after = inbox.state;
        drop(inbox);
        if after != before {
            self.changed.notify_waiters();
        }
        after
    }

    /// Orders SIGTERM for the whole tree, and SIGKILL for what is left after `grace`.
    pub(crate) fn terminate(&self, grace: Duration) {
        let grace_ms = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        self.order(SupervisorOrder::Terminate { grace_ms });
    }

    /// Orders SIGKILL for the whole tree.
    pub(crate) fn kill(&self) {
        self.order(SupervisorOrder::Kill);
    }

    fn order(&self, order: SupervisorOrder) {
        // Eight bytes always find room, as supervisors read at once. Fails only when the supervisor
        // is gone, which `state` will tell.
        let _ = send(self.socket.as_raw_fd(), &order.encode(), sending());
    }

    /// Does what dropping the link does, also while others hold it: they may still listen.
    pub(crate) fn hang_up(&self) {
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Write);
    }

    /// Lets the tree run on, watched over until we end.
    pub(crate) fn release(&self) {
        match self.socket.get_ref().as_fd().try_clone_to_owned() {
            Ok(link) => {
                let mut released = RELEASED.lock().unwrap_or_else(PoisonError::into_inner);
                released.retain(still_held);
                released.push(link);
            }
            Err(error) => tracing::warn!(%error, "no descriptor left to keep a process running"),
        }
    }
}

impl TreeState {
    fn apply(&mut self, report: Option<SupervisorReport>) {
        match report {
            Some(SupervisorReport::Exited(status)) => {
                self.status = Some(ExitStatus::from_raw(status));
            }
            Some(SupervisorReport::Finished(status)) => {
                *self = Self { status: Some(ExitStatus::from_raw(status)), gone: true };
            }
            _ => self.gone = true,
        }
    }
}

/// Whether the other end is still there.
fn still_held(link: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(link.as_fd(), PollFlags::empty())];
    let _ = poll(&mut fds, PollTimeout::ZERO);
    let [fd] = fds;
    !fd.revents().is_some_and(|events| events.contains(PollFlags::POLLHUP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::sync::Arc;

    #[test]
    fn a_link_is_held_until_the_other_end_is_closed() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let link = OwnedFd::from(ours);
        (&theirs).write_all(b"unread").unwrap();
        assert!(still_held(&link));
        drop(theirs);
        assert!(!still_held(&link));
    }

    #[test]
    fn the_first_report_is_waited_for_but_not_for_ever() {
        let limit = Duration::from_millis(20);
        let (ours, theirs) = UnixStream::pair().unwrap();
        let begun = Instant::now();
        assert_eq!(first_report(&ours, limit), FirstReport::Overdue);
        assert!(begun.elapsed() >= limit);
        (&theirs).write_all(&SupervisorReport::Started(7).encode()).unwrap();
        assert_eq!(first_report(&ours, limit), FirstReport::Arrived(SupervisorReport::Started(7)));
        drop(theirs);
        assert_eq!(first_report(&ours, limit), FirstReport::Gone);
    }

    #[tokio::test]
    async fn everyone_who_waits_hears_the_news_that_one_of_them_read() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let link = Arc::new(SupervisorLink::open(ours).unwrap());
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let link = Arc::clone(&link);
                tokio::spawn(async move { link.until(|state| state.status).await })
            })
            .collect();
        tokio::task::yield_now().await;
        (&theirs).write_all(&SupervisorReport::Exited(256).encode()).unwrap();
        // Read by none of those who wait.
        assert_eq!(link.state().status.and_then(|status| status.code()), Some(1));
        for task in waiting {
            assert_eq!(task.await.unwrap().code(), Some(1));
        }
        assert!(!link.state().gone);
        drop(theirs);
        link.until(|state| state.gone.then_some(())).await;
    }
}
