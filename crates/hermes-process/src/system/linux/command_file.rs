//! A file in memory, which is sealed when nobody is to take it any more.

use std::io::{self, Write as _};
use std::mem;
use std::os::fd::{BorrowedFd, OwnedFd};

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::libc::{self, c_int};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::uio::{pread, pwrite};

/// How a supervisor maps it: what it writes there is its own.
pub(crate) const MAPPING: c_int = libc::MAP_PRIVATE;

const WORD: usize = mem::size_of::<usize>();

/// A file with these bytes. The first word must be zero: it is the mark of who takes it.
pub(crate) fn create(bytes: &[u8]) -> io::Result<OwnedFd> {
    let file =
        memfd_create(c"hermes-command", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING)?;
    let mut file = std::fs::File::from(file);
    file.write_all(bytes)?;
    Ok(file.into())
}

/// Puts the mark into it, unless it was withdrawn.
pub(crate) fn take(file: BorrowedFd<'_>) -> nix::Result<()> {
    pwrite(file, &1_usize.to_ne_bytes(), 0).map(|_| ())
}

/// Keeps everyone from taking it; whether nobody has.
pub(crate) fn withdraw_in_time(file: BorrowedFd<'_>) -> bool {
    // From here on nobody can write to it; what was written before can be read.
    let sealed = fcntl(file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_WRITE));
    let mut word = [0; WORD];
    let read = pread(file, &mut word, 0);
    // Not known is not a licence to try again.
    matches!((sealed, read), (Ok(_), Ok(WORD)) if usize::from_ne_bytes(word) == 0)
}
