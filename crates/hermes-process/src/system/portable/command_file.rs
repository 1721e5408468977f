//! Shared memory without a name. Its first word decides who was first: the one who takes it, or the one who
//! withdraws it.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use nix::errno::Errno;
use nix::libc::{self, c_int, c_uint};

/// How a supervisor maps it. Nobody else uses what is behind the first word by then.
pub(crate) const MAPPING: c_int = libc::MAP_SHARED;

const WORD: usize = mem::size_of::<usize>();

/// What the first word says: nothing yet ...
const FREE: usize = 0;
/// ... that there is a supervisor for the program ...
const TAKEN: usize = 1;
/// ... or that there will be none.
const WITHDRAWN: usize = 2;

/// Tries to find a name that nothing has; each is gone again at once.
const ATTEMPTS: u32 = 100;

/// Shared memory with these bytes. The first word must be zero: it is the mark of who takes it.
pub(crate) fn create(bytes: &[u8]) -> io::Result<OwnedFd> {
    let fd = nameless()?;
    let length = libc::off_t::try_from(bytes.len()).map_err(io::Error::other)?;
    // SAFETY: takes integers.
    Errno::result(unsafe { libc::ftruncate(fd.as_raw_fd(), length) })?;
    let mapping = Mapping::of(fd.as_raw_fd(), bytes.len())?;
    // SAFETY: the mapping is that long, and nobody else knows of it yet.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), mapping.base.cast::<u8>(), bytes.len()) };
    Ok(fd)
}

/// Puts the mark into it, unless it was withdrawn.
pub(crate) fn take(file: BorrowedFd<'_>) -> nix::Result<()> {
    match mark(file, TAKEN)? {
        WITHDRAWN => Err(Errno::EPERM),
        _ => Ok(()),
    }
}

/// Keeps everyone from taking it; whether nobody has.
pub(crate) fn withdraw_in_time(file: BorrowedFd<'_>) -> bool {
    // Not known is not a licence to try again.
    matches!(mark(file, WITHDRAWN), Ok(FREE | WITHDRAWN))
}

/// Sets the first word if nobody has; what it was.
fn mark(file: BorrowedFd<'_>, to: usize) -> nix::Result<usize> {
    let mapping = Mapping::of(file.as_raw_fd(), WORD)?;
    // SAFETY: the mapping begins with a word at a page's start, which all who share it use as an atomic one
    // from the time on at which it was sent.
    let word = unsafe { AtomicUsize::from_ptr(mapping.base.cast::<usize>()) };
    let marked = word.compare_exchange(FREE, to, Ordering::SeqCst, Ordering::SeqCst);
    Ok(marked.unwrap_or_else(|before| before))
}

/// New shared memory that has no name any more.
fn nameless() -> io::Result<OwnedFd> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let own = std::process::id();
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
    for _ in 0..ATTEMPTS {
        // Thirty letters are what some systems have room for.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = std::ffi::CString::new(format!("/hermes-{own}-{number:x}"))?;
        // SAFETY: reads a string; the mode is passed as what variadic functions make of it.
        match Errno::result(unsafe { libc::shm_open(name.as_ptr(), flags, 0o600 as c_uint) }) {
            Ok(fd) => {
                // SAFETY: the kernel has just made this descriptor for us.
                let fd = unsafe { OwnedFd::from_raw_fd(fd) };
                // SAFETY: reads a string.
                Errno::result(unsafe { libc::shm_unlink(name.as_ptr()) })?;
                super::keep_private(&fd);
                return Ok(fd);
            }
            // Left by somebody who was killed between the two calls.
            Err(Errno::EEXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EEXIST.into())
}

/// A mapping that ends with its scope.
struct Mapping {
    base: *mut libc::c_void,
    length: usize,
}

impl Mapping {
    fn of(fd: c_int, length: usize) -> nix::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, placed by the kernel.
        let base = unsafe { libc::mmap(ptr::null_mut(), length, access, MAPPING, fd, 0) };
        if base == libc::MAP_FAILED {
            return Err(Errno::last());
        }
        Ok(Self { base, length })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing borrowed from it is left.
        unsafe { libc::munmap(self.base, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd as _;

    #[test]
    fn whoever_comes_first_of_many_wins_and_all_agree() {
        for _ in 0..50 {
            let file = create(&[0; 64]).unwrap();
            let (taken, withdrawn) = std::thread::scope(|scope| {
                let taker = scope.spawn(|| take(file.as_fd()).is_ok());
                let withdrawn = withdraw_in_time(file.as_fd());
                (taker.join().unwrap(), withdrawn)
            });
            assert_ne!(taken, withdrawn);
        }
    }

    #[test]
    fn it_is_not_handed_on_to_other_programs() {
        let file = create(&[0; 64]).unwrap();
        let flags = nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_GETFD).unwrap();
        assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
    }
}
