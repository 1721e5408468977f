//! What is known about a training, on disk.

use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, AtomicError, WriteOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a training is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingState {
    /// Nothing was started yet.
    Pending,
    /// Its processes are being started, one after another.
    Starting,
    /// All run.
    Running,
    /// They are being ended.
    Stopping,
    /// Somebody ended it.
    Stopped,
    /// The trainer came to an end.
    Completed,
    /// Something that has to run does not.
    Failed,
}

/// One of the servers and workers of a training, told from a later process that got the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingProcess {
    /// `api`, `trainer` or `env`.
    pub role: String,
    /// Its number.
    pub pid: u32,
    /// When it was started, by the clock of the system: numbers are used again.
    pub start_time: u64,
    /// The boot of the machine it belongs to.
    pub boot: String,
}

/// What was started together, with what it was started for; it ends as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingRun {
    /// Eight characters.
    pub run_id: String,
    /// Where it is.
    pub status: TrainingState,
    /// The name under which the environment is chosen.
    pub environment: String,
    /// The Python file that the environment was started from.
    pub environment_file: PathBuf,
    /// What was set.
    pub config: Value,
    /// The file it was started with.
    pub config_path: PathBuf,
    /// Where it is logged.
    pub wandb_project: String,
    /// What it is called there.
    pub wandb_run_name: String,
    /// Seconds since 1970 when it was begun.
    pub started: i64,
    /// The same when it ended.
    #[serde(default)]
    pub ended: Option<i64>,
    /// What was started.
    pub processes: Vec<TrainingProcess>,
    /// Whoever starts its processes, until all run.
    #[serde(default)]
    pub starter: Option<TrainingProcess>,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// When its status was told last.
    #[serde(default)]
    pub checked: Option<i64>,
}

/// The files of all trainings.
#[derive(Clone, Debug)]
pub(super) struct RunFiles {
    pub(super) root: PathBuf,
}

impl RunFiles {
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The log of a process.
    pub(super) fn log(&self, run: &str, role: &str) -> PathBuf {
        self.root.join("logs").join(format!("{role}_{run}.log"))
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), AtomicError> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            hermes_store::home::ensure_private_dir(folder)?;
        }
        atomic::write(&path, bytes, WriteOptions::KEEP)
    }

    pub(super) fn save(&self, run: &TrainingRun) -> Result<(), AtomicError> {
        let text = serde_json::to_vec_pretty(run).unwrap_or_default();
        self.write(&format!("runs/{}.json", run.run_id), &text)
    }

    pub(super) fn load(&self, id: &str) -> Option<TrainingRun> {
        let is_plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_plain.then(|| read(&self.path(&format!("runs/{id}.json"))))?
    }

    /// All of them, the newest first.
    pub(super) fn all(&self) -> Vec<TrainingRun> {
        let Ok(entries) = self.path("runs").read_dir() else { return Vec::new() };
        let files = entries.flatten().map(|entry| entry.path());
        let files =
            files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut runs: Vec<TrainingRun> = files.filter_map(|path| read(&path)).collect();
        runs.sort_by(|one, two| (two.started, &two.run_id).cmp(&(one.started, &one.run_id)));
        runs
    }
}

fn read(path: &Path) -> Option<TrainingRun> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}
