//! Our end of the line to a warden.

use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use super::message::{self, Order, Report};

/// Lines to wardens whose trees were released: open for as long as we live, so that the trees do
/// not live longer.
static RELEASED: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// The line to one warden. Dropped, it makes the warden kill its tree, or leave it alone if the
/// program is to survive.
pub(crate) struct Link {
    stream: UnixStream,
    inbox: [u8; message::LEN],
    filled: usize,
}

/// What a warden tells of a running program.
#[derive(Debug)]
pub(crate) enum News {
    /// The program has ended.
    Exited(ExitStatus),
    /// The warden has ended, and with it the whole tree.
    Gone,
}

/// Waits for the next words of a warden that is starting its program; none, if it is gone.
pub(crate) fn next_report(mut control: &StdStream) -> Option<Report> {
    let mut bytes = [0; message::LEN];
    control.read_exact(&mut bytes).ok()?;
    Report::decode(bytes)
}

impl Link {
    /// Takes over the line to a warden whose program runs. Needs a Tokio runtime.
    pub(crate) fn open(control: StdStream) -> io::Result<Self> {
        control.set_nonblocking(true)?;
        let stream = UnixStream::from_std(control)?;
        Ok(Self { stream, inbox: [0; message::LEN], filled: 0 })
    }

    /// The next news. Loses nothing when cancelled.
    pub(crate) async fn news(&mut self) -> News {
        while self.filled < message::LEN {
            match self.stream.read(&mut self.inbox[self.filled..]).await {
                // A reset is an end, too: the warden left with an order unread.
                Ok(0) | Err(_) => return News::Gone,
                Ok(count) => self.filled += count,
            }
        }
        self.filled = 0;
        match Report::decode(self.inbox) {
            Some(Report::Exited(status)) => News::Exited(ExitStatus::from_raw(status)),
            _ => News::Gone,
        }
    }

    /// Orders SIGTERM for the whole tree, and SIGKILL for what is left after `grace`.
    pub(crate) async fn terminate(&mut self, grace: Duration) {
        let grace_ms = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        self.order(Order::Terminate { grace_ms }).await;
    }

    /// Orders SIGKILL for the whole tree.
    pub(crate) async fn kill(&mut self) {
        self.order(Order::Kill).await;
    }

    async fn order(&mut self, order: Order) {
        // Fails only when the warden is gone, which `news` will tell.
        let _ = self.stream.write_all(&order.encode()).await;
    }

    /// Lets the tree run on, watched over until we end.
    pub(crate) fn release(self) {
        match self.stream.as_fd().try_clone_to_owned() {
            Ok(line) => {
                let mut released = RELEASED.lock().unwrap_or_else(PoisonError::into_inner);
                released.retain(still_held);
                released.push(line);
            }
            Err(error) => tracing::warn!(%error, "no descriptor left to keep a process running"),
        }
    }
}

/// Whether the other end is still there.
fn still_held(line: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(line.as_fd(), PollFlags::empty())];
    let _ = poll(&mut fds, PollTimeout::ZERO);
    let [fd] = fds;
    !fd.revents().is_some_and(|events| events.contains(PollFlags::POLLHUP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_line_is_held_until_the_other_end_is_closed() {
        let (ours, theirs) = StdStream::pair().unwrap();
        let line = OwnedFd::from(ours);
        (&theirs).write_all(b"unread").unwrap();
        assert!(still_held(&line));
        drop(theirs);
        assert!(!still_held(&line));
    }
}
