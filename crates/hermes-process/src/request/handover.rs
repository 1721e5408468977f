//! Sending descriptors over a socket: a request on the wire.

use std::mem::{self, MaybeUninit};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc;

use crate::system;

/// What a program is started with.
#[derive(Debug)]
pub(crate) struct SpawnFds<F> {
    /// The supervisor's line to us.
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

impl<F: AsRawFd> SpawnFds<F> {
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

impl SpawnFds<OwnedFd> {
    /// The descriptors by their order on the wire. What does not make a whole request is closed,
    /// but for the control socket, over which its sender can be told.
    fn from_wire(arrived: [Option<OwnedFd>; ROOM]) -> Result<Self, Option<OwnedFd>> {
        let [control, image, cwd, stdin, stdout, stderr, ruleset, surplus] = arrived;
        match (control, image, cwd, stdin, stdout, stderr, surplus) {
            (
                Some(control),
                Some(image),
                Some(cwd),
                Some(stdin),
                Some(stdout),
                Some(stderr),
                None,
            ) => Ok(Self { control, image, cwd, stdin, stdout, stderr, ruleset }),
            (control, ..) => Err(control),
        }
    }
}

/// A request as it arrives.
#[derive(Debug)]
pub(crate) struct SpawnRequest {
    pub(crate) image_len: usize,
    pub(crate) fds: SpawnFds<OwnedFd>,
}

/// What a fork server hears.
#[derive(Debug)]
pub(crate) enum ReceivedRequest {
    Request(SpawnRequest),
    /// Not a whole request: the limit on open descriptors cuts it off, for one. What did arrive is
    /// closed again. Whoever asked is told over the control socket, or notices by its end.
    Incomplete {
        control: Option<OwnedFd>,
        error: Errno,
    },
    Closed,
}

/// Descriptors in every request.
const ALWAYS: usize = 6;
/// These and the one that only some have.
type Fds = [RawFd; ALWAYS + 1];
/// Descriptors for which the kernel finds room in the control message that we offer: one more
/// than a request has, because room comes in whole words.
const ROOM: usize = 8;

/// Room for one control message with all descriptors, aligned for its header.
#[repr(C)]
struct Ancillary {
    _align: [libc::cmsghdr; 0],
    bytes: [u8; 128],
}

#[expect(clippy::cast_possible_truncation, reason = "32 bytes at most")]
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
pub(crate) fn send(
    socket: BorrowedFd<'_>,
    image_len: usize,
    fds: &SpawnFds<BorrowedFd<'_>>,
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
            retry(|| libc::sendmsg(socket.as_raw_fd(), header, system::SEND))
        }
    });
    match sent? {
        8 => Ok(()),
        _ => Err(Errno::EPIPE),
    }
}

/// Waits for a request. Allocates nothing.
pub(crate) fn receive(socket: BorrowedFd<'_>) -> ReceivedRequest {
    let mut word = [0; 8];
    let mut ancillary = Ancillary { _align: [], bytes: [0; 128] };
    // Owned before anything is judged: a descriptor that is merely a number stays open for good,
    // and whoever waits for its end waits for ever.
    let (count, flags, arrived) = with_header(&mut word, &mut ancillary, ROOM, |header| {
        // SAFETY: the header describes buffers that outlive the call.
        let count = retry(|| unsafe { libc::recvmsg(socket.as_raw_fd(), header, system::RECEIVE) });
        // SAFETY: the kernel has just filled in the header.
        let arrived = if count.is_ok() { unsafe { own(header) } } else { Default::default() };
        (count, header.msg_flags, arrived)
    });
    let Ok(length @ 1..) = count else { return ReceivedRequest::Closed };
    // The kernel says so when it could not open all of them here.
    let cut_off = flags & libc::MSG_CTRUNC != 0;
    let error = if cut_off { Errno::EMFILE } else { Errno::EBADMSG };
    match (SpawnFds::from_wire(arrived), usize::try_from(u64::from_ne_bytes(word))) {
        (Ok(fds), Ok(image_len)) if !cut_off && length == 8 => {
            ReceivedRequest::Request(SpawnRequest { image_len, fds })
        }
        (Ok(fds), _) => ReceivedRequest::Incomplete { control: Some(fds.control), error },
        (Err(control), _) => ReceivedRequest::Incomplete { control, error },
    }
}

