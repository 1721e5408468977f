//! The folder of a run: what is on disk, and why nothing is lost.
//!
//! | path | content |
//! |---|---|
//! | `run.json` | what the run is made of: data set, options, seed; what was agreed on later stands behind that |
//! | `epochs/N` | one file for each start; the number fences the past |
//! | `segments/EPOCH-WORKER-N.jsonl` | the records; `.idx` beside those that were closed |
//! | `retries/EPOCH.json` | tasks that were put back: their records of earlier epochs no longer count |
//! | `unwritten/EPOCH.jsonl` | records that found no room; the next start takes them in |
//! | `images.jsonl` | images that were fetched for the run, and where |
//! | `tools/SHA256.json` | definitions of tools, which records point to |
//! | `run.lock` | held by whoever works on the run |
//! | `status.json` | what runs at the moment, for `hermes batch status` |
//! | the rest | derived from the records; may be deleted |
//!
//! Which record of a task counts is a function of the segments alone ([`RunIndex`]), so every reader on every machine
//! comes to the same result, whoever was killed and whoever wrote twice.

mod images;
mod index;
mod lock;
mod segment;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_store::atomic::{self, WriteOptions};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use images::FetchedImages;
pub use index::{KeptRecord, RunIndex};
pub use lock::RunLock;
pub(crate) use lock::host_name;
pub use segment::{DamagedLine, IndexEntry, SegmentLimits, SegmentWriter, read_segment};

use crate::BatchError;
use crate::dataset::hex;
use crate::options::RunOptions;

/// What a run is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunManifest {
    /// The form of this file.
    pub format: u32,
    /// Names the run among all runs of all folders; its containers carry it.
    #[serde(default)]
    pub id: String,
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
    /// How tasks were run at first; [`RunManifest::now`] has how they are run since.
    pub options: RunOptions,
    /// The model as it was found at the first start.
    pub model: String,
    /// The version that began it.
    pub version: String,
    /// When it was begun.
    pub created: String,
    /// What was agreed on later, in order. The last counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generations: Vec<RunGeneration>,
}

/// How tasks are run from some start on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunGeneration {
    /// In place of those before it, from the start that was told so.
    pub options: RunOptions,
    /// The model as it was found then.
    pub model: String,
    /// The version that was told so.
    pub version: String,
    /// When.
    pub created: String,
}

impl RunManifest {
    /// How tasks are run now.
    #[must_use]
    pub fn now(&self) -> &RunOptions {
        self.generations.last().map_or(&self.options, |last| &last.options)
    }

    /// Who works on them now.
    #[must_use]
    pub fn model_now(&self) -> &str {
        self.generations.last().map_or(&self.model, |last| &last.model)
    }

    /// Where its tasks have run, each once; nothing is where the settings say.
    #[must_use]
    pub fn backends(&self) -> BTreeSet<Option<&str>> {
        let later = self.generations.iter().map(|later| &later.options);
        later.chain([&self.options]).map(|options| options.backend.as_deref()).collect()
    }

    /// The number that records carry: 1 for what the run was begun with.
    #[must_use]
    pub fn generation(&self) -> u32 {
        u32::try_from(self.generations.len()).map_or(u32::MAX, |later| later.saturating_add(1))
    }

    /// An id made of what no two runs share: for those that were begun without one.
    fn made_id(&self) -> String {
        let seed = self.options.seed;
        let text = format!("{}\0{}\0{}\0{seed}", self.name, self.created, self.dataset_sha256);
        hex(&Sha256::digest(text)[..8])
    }
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

    /// Names what works here where no run was begun: by its place.
    #[must_use]
    pub fn place_id(&self) -> String {
        let place = std::fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        hex(&Sha256::digest(format!("{}\0{}", host_name(), place.display()))[..8])
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
        let mut manifest: RunManifest =
            serde_json::from_slice(&text).map_err(|error| BatchError::broken(&path, error))?;
        if manifest.id.is_empty() {
            manifest.id = manifest.made_id();
        }
        Ok(manifest)
    }

    /// Makes the folder and says what the run is made of, or what it is made of from now on.
    ///
    /// # Errors
    /// If it cannot be written.
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
        self.put_back_before(self.next_epoch()?, tasks)
    }

    /// Puts tasks back: what was recorded of them before this start no longer counts.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn put_back_before(&self, epoch: u64, tasks: &[String]) -> Result<(), BatchError> {
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
