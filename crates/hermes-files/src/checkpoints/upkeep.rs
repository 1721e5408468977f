//! Keeping the store small: what is old, orphaned or too much goes, and git collects the rest.
//!
//! None of this belongs into a turn. [`CheckpointStore::upkeep_in_background`] is meant for the start of a
//! session and for the end of each turn; it does the regular round if one is due, and otherwise
//! only looks whether the store has outgrown its limit.
//!
//! Checkpoints are dropped by removing their refs, which is immediate. Their objects go when git
//! collects garbage. That can happen while another process is taking a checkpoint, and needs no
//! lock against it: git spares objects younger than [`GRACE`], and no checkpoint takes that long.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::task::JoinHandle;

use super::error::CheckpointError;
use super::git::{Deadline, Git};
use super::history::{REFS, StoredCheckpoint};
use super::project::ProjectRecord;
use super::status::size_of;
use super::store::{CheckpointStore, LEGACY_PREFIX, in_background, list, replace};

/// When upkeep was last done, in seconds since 1970.
const MARKER: &str = ".last_prune";
/// The time a whole round may take.
const ROUND_LIMIT: Duration = Duration::from_secs(600);
/// How young an object must be to be spared though nothing refers to it.
const GRACE: &str = "15.minutes.ago";
/// How old a temporary file must be for no process to be at work on it.
const STRAY_AGE: Duration = Duration::from_secs(3600);
/// How often the oldest checkpoint of every project is dropped to get below the size limit.
const MAX_TRIMS: usize = 20;

/// Whether a round waits for its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpkeepTrigger {
    /// If the last one is long enough ago, and `checkpoints.auto_prune` is on.
    Due,
    /// Now.
    Now,
}

/// Whether a round was done, or why there was none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upkeep {
    /// A round was done.
    Done(UpkeepReport),
    /// It is not time for one, there is nothing to do it on, or it is switched off.
    NotDue,
    /// Another process is at it.
    Busy,
}

/// What a round of upkeep removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpkeepReport {
    /// Projects whose directory is gone.
    pub orphans: usize,
    /// Projects that were not used for longer than the retention time.
    pub expired: usize,
    /// Archives of older layouts.
    pub legacy: usize,
    /// Checkpoints dropped for the size of the store.
    pub trimmed: usize,
}

/// Why a project's checkpoints go.
enum Fate {
    Keep,
    Orphan,
    Expired,
}

impl CheckpointStore {
    /// Does what is due, without anybody waiting for it. Failures are logged.
    pub fn upkeep_in_background(self: &Arc<Self>) -> JoinHandle<()> {
        let store = Arc::clone(self);
        tokio::spawn(async move {
            let done = match store.upkeep(UpkeepTrigger::Due).await {
                Ok(Upkeep::NotDue) => store.trim().await.map(drop),
                other => other.map(drop),
            };
            if let Err(error) = done {
                tracing::warn!(%error, "upkeep of the checkpoints failed");
            }
        })
    }

    /// Does a round of upkeep: removes projects that are gone or unused, old archives, and
    /// checkpoints above the size limit, then collects garbage.
    pub async fn upkeep(&self, when: UpkeepTrigger) -> Result<Upkeep, CheckpointError> {
        let now = SystemTime::now();
        let due = when == UpkeepTrigger::Now || self.settings.auto_prune && self.is_due(now);
        if !due || !self.base.is_dir() {
            return Ok(Upkeep::NotDue);
        }
        let deadline = Deadline::after(ROUND_LIMIT);
        self.prepare(deadline).await?;
        let Some(_held) = self.locks.try_take("upkeep")? else { return Ok(Upkeep::Busy) };
        let git = self.git(deadline);
        let mut report = UpkeepReport::default();
        for (id, record) in self.records()? {
            let counter = match self.fate(&record, now) {
                Fate::Keep => continue,
                Fate::Orphan => &mut report.orphans,
                Fate::Expired => &mut report.expired,
            };
            // A project in use is neither gone nor unused.
            if let Some(_held) = self.locks.try_take(&id)? {
                self.forget(&git, &id).await?;
                *counter += 1;
            }
        }
        self.remove_strays()?;
        report.legacy = self.remove_legacy(Some(self.settings.retention))?;
        report.trimmed = self.drop_oldest(&git).await?;
        collect(&git).await?;
        let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        replace(&self.base.join(MARKER), seconds.to_string().as_bytes())?;
        Ok(Upkeep::Done(report))
    }

    /// Drops the oldest checkpoints if the store is over its size limit. Returns how many.
    pub async fn trim(&self) -> Result<usize, CheckpointError> {
        if !self.exists() || self.size().await <= self.settings.max_total_bytes {
            return Ok(0);
        }
        let Some(_held) = self.locks.try_take("upkeep")? else { return Ok(0) };
        let git = self.git(Deadline::after(ROUND_LIMIT));
        let dropped = self.drop_oldest(&git).await?;
        collect(&git).await?;
        Ok(dropped)
    }

