//! Our end of the line to a warden.
//!
//! A line is shared: one task may wait for the program while others ask how it is or order its
//! end. Whoever comes first reads what has arrived and tells the others; the lock around what was
//! heard is held for a read that does not wait, never across an `await`.

use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, Shutdown, send, shutdown};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;

use super::message::{self, Order, Report};

/// Lines to wardens whose trees were released: open for as long as we live, so that the trees do
/// not live longer.
static RELEASED: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// The line to one warden. Dropped, it makes the warden kill its tree, or leave it alone if the
/// program is to survive.
pub(crate) struct Line {
    socket: AsyncFd<UnixStream>,
    heard: Mutex<Heard>,
    changed: Notify,
}

/// What a warden has told of its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    /// How the program has ended, if it has.
    pub(crate) status: Option<ExitStatus>,
    /// Whether the whole tree has ended.
    pub(crate) gone: bool,
}

struct Heard {
    inbox: [u8; message::LEN],
    filled: usize,
    news: News,
}

/// Waits for the next words of a warden that is starting its program; none, if it is gone.
pub(crate) fn next_report(mut control: &UnixStream) -> Option<Report> {
    let mut bytes = [0; message::LEN];
    control.read_exact(&mut bytes).ok()?;
    Report::decode(bytes)
}

impl Line {
    /// Takes over the line to a warden whose program runs. Needs a Tokio runtime.
    pub(crate) fn open(control: UnixStream) -> io::Result<Self> {
        control.set_nonblocking(true)?;
        // Not Tokio's own stream, which would also be told, and wake someone, that there is room
        // to write.
        // SAFETY: an owned socket means the same open file until it is dropped.
        let socket = unsafe { AsyncFd::register_with_interest(control, Interest::READABLE) };
        let socket = socket.map_err(io::Error::from)?;
        let news = News { status: None, gone: false };
        let heard = Mutex::new(Heard { inbox: [0; message::LEN], filled: 0, news });
        Ok(Self { socket, heard, changed: Notify::new() })
    }

    /// What is known by now, without waiting.
    pub(crate) fn news(&self) -> News {
        // Asks the kernel, not the runtime, which may not have looked for a while.
        self.listen(|into| self.socket.get_ref().read(into))
    }

    /// Waits for news in which `pick` finds something. Loses nothing when cancelled.
    pub(crate) async fn until<T>(&self, pick: impl Fn(News) -> Option<T>) -> T {
        loop {
            // Listens to the others first, lest one reads the news between our look and our wait.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let news = self.listen(|into| {
                self.socket.try_io(Interest::READABLE, |mut socket| socket.read(into))
            });
            if let Some(found) = pick(news) {
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
    fn listen(&self, mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> News {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let before = heard.news;
        while !heard.news.gone {
            let Heard { inbox, filled, news } = &mut *heard;
            match read(&mut inbox[*filled..]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A reset is an end, too: the warden left with an order unread.
                Ok(0) | Err(_) => news.gone = true,
                Ok(count) => *filled += count,
            }
            if *filled == message::LEN {
                *filled = 0;
                news.hear(Report::decode(*inbox));
            }
        }
        let after = heard.news;
        drop(heard);
        if after != before {
            self.changed.notify_waiters();
        }
        after
    }

    /// Orders SIGTERM for the whole tree, and SIGKILL for what is left after `grace`.
    pub(crate) fn terminate(&self, grace: Duration) {
        let grace_ms = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        self.order(Order::Terminate { grace_ms });
    }

    /// Orders SIGKILL for the whole tree.
    pub(crate) fn kill(&self) {
        self.order(Order::Kill);
    }

    fn order(&self, order: Order) {
        // Eight bytes always find room, as wardens read at once. Fails only when the warden is
        // gone, which `news` will tell.
        let flags = MsgFlags::MSG_NOSIGNAL | MsgFlags::MSG_DONTWAIT;
        let _ = send(self.socket.as_raw_fd(), &order.encode(), flags);
    }

    /// Does what dropping the line does, also while others hold it: they may still listen.
    pub(crate) fn hang_up(&self) {
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Write);
    }

    /// Lets the tree run on, watched over until we end.
    pub(crate) fn release(&self) {
        match self.socket.get_ref().as_fd().try_clone_to_owned() {
            Ok(line) => {
                let mut released = RELEASED.lock().unwrap_or_else(PoisonError::into_inner);
                released.retain(still_held);
                released.push(line);
            }
            Err(error) => tracing::warn!(%error, "no descriptor left to keep a process running"),
        }
    }
}

impl News {
    fn hear(&mut self, report: Option<Report>) {
        match report {
            Some(Report::Exited(status)) => self.status = Some(ExitStatus::from_raw(status)),
            Some(Report::Finished(status)) => {
                *self = Self { status: Some(ExitStatus::from_raw(status)), gone: true };
            }
            _ => self.gone = true,
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
    use std::sync::Arc;

    #[test]
    fn a_line_is_held_until_the_other_end_is_closed() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let line = OwnedFd::from(ours);
        (&theirs).write_all(b"unread").unwrap();
        assert!(still_held(&line));
        drop(theirs);
        assert!(!still_held(&line));
    }

    #[tokio::test]
    async fn everyone_who_waits_hears_the_news_that_one_of_them_read() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let line = Arc::new(Line::open(ours).unwrap());
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let line = Arc::clone(&line);
                tokio::spawn(async move { line.until(|news| news.status).await })
            })
            .collect();
        tokio::task::yield_now().await;
        (&theirs).write_all(&Report::Exited(256).encode()).unwrap();
        // Read by none of those who wait.
        assert_eq!(line.news().status.and_then(|status| status.code()), Some(1));
        for task in waiting {
            assert_eq!(task.await.unwrap().code(), Some(1));
        }
        assert!(!line.news().gone);
        drop(theirs);
        line.until(|news| news.gone.then_some(())).await;
    }
}
