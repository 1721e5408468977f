//! Sending descriptors over a socket: a request on the wire.

use std::mem::{self, MaybeUninit};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc;

/// What a program is started with.
#[derive(Debug)]
pub(crate) struct Handed<F> {
    /// The warden's line to us.
    pub(crate) control: F,
    /// Arguments and environment.
    pub(crate) image: F,
    /// The working directory.
    pub(crate) cwd: F,
    /// The standard three.
    pub(crate) stdin: F,
    pub(crate) stdout: F,
    pub(crate) stderr: F,
}

impl<F> Handed<F> {
    fn map<T>(&self, get: impl Fn(&F) -> T) -> [T; COUNT] {
        let Self { control, image, cwd, stdin, stdout, stderr } = self;
        [control, image, cwd, stdin, stdout, stderr].map(get)
    }
}

/// A request as it arrives.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) image_len: usize,
    pub(crate) fds: Handed<OwnedFd>,
}

/// What a keeper hears.
#[derive(Debug)]
pub(super) enum Received {
    Request(Request),
    /// Not a request, or one without room for its descriptors. Its sender notices by the end of
    /// its control socket.
    Garbled,
    Closed,
}

const COUNT: usize = 6;
type Fds = [RawFd; COUNT];

/// Room for one control message with all descriptors, aligned for its header.
#[repr(C)]
struct Ancillary {
    _align: [libc::cmsghdr; 0],
    bytes: [u8; 128],
}

#[expect(clippy::cast_possible_truncation, reason = "24 bytes")]
const PAYLOAD: libc::c_uint = mem::size_of::<Fds>() as libc::c_uint;

/// Calls `act` with a message header over `word` and `ancillary`, the whole of a request.
fn with_header<T>(
    word: &mut [u8; 8],
    ancillary: &mut Ancillary,
    act: impl FnOnce(&mut libc::msghdr) -> T,
) -> T {
    let mut part = libc::iovec { iov_base: word.as_mut_ptr().cast(), iov_len: word.len() };
    // SAFETY: all zero is a valid header: no address, no parts, no control messages.
    let mut header: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = ancillary.bytes.as_mut_ptr().cast();
    // SAFETY: computes a number.
    header.msg_controllen = unsafe { libc::CMSG_SPACE(PAYLOAD) } as _;
    act(&mut header)
}

/// Sends a request.
pub(super) fn send(
    socket: BorrowedFd<'_>,
    image_len: usize,
    fds: &Handed<BorrowedFd<'_>>,
) -> nix::Result<()> {
    let mut word = (image_len as u64).to_ne_bytes();
    let mut ancillary = Ancillary { _align: [], bytes: [0; 128] };
    let sent = with_header(&mut word, &mut ancillary, |header| {
        // SAFETY: the header describes buffers that outlive the calls, with room for one control
        // message of this size; so the first one exists and its data may be written.
        unsafe {
            let message = libc::CMSG_FIRSTHDR(header);
            (*message).cmsg_level = libc::SOL_SOCKET;
            (*message).cmsg_type = libc::SCM_RIGHTS;
            (*message).cmsg_len = libc::CMSG_LEN(PAYLOAD) as _;
            let data = libc::CMSG_DATA(message).cast::<Fds>();
            data.write_unaligned(fds.map(AsRawFd::as_raw_fd));
            retry(|| libc::sendmsg(socket.as_raw_fd(), header, libc::MSG_NOSIGNAL))
        }
    });
    match sent? {
        8 => Ok(()),
        _ => Err(Errno::EPIPE),
    }
}

/// Waits for a request. Allocates nothing.
pub(super) fn receive(socket: BorrowedFd<'_>) -> Received {
    let mut word = [0; 8];
    let mut ancillary = Ancillary { _align: [], bytes: [0; 128] };
    let (count, fds) = with_header(&mut word, &mut ancillary, |header| {
        // SAFETY: as in `send`; the data is read only if the kernel says that it is all there.
        unsafe {
            let count = retry(|| libc::recvmsg(socket.as_raw_fd(), header, libc::MSG_CMSG_CLOEXEC));
            let message = libc::CMSG_FIRSTHDR(header);
            let complete = !message.is_null()
                && (*message).cmsg_level == libc::SOL_SOCKET
                && (*message).cmsg_type == libc::SCM_RIGHTS
                && (*message).cmsg_len as usize == libc::CMSG_LEN(PAYLOAD) as usize;
            let fds = complete.then(|| libc::CMSG_DATA(message).cast::<Fds>().read_unaligned());
            (count, fds)
        }
    });
    // SAFETY: the kernel has just made these descriptors for us.
    let fds = fds.map(|fds| fds.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
    let Ok(1..) = count else { return Received::Closed };
    match (usize::try_from(u64::from_ne_bytes(word)), fds) {
        (Ok(image_len), Some([control, image, cwd, stdin, stdout, stderr])) => {
            let fds = Handed { control, image, cwd, stdin, stdout, stderr };
            Received::Request(Request { image_len, fds })
        }
        _ => Received::Garbled,
    }
}

/// Repeats a call that a signal has interrupted.
fn retry(mut call: impl FnMut() -> isize) -> nix::Result<isize> {
    loop {
        match Errno::result(call()) {
            Err(Errno::EINTR) => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _, pipe};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    #[test]
    fn descriptors_arrive_in_their_places_one_request_at_a_time() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let pipes: Vec<_> = (0..COUNT).map(|_| pipe().unwrap()).collect();
        let [control, image, cwd, stdin, stdout, stderr] =
            std::array::from_fn(|index| pipes[index].1.as_fd());
        let fds = Handed { control, image, cwd, stdin, stdout, stderr };
        send(ours.as_fd(), 11, &fds).unwrap();
        send(ours.as_fd(), 22, &fds).unwrap();
        drop(ours);

        for expected in [11, 22] {
            let Received::Request(Request { image_len, fds }) = receive(theirs.as_fd()) else {
                panic!("no request");
            };
            assert_eq!(image_len, expected);
            let Handed { control, image, cwd, stdin, stdout, stderr } = fds;
            for (index, fd) in (0_u8..).zip([control, image, cwd, stdin, stdout, stderr]) {
                std::fs::File::from(fd).write_all(&[index]).unwrap();
                let mut got = [255];
                (&pipes[usize::from(index)].0).read_exact(&mut got).unwrap();
                assert_eq!(got, [index]);
            }
        }
        assert!(matches!(receive(theirs.as_fd()), Received::Closed));
    }

    #[test]
    fn a_message_without_descriptors_is_garbled() {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&[0; 8]).unwrap();
        assert!(matches!(receive(theirs.as_fd()), Received::Garbled));
    }
}
