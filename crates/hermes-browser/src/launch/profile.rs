//! The folder of a browser: its profile, its log, and whose it is.
//!
//! A folder whose owner was killed stays behind. The next program that starts a browser removes it: the owner is told
//! from an unrelated process of the same number by the time it was started.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_process::{StopMode, process_start_time, signal_if_same};
use hermes_store::home::ensure_private_dir;

const OWNER: &str = "owner";
const BROWSER: &str = "browser";
const PREFIX: &str = "session-";

/// A folder for one browser.
#[derive(Debug)]
pub(crate) struct Profile(PathBuf);

impl Profile {
    /// A new folder, marked as ours.
    pub(super) fn create(below: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let pid = std::process::id();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let profile = Self(below.join(format!("{PREFIX}{pid}-{number}")));
        // What an earlier process of the same number may have left.
        let _ = std::fs::remove_dir_all(&profile.0);
        ensure_private_dir(&profile.0).map_err(io::Error::other)?;
        profile.note(OWNER, pid, process_start_time(pid))?;
        Ok(profile)
    }

    fn note(&self, name: &str, pid: u32, started: Option<u64>) -> io::Result<()> {
        let mut file = std::fs::File::create(self.0.join(name))?;
        write!(file, "{pid} {}", started.unwrap_or(0))
    }

    /// Notes which process is the browser.
    pub(super) fn record_browser(&self, pid: u32, started: Option<u64>) {
        if let Err(error) = self.note(BROWSER, pid, started) {
            tracing::debug!(%error, "the browser's process is not noted");
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn log_file(&self) -> PathBuf {
        self.0.join("browser.log")
    }

    pub(super) fn remove(self) -> io::Result<()> {
        std::fs::remove_dir_all(&self.0)
    }
}

/// Removes folders below `folder` whose owner is gone; a browser that should have gone with it is killed. Tells how
/// many were removed.
pub async fn sweep_profiles(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let ours = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)));
    let mut removed = 0;
    for entry in ours {
        let path = entry.path();
        // A folder that is just being made has no owner yet.
        let Some((owner, started)) = noted(&path, OWNER) else { continue };
        if process_start_time(owner).is_some_and(|now| now == started) {
            continue;
        }
        if let Some((browser, started)) = noted(&path, BROWSER) {
            let _ = signal_if_same(browser, started, StopMode::Kill).await;
        }
        removed += usize::from(std::fs::remove_dir_all(&path).is_ok());
    }
    removed
}

fn noted(folder: &Path, name: &str) -> Option<(u32, u64)> {
    let text = std::fs::read_to_string(folder.join(name)).ok()?;
    let (pid, started) = text.split_once(' ')?;
    Some((pid.parse().ok()?, started.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn folders_of_the_dead_are_removed_and_those_of_the_living_stay() {
        let folder = tempfile::tempdir().unwrap();
        let alive = Profile::create(folder.path()).unwrap();
        let dead = Profile::create(folder.path()).unwrap();
        // The same number, started at another time: somebody else.
        dead.note(OWNER, std::process::id(), Some(1)).unwrap();
        assert_eq!(sweep_profiles(folder.path()).await, 1);
        assert!(alive.path().exists());
        assert!(!dead.path().exists());
        alive.remove().unwrap();
    }
}
