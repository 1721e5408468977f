//! What the store holds, and getting rid of it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::CheckpointError;
use super::history::REFS;
use super::store::{CheckpointStore, in_background};

/// Bytes in a block, as file systems count them.
const BLOCK: u64 = 512;

/// How large a store is and what it holds, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointStatus {
    /// The folder of the store, whether it exists yet or not.
    pub directory: PathBuf,
    /// The size of the store on disk, in bytes.
    pub bytes: u64,
    /// The number of all checkpoints.
    pub snapshots: usize,
    /// The directories with checkpoints.
    pub projects: Vec<ProjectStatus>,
    /// The number of archives of older layouts.
    pub legacy_archives: usize,
    /// Their size on disk, in bytes.
    pub legacy_bytes: u64,
}

/// One directory with checkpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectStatus {
    /// The hash of its path, under which the store keeps it.
    pub id: String,
    /// The directory that was saved; it may be gone by now.
    pub workdir: PathBuf,
    /// Whether it is still there.
    pub exists: bool,
    /// How many checkpoints it has.
    pub snapshots: usize,
    /// When one was last asked for (give or take an hour).
    pub last_touch: SystemTime,
}

impl CheckpointStore {
    /// Counts what the store holds; an empty answer before the first checkpoint.
    pub async fn status(&self) -> Result<CheckpointStatus, CheckpointError> {
        let entries = self.all_entries(&self.git(self.deadline()), REFS).await?;
        let project = |(id, record): (String, super::project::ProjectRecord)| {
            let workdir = record.workdir();
            ProjectStatus {
                exists: workdir.is_dir(),
                workdir,
                snapshots: entries.iter().filter(|(of, _)| *of == id).count(),
                last_touch: record.last_touch(),
                id,
            }
        };
        let archives = self.legacy_archives()?;
        let legacy_archives = archives.len();
        Ok(CheckpointStatus {
            directory: self.base.clone(),
            bytes: self.size().await,
            snapshots: entries.len(),
            projects: self.records()?.into_iter().map(project).collect(),
            legacy_archives,
            legacy_bytes: in_background(move || archives.iter().map(|path| size_of(path)).sum())
                .await,
        })
    }

    /// Removes every checkpoint of every directory, archives included.
    pub async fn clear_all(&self) -> Result<(), CheckpointError> {
        if !self.base.is_dir() {
            return Ok(());
        }
        self.clear_legacy()?;
        let repository = self.repository();
        if !repository.exists() {
            return Ok(());
        }
        let _held = self.locks.take("setup", self.deadline()).await?;
        // Moved away first: there is a whole store at its place, or none.
        let doomed = tempfile::Builder::new()
            .prefix("deleted-")
            .tempdir_in(&self.base)
            .map_err(CheckpointError::io("create a directory in", &self.base))?;
        fs::rename(&repository, doomed.path().join("store"))
            .map_err(CheckpointError::io("move", &repository))?;
        in_background(move || {
            let path = doomed.path().to_owned();
            doomed.close().map_err(CheckpointError::io("remove", &path))
        })
        .await
    }

    /// Removes the archives of older layouts. Returns how many there were.
    pub fn clear_legacy(&self) -> Result<usize, CheckpointError> {
        self.remove_legacy(None)
    }
}

/// The space a file or directory takes on disk, in bytes. What cannot be read counts as nothing.
pub(super) fn size_of(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    let own = metadata.blocks().saturating_mul(BLOCK);
    if !metadata.is_dir() {
        return own;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    own + entries.map(|entry| size_of(&entry.path())).sum::<u64>()
}
