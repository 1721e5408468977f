//! How many background processes run at once for one home.
//!
//! Several programs may work on the same home, so the places are locks on the bytes of one file there (or on a file
//! each, where bytes cannot be locked that way): each process that runs holds one, and the kernel frees it with the
//! descriptor, however we end. Without a home only our own are counted.

#[cfg(all(target_os = "linux", not(hermes_portable)))]
mod linux;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
mod portable;

#[cfg(all(target_os = "linux", not(hermes_portable)))]
use linux::take;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
use portable::take;

use std::fs::File;

use super::{ProcessSnapshot, Processes};

/// The right to run one more process, given back when it is dropped.
#[derive(Debug, Default)]
pub struct BackgroundSlot {
    _lock: Option<File>,
}

pub(super) async fn reserve(
    processes: &Processes,
    most: usize,
) -> Result<BackgroundSlot, Vec<ProcessSnapshot>> {
    let running: Vec<ProcessSnapshot> =
        processes.list().into_iter().filter(|seen| seen.ended.is_none()).collect();
    if running.len() >= most {
        return Err(running);
    }
    let Some(file) = processes.places() else { return Ok(BackgroundSlot::default()) };
    // The home may be on a disk that is slow to answer.
    let taken = tokio::task::spawn_blocking(move || take(&file, most));
    match taken.await {
        Ok(Ok(None)) => Err(running),
        Ok(Ok(place)) => Ok(BackgroundSlot { _lock: place }),
        // A disk that knows no locks: our own are counted, as above.
        Ok(Err(error)) => {
            tracing::debug!(%error, "background processes of other programs are not counted");
            Ok(BackgroundSlot::default())
        }
        Err(_) => Ok(BackgroundSlot::default()),
    }
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
