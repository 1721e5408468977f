//! The folder of a run: what is on disk, and why nothing is lost.
//!
//! | path | content |
//! |---|---|
//! | `run.json` | what the run is made of: data set, options, seed; written once |
//! | `epochs/N` | one file for each start; the number fences the past |
//! | `segments/EPOCH-WORKER-N.jsonl` | the records; `.idx` beside those that were closed |
//! | `retries/EPOCH.json` | tasks that were put back: their records of earlier epochs no longer count |
//! | `tools/SHA256.json` | definitions of tools, which records point to |
//! | `run.lock` | held by whoever works on the run |
//! | `status.json` | what runs at the moment, for `hermes batch status` |
//! | the rest | derived from the records; may be deleted |
//!
//! Which record of a task counts is a function of the segments alone ([`RunIndex`]), so every reader on every machine
//! comes to the same result, whoever was killed and whoever wrote twice.

mod index;
mod lock;
mod segment;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_store::atomic::{self, WriteOptions};
use serde::{Deserialize, Serialize};

pub use index::{KeptRecord, RunIndex};
pub use lock::RunLock;
pub(crate) use lock::host_name;
pub use segment::{DamagedLine, IndexEntry, SegmentLimits, SegmentWriter, read_segment};

use crate::BatchError;
use crate::options::RunOptions;

/// What a run is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunManifest {
    /// The form of this file.
    pub format: u32,
    /// What the run is called.
    pub name: String,
    /// Where the data set was.
    pub dataset: PathBuf,
    /// Bytes of its lines.
    pub dataset_bytes: u64,
    /// Of its lines.
    pub dataset_sha256: String,
    /// How many rows it had at the first start.
    pub rows: usize,
    /// How tasks are run.
    pub options: RunOptions,
    /// The model as it was found at the first start.
    pub model: String,
    /// The version that began it.
    pub version: String,
    /// When it was begun.
    pub created: String,
}

/// Where everything about one run is kept, and the names of the files there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
}

impl RunFolder {
    /// The folder at this place, there or not.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Where it is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file or folder in it.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Where the records are.
    #[must_use]
    pub fn segments(&self) -> PathBuf {
        self.path("segments")
    }

    /// Where tasks of an epoch work.
    #[must_use]
    pub fn sandboxes(&self) -> PathBuf {
        self.path("sandbox")
    }

    /// Whether a run was begun here.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.path("run.json").exists()
    }

    /// Reads what the run is made of.
    ///
    /// # Errors
    /// If there is no run, or its file is broken.
    pub fn manifest(&self) -> Result<RunManifest, BatchError> {
        let path = self.path("run.json");
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let place = self.root.display();
                return Err(BatchError::usage(format!(
                    "there is no run at {place}\n  begin one with: hermes batch run DATASET --name NAME"
                )));
            }
            Err(error) => return Err(BatchError::when("read", &path)(error)),
        };
        serde_json::from_slice(&text).map_err(|error| BatchError::broken(&path, error))
    }

    /// Makes the folder and says what the run is made of.
    ///
    /// # Errors
    /// If the folder has something in it, or cannot be written.
    pub fn begin(&self, manifest: &RunManifest) -> Result<(), BatchError> {
        std::fs::create_dir_all(&self.root).map_err(BatchError::when("make", &self.root))?;
        let text = serde_json::to_vec_pretty(manifest)
            .map_err(|error| BatchError::broken(&self.path("run.json"), error))?;
        self.write("run.json", &text)
    }

    /// Replaces a file of the folder, whole or not at all.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), BatchError> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(BatchError::when("make", folder))?;
        }
        Ok(atomic::write(&path, bytes, WriteOptions::KEEP)?)
    }

    /// Takes the next number of a start. No two processes get the same one, whatever they do at the same time.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn next_epoch(&self) -> Result<u64, BatchError> {
        let folder = self.path("epochs");
        std::fs::create_dir_all(&folder).map_err(BatchError::when("make", &folder))?;
        let taken = folder.read_dir().map_err(BatchError::when("list", &folder))?;
        let highest =
            taken.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).max();
        let mut epoch: u64 = highest.unwrap_or(0) + 1;
        loop {
            let path = folder.join(format!("{epoch:06}"));
            match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => {
                    let sync = || std::fs::File::open(&folder)?.sync_all();
                    sync().map_err(BatchError::when("flush", &folder))?;
                    return Ok(epoch);
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => epoch += 1,
                Err(error) => return Err(BatchError::when("make", &path)(error)),
            }
        }
    }

    /// Puts tasks back: what is recorded of them so far no longer counts.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn put_back(&self, tasks: &[String]) -> Result<(), BatchError> {
        let epoch = self.next_epoch()?;
        let text = serde_json::to_vec(tasks)
            .map_err(|error| BatchError::broken(&self.path("retries"), error))?;
        self.write(&format!("retries/{epoch:06}.json"), &text)
    }

    /// Removes the working folders of starts before this one, and files nobody finished; how many folders there were.
    pub fn clear_sandboxes(&self, before: u64) -> usize {
        /// Nobody writes a file for as long as this.
        const LEFT_FOR: Duration = Duration::from_secs(3_600);
        if let Err(error) = atomic::remove_stray_temps(&self.root, LEFT_FOR) {
            tracing::debug!(%error, "leftovers stay in the run");
        }
        let Ok(entries) = self.sandboxes().read_dir() else { return 0 };
        let is_old = |name: &str| {
            let epoch = name.split('-').next().and_then(|epoch| epoch.parse::<u64>().ok());
            epoch.is_none_or(|epoch| epoch < before)
        };
        let old = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_old));
        old.filter(|entry| std::fs::remove_dir_all(entry.path()).is_ok()).count()
    }
}
