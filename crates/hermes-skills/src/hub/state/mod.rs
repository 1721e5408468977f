//! What the hub keeps on the disk, below `skills/.hub/`.
//!
//! | file | what it is | who changes it |
//! |---|---|---|
//! | `lock.json`, `lock.json.bak` | what is installed, and a second copy of it | [`lock_file`] |
//! | `taps.json` | repositories to look for skills in | [`taps`] |
//! | `audit.log` | one line for every act | [`audit_log`] |
//! | `pending.json` | the change that is being made right now | [`change`] |
//! | `quarantine/` | bundles that are being looked at | [`change`] |
//! | `index-cache/` | answers of registries | [`cache`] |
//! | `install.lock` | held by the process that changes something | [`HubState::begin`] |

pub mod audit_log;
pub mod cache;
pub mod change;
pub mod installed;
pub mod lock_file;
pub mod taps;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_store::atomic::{self, AtomicError, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{FileLock, Wait};

use super::error::HubError;
use crate::layout::SkillsHome;

/// How long a change waits for another process that makes one.
const PATIENCE: Duration = Duration::from_secs(10);
/// Mode of the files the hub writes for itself.
pub(crate) const OWN_FILES: WriteOptions = WriteOptions::new_file_mode(0o644);

/// The hub's part of a home.
#[derive(Clone, Debug)]
pub struct HubState {
    skills: SkillsHome,
}

/// The hub's files at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubHealth {
    /// How many skills came from the hub.
    pub installed: usize,
    /// What is wrong with the lock file.
    pub lock_problem: Option<String>,
    /// Whether a process died at work; the next command of the hub settles it.
    pub left_over: bool,
    /// How old the kept list of all registries is, if there is one.
    pub index_age: Option<Duration>,
}

/// Held while something is changed; there is one in all processes of a home.
#[derive(Debug)]
#[must_use = "others may change things as soon as this is dropped"]
pub struct HubGuard {
    _lock: FileLock,
}

/// Reads a file of ours; nothing if there is none.
pub(crate) fn read_if_exists(file: &Path) -> Result<Option<Vec<u8>>, AtomicError> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AtomicError::when("read", file)(error)),
    }
}

impl HubState {
    /// The state of a home. Touches nothing.
    #[must_use]
    pub fn new(skills: &SkillsHome) -> Self {
        Self { skills: skills.clone() }
    }

    /// Where things are.
    #[must_use]
    pub fn skills(&self) -> &SkillsHome {
        &self.skills
    }

    /// Makes the folders and keeps search tools out of them.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn prepare(&self) -> Result<(), HubError> {
        let root = self.skills.root();
        fs::create_dir_all(&root).map_err(AtomicError::when("create", &root))?;
        ensure_private_dir(&self.skills.hub())?;
        let ignore = self.skills.hub_ignore();
        if !ignore.exists() {
            atomic::write(&ignore, b"*\n", OWN_FILES)?;
        }
        Ok(())
    }

    /// Takes the right to change things, and first finishes or undoes what a process that died left half done.
    ///
    /// # Errors
    /// Another process holds it, or the disk refuses.
    pub fn begin(&self) -> Result<HubGuard, HubError> {
        self.prepare()?;
        let lock = FileLock::acquire(&self.guard_file(), Wait::AtMost(PATIENCE))?;
        let guard = HubGuard { _lock: lock };
        change::recover(self, &guard)?;
        Ok(guard)
    }

    /// Finishes or undoes what a process that died left half done, if there is anything and nobody is at work.
    /// Costs two looks at the disk where there is nothing.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn recover(&self) -> Result<(), HubError> {
        if !self.pending_file().exists() && !change::has_quarantine(self) {
            return Ok(());
        }
        match FileLock::acquire(&self.guard_file(), Wait::Never) {
            Ok(lock) => change::recover(self, &HubGuard { _lock: lock }),
            // Whoever holds it is at work, and what lies there is theirs.
            Err(_) => Ok(()),
        }
    }

    /// What `hermes doctor` wants to know; nothing if the hub was never used.
    #[must_use]
    pub fn health(&self) -> Option<HubHealth> {
        if !self.skills.hub().is_dir() {
            return None;
        }
        let lock = lock_file::read(self).map_err(|error| error.to_string());
        Some(HubHealth {
            installed: lock.as_ref().map_or(0, |(lock, _)| lock.installed.len()),
            lock_problem: match lock {
                Ok((_, repair)) => repair.warning().map(str::to_owned),
                Err(error) => Some(error),
            },
            left_over: self.pending_file().exists() || change::has_quarantine(self),
            index_age: cache::age(self, cache::INDEX_KEY),
        })
    }

    fn guard_file(&self) -> PathBuf {
        self.skills.hub().join("install.lock")
    }

    pub(crate) fn pending_file(&self) -> PathBuf {
        self.skills.hub().join("pending.json")
    }
}
