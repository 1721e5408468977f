//! Descriptors that are never handed on by accident: the kernel marks them as it makes them.

use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc::{self, c_int, c_uint};
use nix::pty::PtyMaster;
use nix::pty::{posix_openpt, unlockpt};
use nix::unistd::pipe2;

/// How a message is sent: no signal if nobody is there to read it.
pub(crate) const SEND: c_int = libc::MSG_NOSIGNAL;

/// How a message with descriptors is received.
pub(crate) const RECEIVE: c_int = libc::MSG_CMSG_CLOEXEC;

/// How a directory is opened that is only to be entered.
pub(crate) const PLACE: OFlag = OFlag::O_PATH.union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);

/// Two sockets that are connected with each other.
pub(crate) fn socket_pair() -> io::Result<(UnixStream, UnixStream)> {
    UnixStream::pair()
}

/// The reading and the writing end of a pipe.
pub(crate) fn pipe() -> nix::Result<(OwnedFd, OwnedFd)> {
    pipe2(OFlag::O_CLOEXEC)
}

/// What is to be done with a descriptor that was received: nothing, see [`RECEIVE`].
pub(crate) fn keep_private(_: &OwnedFd) {}

/// Closes all descriptors in a range; whether that is known to be done.
pub(crate) fn close_range(first: c_uint, last: c_uint) -> bool {
    // SAFETY: takes integers; see `close_all_but`.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) == 0 }
}

/// The two ends of a new terminal: the user's, which does not block, and the programs'.
pub(crate) fn open_terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let ours: PtyMaster = posix_openpt(flags | OFlag::O_NONBLOCK)?;
    unlockpt(&ours)?;
    // SAFETY: takes an integer. Not by its name, which may mean another terminal in a container.
    let programs = unsafe { libc::ioctl(ours.as_raw_fd(), libc::TIOCGPTPEER, flags.bits()) };
    // SAFETY: the kernel has just made this descriptor for us.
    let programs = unsafe { OwnedFd::from_raw_fd(Errno::result(programs)?) };
    Ok((OwnedFd::from(ours), programs))
}
