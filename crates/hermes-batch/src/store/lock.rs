//! Who works on a run.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::time::{Duration, Instant};

use super::RunFolder;
use crate::BatchError;

/// How long a lock is tried for.
const PATIENCE: Duration = Duration::from_millis(400);

/// The right to decide what of a run is worked on next. Gone with the process that holds it, however that ends.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the right for one coordinator.
    ///
    /// # Errors
    /// If somebody else has it, with their host and process.
    pub fn take(folder: &RunFolder, name: &str) -> Result<Self, BatchError> {
        Self::lock(folder, name, File::try_lock)
    }

    /// Takes a share of it, for workers that need no coordinator.
    ///
    /// # Errors
    /// If a coordinator has it.
    pub fn share(folder: &RunFolder, name: &str) -> Result<Self, BatchError> {
        Self::lock(folder, name, File::try_lock_shared)
    }

    /// Whether somebody works on the run, with the whole right or a share of it.
    #[must_use]
    pub fn is_taken(folder: &RunFolder) -> bool {
        let file = File::open(folder.path("run.lock"));
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }

    fn lock(
        folder: &RunFolder,
        name: &str,
        take: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, BatchError> {
        let path = folder.path("run.lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(BatchError::when("open", &path))?;
        let began = Instant::now();
        let taken = loop {
            // Whoever only looks whether it is taken holds it for a moment.
            match take(&file) {
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                taken => break taken,
            }
        };
        match taken {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = match holder.trim() {
                    "" => "another process".to_owned(),
                    holder => holder.to_owned(),
                };
                return Err(BatchError::Locked { run: name.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(BatchError::when("lock", &path)(error)),
        }
        let holder = format!("process {} on {}", std::process::id(), host_name());
        let mut say = || {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(holder.as_bytes())
        };
        say().map_err(BatchError::when("write", &path))?;
        Ok(Self { _file: file })
    }
}

/// What this machine is called.
pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
