//! Locks on bytes that belong to an open file and not to a process.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

/// The first free place, locked.
pub(super) fn take(path: &Path, most: usize) -> std::io::Result<Option<File>> {
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    for place in 0..i64::try_from(most).unwrap_or(i64::MAX) {
        let lock = libc::flock {
            l_type: libc::F_WRLCK as libc::c_short,
            l_whence: libc::SEEK_SET as libc::c_short,
            l_start: place,
            l_len: 1,
            l_pid: 0,
        };
        match fcntl(&file, FcntlArg::F_OFD_SETLK(&lock)) {
            Ok(_) => return Ok(Some(file)),
            Err(Errno::EAGAIN | Errno::EACCES) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}
