//! Descriptors that are never handed on by accident: they are marked right after they were made. Between the two a
//! program started by another thread would get them; but only the fork server starts programs, and it has one.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl, open};
use nix::libc::{self, c_int, c_uint};
use nix::pty::{PtyMaster, grantpt, posix_openpt, unlockpt};
use nix::sys::stat::Mode;

use crate::native;

/// How a message is sent. That nobody is there to read it must not be a signal; the sockets of
/// [`socket_pair`] see to that.
pub(crate) const SEND: c_int = 0;

/// How a message with descriptors is received, see [`keep_private`].
pub(crate) const RECEIVE: c_int = 0;

/// How a directory is opened that is only to be entered.
#[cfg(target_os = "macos")]
pub(crate) const PLACE: OFlag =
    OFlag::from_bits_retain(libc::O_SEARCH).union(OFlag::O_DIRECTORY).union(OFlag::O_CLOEXEC);
#[cfg(not(target_os = "macos"))]
pub(crate) const PLACE: OFlag = OFlag::O_DIRECTORY.union(OFlag::O_CLOEXEC);

/// Open descriptors that are closed one by one by name; with more, all numbers are gone through.
const MOST_OPEN: usize = 4_096;

/// Two sockets that are connected with each other.
pub(crate) fn socket_pair() -> io::Result<(UnixStream, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    #[cfg(target_os = "macos")]
    for socket in [&ours, &theirs] {
        let on: c_int = 1;
        let size = libc::socklen_t::try_from(size_of::<c_int>()).unwrap_or_default();
        // SAFETY: reads one integer.
        nix::errno::Errno::result(unsafe {
            let on = (&raw const on).cast();
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_NOSIGPIPE, on, size)
        })?;
    }
    Ok((ours, theirs))
}

/// The reading and the writing end of a pipe.
pub(crate) fn pipe() -> nix::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = nix::unistd::pipe()?;
    keep_private(&reader);
    keep_private(&writer);
    Ok((reader, writer))
}

/// Keeps a descriptor from programs that are executed.
pub(crate) fn keep_private(fd: &OwnedFd) {
    // Cannot fail for a descriptor that is open.
    let _ = fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC));
}

/// Closes all descriptors in a range; whether that is known to be done.
pub(crate) fn close_range(first: c_uint, last: c_uint) -> bool {
    let mut open = [0; MOST_OPEN];
    let Some(count) = native::open_descriptors(&mut open) else { return false };
    let is_meant = |fd: &c_int| (first..=last).contains(&fd.cast_unsigned());
    for fd in open[..count].iter().filter(|fd| is_meant(fd)) {
        // SAFETY: takes an integer; see `close_all_but`.
        unsafe { libc::close(*fd) };
    }
    true
}

/// The two ends of a new terminal: the user's, which does not block, and the programs'.
pub(crate) fn open_terminal() -> io::Result<(OwnedFd, OwnedFd)> {
    let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let mut room = [0; 128];
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let programs = open(name_of(&master, &mut room)?, flags, Mode::empty())?;
    let ours = OwnedFd::from(master);
    keep_private(&ours);
    fcntl(&ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok((ours, programs))
}

/// The name of a terminal, by a call that is not shared between threads.
fn name_of<'a>(master: &PtyMaster, room: &'a mut [u8; 128]) -> io::Result<&'a CStr> {
    /// `TIOCPTYGNAME`: asks for a name of at most 128 bytes.
    #[cfg(target_os = "macos")]
    const NAME: libc::c_ulong = 0x4080_7453;
    // SAFETY: writes no more than the room it is given.
    #[cfg(target_os = "macos")]
    let asked = unsafe { libc::ioctl(master.as_raw_fd(), NAME, room.as_mut_ptr()) };
    // SAFETY: as above.
    #[cfg(not(target_os = "macos"))]
    let asked =
        unsafe { libc::ptsname_r(master.as_raw_fd(), room.as_mut_ptr().cast(), room.len()) };
    if asked != 0 {
        return Err(io::Error::last_os_error());
    }
    CStr::from_bytes_until_nul(room).map_err(io::Error::other)
}