/// Takes possession of every descriptor that came with a message.
///
/// # Safety
///
/// The header must be as `recvmsg` left it, and this be called once.
unsafe fn own(header: &libc::msghdr) -> [Option<OwnedFd>; ROOM] {
    let mut arrived: [Option<OwnedFd>; ROOM] = Default::default();
    let mut free = arrived.iter_mut();
    // SAFETY: walks the control messages that the kernel wrote, reading no more of each than it
    // says is there; descriptors in them were made for us and belong to nobody else yet.
    unsafe {
        let mut message = libc::CMSG_FIRSTHDR(header);
        while !message.is_null() {
            if (*message).cmsg_level == libc::SOL_SOCKET && (*message).cmsg_type == libc::SCM_RIGHTS
            {
                let bytes =
                    ((*message).cmsg_len as usize).saturating_sub(libc::CMSG_LEN(0) as usize);
                let data = libc::CMSG_DATA(message).cast::<RawFd>();
                for index in 0..bytes / mem::size_of::<RawFd>() {
                    let fd = OwnedFd::from_raw_fd(data.add(index).read_unaligned());
                    system::keep_private(&fd);
                    // Where there is no room, which the size of the buffer rules out, it is closed.
                    if let Some(slot) = free.next() {
                        *slot = Some(fd);
                    }
                }
            }
            message = libc::CMSG_NXTHDR(header, message);
        }
    }
    arrived
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
    use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
    use std::io::{IoSlice, Read as _, Write as _, pipe};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    #[test]
    fn descriptors_arrive_in_their_places_one_request_at_a_time() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let pipes: Vec<_> = (0..=ALWAYS).map(|_| pipe().unwrap()).collect();
        let [control, image, cwd, stdin, stdout, stderr, rules] =
            std::array::from_fn(|index| pipes[index].1.as_fd());
        let mut fds = SpawnFds { control, image, cwd, stdin, stdout, stderr, ruleset: None };
        send(ours.as_fd(), 11, &fds).unwrap();
        fds.ruleset = Some(rules);
        send(ours.as_fd(), 22, &fds).unwrap();
        drop(ours);

        for (expected, has_rules) in [(11, false), (22, true)] {
            let ReceivedRequest::Request(SpawnRequest { image_len, fds }) = receive(theirs.as_fd())
            else {
                panic!("no request");
            };
            assert_eq!(image_len, expected);
            assert_eq!(fds.ruleset.is_some(), has_rules);
            let SpawnFds { control, image, cwd, stdin, stdout, stderr, ruleset } = fds;
            let all = [control, image, cwd, stdin, stdout, stderr].into_iter().chain(ruleset);
            for (index, fd) in (0_u8..).zip(all) {
                std::fs::File::from(fd).write_all(&[index]).unwrap();
                let mut got = [255];
                (&pipes[usize::from(index)].0).read_exact(&mut got).unwrap();
                assert_eq!(got, [index]);
            }
        }
        assert!(matches!(receive(theirs.as_fd()), ReceivedRequest::Closed));
    }

    /// Sends a message as `send` would, with as many descriptors as one likes.
    fn send_with(socket: &UnixStream, word: &[u8], fds: &[RawFd]) {
        let rights = [ControlMessage::ScmRights(fds)];
        let rights = if fds.is_empty() { &[][..] } else { &rights };
        let parts = [IoSlice::new(word)];
        sendmsg::<()>(socket.as_raw_fd(), &parts, rights, MsgFlags::empty(), None).unwrap();
    }

    #[test]
    fn a_message_without_descriptors_is_incomplete() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        send_with(&ours, &[0; 8], &[]);
        let ReceivedRequest::Incomplete { control: None, .. } = receive(theirs.as_fd()) else {
            panic!("taken for a request");
        };
    }

    /// A fork server that could not open all of them kept the others open, the control socket among
    /// them: nobody ever answered, and its sender waited for ever.
    #[test]
    fn descriptors_of_an_incomplete_request_are_closed_and_its_sender_can_be_told() {
        for (count, word) in
            [(1, 8), (ALWAYS - 1, 8), (ALWAYS + 2, 8), (ALWAYS + 4, 8), (ALWAYS, 3)]
        {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let (mut asker, control) = UnixStream::pair().unwrap();
            let pipes: Vec<_> = (1..count).map(|_| pipe().unwrap()).collect();
            let mut fds = vec![control.as_raw_fd()];
            fds.extend(pipes.iter().map(|(_, writer)| writer.as_raw_fd()));
            send_with(&ours, &[0; 8][..word], &fds);
            drop(control);
            let readers: Vec<_> = pipes.into_iter().map(|(reader, _)| reader).collect();

            let ReceivedRequest::Incomplete { control: Some(control), .. } =
                receive(theirs.as_fd())
            else {
                panic!("{count} descriptors taken for a request");
            };
            for mut reader in readers {
                // Would wait for ever if a writing end were left open.
                assert_eq!(reader.read(&mut [0]).unwrap(), 0, "{count} descriptors");
            }
            UnixStream::from(control).write_all(b"no").unwrap();
            let mut heard = String::new();
            asker.read_to_string(&mut heard).unwrap();
            assert_eq!(heard, "no");
        }
    }
}
