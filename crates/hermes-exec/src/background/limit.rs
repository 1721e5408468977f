//! How many background processes run at once for one home.
//!
//! Several programs may work on the same home, so the places are locks on the bytes of one file there:
//! each process that runs holds one, and the kernel frees it with the descriptor, however we end. Without
//! a home only our own are counted.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

use super::{ProcessSnapshot, Processes};

/// The right to run one more process, given back when it is dropped.
#[derive(Debug, Default)]
pub struct BackgroundPlace {
    _lock: Option<File>,
}

pub(super) async fn reserve(
    processes: &Processes,
    most: usize,
) -> Result<BackgroundPlace, Vec<ProcessSnapshot>> {
    let running: Vec<ProcessSnapshot> =
        processes.list().into_iter().filter(|seen| seen.ended.is_none()).collect();
    if running.len() >= most {
        return Err(running);
    }
    let Some(file) = processes.places() else { return Ok(BackgroundPlace::default()) };
    // The home may be on a disk that is slow to answer.
    let taken = tokio::task::spawn_blocking(move || take(&file, most));
    match taken.await {
        Ok(Ok(None)) => Err(running),
        Ok(Ok(place)) => Ok(BackgroundPlace { _lock: place }),
        // A disk that knows no locks: our own are counted, as above.
        Ok(Err(error)) => {
            tracing::debug!(%error, "background processes of other programs are not counted");
            Ok(BackgroundPlace::default())
        }
        Err(_) => Ok(BackgroundPlace::default()),
    }
}

/// The first free place, locked.
fn take(path: &Path, most: usize) -> std::io::Result<Option<File>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_its_holder_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("places");
        let held: Vec<File> = (0..3).map(|_| take(&file, 3).unwrap().unwrap()).collect();
        assert!(take(&file, 3).unwrap().is_none());
        drop(held);
        assert!(take(&file, 3).unwrap().is_some());
    }
}