    fn is_due(&self, now: SystemTime) -> bool {
        let text = fs::read_to_string(self.base.join(MARKER)).unwrap_or_default();
        let last = text.trim().parse().ok().map(Duration::from_secs);
        let age = last.and_then(|last| now.duration_since(UNIX_EPOCH + last).ok());
        // No marker, or one from the future, says nothing.
        age.is_none_or(|age| age >= self.settings.min_interval)
    }

    fn fate(&self, record: &ProjectRecord, now: SystemTime) -> Fate {
        let age = now.duration_since(record.last_touch()).unwrap_or_default();
        if self.settings.delete_orphans && is_gone(&record.workdir()) {
            Fate::Orphan
        } else if age > self.settings.retention {
            Fate::Expired
        } else {
            Fate::Keep
        }
    }

    /// Removes all there is of a project. The caller holds its lock.
    async fn forget(&self, git: &Git, id: &str) -> Result<(), CheckpointError> {
        let entries = self.entries(git, id).await?;
        delete(git, entries.iter().map(|entry| entry.ref_name(id))).await?;
        for file in [self.index(id), self.record_file(id)] {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(CheckpointError::io("remove", &file)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Drops the oldest checkpoint of each project, again and again, until what is left fits the
    /// size limit. Each project keeps its newest.
    async fn drop_oldest(&self, git: &Git) -> Result<usize, CheckpointError> {
        let mut projects: BTreeMap<String, Vec<StoredCheckpoint>> = BTreeMap::new();
        for (id, entry) in self.all_entries(git, REFS).await? {
            projects.entry(id).or_default().push(entry);
        }
        for entries in projects.values_mut() {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.sequence));
        }
        let mut dropped = 0;
        for _ in 0..MAX_TRIMS {
            if self.size().await <= self.settings.max_total_bytes
                || reachable(git).await? <= self.settings.max_total_bytes
            {
                break;
            }
            let oldest: Vec<String> = projects
                .iter_mut()
                .filter(|(_, entries)| entries.len() > 1)
                .filter_map(|(id, entries)| Some(entries.pop()?.ref_name(id)))
                .collect();
            if oldest.is_empty() {
                break;
            }
            dropped += oldest.len();
            delete(git, oldest).await?;
        }
        Ok(dropped)
    }

    /// The projects on record, by id.
    pub(super) fn records(&self) -> Result<Vec<(String, ProjectRecord)>, CheckpointError> {
        let mut records: Vec<_> = list(&self.projects())?
            .iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .filter_map(|path| path.file_stem()?.to_str())
            .filter_map(|id| Some((id.to_owned(), self.record(id)?)))
            .collect();
        records.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(records)
    }

    /// Removes what killed processes left among the indexes.
    fn remove_strays(&self) -> Result<(), CheckpointError> {
        for path in list(&self.repository().join("indexes"))? {
            let passing = path.extension().is_some_and(|end| end == "tmp" || end == "lock");
            if passing && age(&path).is_some_and(|age| age > STRAY_AGE) {
                // Nothing is lost if it stays.
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    /// Archives of older layouts.
    pub(super) fn legacy_archives(&self) -> Result<Vec<PathBuf>, CheckpointError> {
        let is_archive = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(LEGACY_PREFIX)) && path.is_dir()
        };
        Ok(list(&self.base)?.into_iter().filter(is_archive).collect())
    }

    /// Removes the archives older than this, or all. Returns how many.
    pub(super) fn remove_legacy(&self, than: Option<Duration>) -> Result<usize, CheckpointError> {
        let mut archives = self.legacy_archives()?;
        archives.retain(|path| than.is_none_or(|than| age(path).is_some_and(|age| age > than)));
        for path in &archives {
            fs::remove_dir_all(path).map_err(CheckpointError::io("remove", path))?;
        }
        Ok(archives.len())
    }

    /// The size of the store on disk, in bytes.
    pub(super) async fn size(&self) -> u64 {
        let repository = self.repository();
        in_background(move || size_of(&repository)).await
    }
}

fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

/// Whether a directory is certainly not there, as opposed to out of reach.
fn is_gone(dir: &Path) -> bool {
    matches!(fs::metadata(dir), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

async fn delete(git: &Git, refs: impl IntoIterator<Item = String>) -> Result<(), CheckpointError> {
    let lines: String = refs.into_iter().map(|name| format!("delete {name}\n")).collect();
    if !lines.is_empty() {
        git.call("update-ref").args(["--stdin"]).input(lines).run().await?;
    }
    Ok(())
}

/// The size of all objects that checkpoints need, in bytes.
async fn reachable(git: &Git) -> Result<u64, CheckpointError> {
    let glob = format!("--glob={REFS}/*");
    let text = git.call("rev-list").args(["--objects", "--disk-usage", &glob]).run().await?;
    Ok(text.trim().parse().unwrap_or(0))
}

async fn collect(git: &Git) -> Result<(), CheckpointError> {
    git.call("gc").args(["--quiet".to_owned(), format!("--prune={GRACE}")]).run().await.map(drop)
}
