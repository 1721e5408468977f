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
    /// The rules of a confined program.
    pub(crate) ruleset: Option<F>,
}

impl<F: AsRawFd> Handed<F> {
    /// The descriptors in their order on the wire, and how many there are.
    fn numbers(&self) -> (Fds, usize) {
        let Self { control, image, cwd, stdin, stdout, stderr, ruleset } = self;
        let [control, image, cwd, stdin, stdout, stderr] =
            [control, image, cwd, stdin, stdout, stderr].map(AsRawFd::as_raw_fd);
        match ruleset {
            None => ([control, image, cwd, stdin, stdout, stderr, -1], ALWAYS),
            Some(rules) => {
                ([control, image, cwd, stdin, stdout, stderr, rules.as_raw_fd()], ALWAYS + 1)
            }
        }
    }
}

impl Handed<OwnedFd> {
    fn from_numbers(fds: Fds, count: usize) -> Option<Self> {
        // SAFETY: the kernel has just made the first `count` descriptors for us.
        let own = |index: usize| unsafe { OwnedFd::from_raw_fd(fds[index]) };
        let [control, image, cwd, stdin, stdout, stderr] = match count {
            ALWAYS.. => std::array::from_fn(own),
            _ => return None,
        };
        let ruleset = (count > ALWAYS).then(|| own(ALWAYS));
        Some(Self { control, image, cwd, stdin, stdout, stderr, ruleset })
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

/// Descriptors in every request.
const ALWAYS: usize = 6;
/// Room for these and the one that only some have.
type Fds = [RawFd; ALWAYS + 1];

/// Room for one control message with all descriptors, aligned for its header.
#[repr(C)]
struct Ancillary {
    _align: [libc::cmsghdr; 0],
    bytes: [u8; 128],
}

#[expect(clippy::cast_possible_truncation, reason = "28 bytes at most")]
const fn payload(count: usize) -> libc::c_uint {
    (count * mem::size_of::<RawFd>()) as libc::c_uint
}

/// Calls `act` with a message header over `word` and `ancillary`, the whole of a request with
/// `count` descriptors.
fn with_header<T>(
    word: &mut [u8; 8],
    ancillary: &mut Ancillary,
    count: usize,
    act: impl FnOnce(&mut libc::msghdr) -> T,
) -> T {
    let mut part = libc::iovec { iov_base: word.as_mut_ptr().cast(), iov_len: word.len() };
    // SAFETY: all zero is a valid header: no address, no parts, no control messages.
    let mut header: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = ancillary.bytes.as_mut_ptr().cast();
    // SAFETY: computes a number.
    header.msg_controllen = unsafe { libc::CMSG_SPACE(payload(count)) } as _;
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
    let (numbers, count) = fds.numbers();
    let sent = with_header(&mut word, &mut ancillary, count, |header| {
        // SAFETY: the header describes buffers that outlive the calls, with room for one control
        // message of this size; so the first one exists and its data may be written.
        unsafe {
            let message = libc::CMSG_FIRSTHDR(header);
            (*message).cmsg_level = libc::SOL_SOCKET;
            (*message).cmsg_type = libc::SCM_RIGHTS;
            (*message).cmsg_len = libc::CMSG_LEN(payload(count)) as _;
            let data = libc::CMSG_DATA(message).cast::<RawFd>();
            data.copy_from_nonoverlapping(numbers.as_ptr(), count);
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
    let mut numbers: Fds = [-1; ALWAYS + 1];
    let (count, fds) = with_header(&mut word, &mut ancillary, numbers.len(), |header| {
        // SAFETY: as in `send`; of the data no more is read than the kernel says is there, and
        // than there is room for.
        unsafe {
            let count = retry(|| libc::recvmsg(socket.as_raw_fd(), header, libc::MSG_CMSG_CLOEXEC));
            let message = libc::CMSG_FIRSTHDR(header);
            if message.is_null()
                || (*message).cmsg_level != libc::SOL_SOCKET
                || (*message).cmsg_type != libc::SCM_RIGHTS
            {
                return (count, 0);
            }
            let bytes = ((*message).cmsg_len as usize).saturating_sub(libc::CMSG_LEN(0) as usize);
            let fds = (bytes / mem::size_of::<RawFd>()).min(numbers.len());
            let data = libc::CMSG_DATA(message).cast::<RawFd>();
            data.copy_to_nonoverlapping(numbers.as_mut_ptr(), fds);
            (count, fds)
        }
    });
    let Ok(1..) = count else { return Received::Closed };
    match (usize::try_from(u64::from_ne_bytes(word)), Handed::from_numbers(numbers, fds)) {
        (Ok(image_len), Some(fds)) => Received::Request(Request { image_len, fds }),
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
        let pipes: Vec<_> = (0..=ALWAYS).map(|_| pipe().unwrap()).collect();
        let [control, image, cwd, stdin, stdout, stderr, rules] =
            std::array::from_fn(|index| pipes[index].1.as_fd());
        let mut fds = Handed { control, image, cwd, stdin, stdout, stderr, ruleset: None };
        send(ours.as_fd(), 11, &fds).unwrap();
        fds.ruleset = Some(rules);
        send(ours.as_fd(), 22, &fds).unwrap();
        drop(ours);

        for (expected, has_rules) in [(11, false), (22, true)] {
            let Received::Request(Request { image_len, fds }) = receive(theirs.as_fd()) else {
                panic!("no request");
            };
            assert_eq!(image_len, expected);
            assert_eq!(fds.ruleset.is_some(), has_rules);
            let Handed { control, image, cwd, stdin, stdout, stderr, ruleset } = fds;
            let all = [control, image, cwd, stdin, stdout, stderr].into_iter().chain(ruleset);
            for (index, fd) in (0_u8..).zip(all) {
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
