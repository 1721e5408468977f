//! The section `batch` of the settings.

use hermes_tool::settings::{Seconds, Settings};

/// A group of records waits at most this long to be synced.
const LONGEST_COMMIT: u64 = 10_000;

/// How batch runs go where no option says otherwise.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "batch", about = "Batch runs")]
pub struct BatchSettings {
    /// The folder that runs are kept in, from where the program is started.
    #[setting(default = "data".to_owned())]
    pub dir: String,
    /// Tasks at the same time.
    #[setting(default = 4, range = 1..)]
    pub num_workers: usize,
    /// The distribution that toolsets are drawn from.
    #[setting(default = "default".to_owned())]
    pub distribution: String,
    /// Where tasks run, if not where the terminal does: local, docker, singularity.
    pub backend: Option<String>,
    /// Whether containers of tasks reach the network.
    pub network: bool,
    /// Longest time of a task, in seconds.
    #[setting(default = Seconds::new(1800.0), range = Seconds::new(1.0)..)]
    pub row_timeout: Seconds,
    /// How often a task is tried again when something other than the model failed.
    #[setting(default = 3)]
    pub retries: u32,
    /// Drop trajectories without any reasoning.
    #[setting(default = true)]
    pub require_reasoning: bool,
    /// Bytes after which a file of records is closed.
    #[setting(default = 67_108_864, range = 1..)]
    pub segment_bytes: u64,
    /// How long a record waits for others to be written with, in milliseconds.
    #[setting(default = 50, range = 0..=LONGEST_COMMIT)]
    pub commit_ms: u64,
    /// Megabytes of the disk that stay free: with less no task begins. On a small disk a fiftieth of it is enough.
    #[setting(default = 2048)]
    pub min_free: u64,
    /// How long a run waits for room on its disk before it ends, in seconds.
    #[setting(default = Seconds::new(1800.0), range = Seconds::new(0.0)..)]
    pub disk_patience: Seconds,
    /// How long a run waits for a model that cannot be reached before it ends, in seconds; for one that never answered a
    /// minute at most.
    #[setting(default = Seconds::new(1800.0), range = Seconds::new(0.0)..)]
    pub outage_patience: Seconds,
}

/// Batch runs on Ray.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "batch.ray", about = "Batch runs on Ray")]
pub struct RaySettings {
    /// The address of the cluster.
    #[setting(default = "auto".to_owned())]
    pub address: String,
    /// The Python that can import ray.
    #[setting(default = "python3".to_owned())]
    pub python: String,
}

/// Batch runs in Slurm arrays.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "batch.slurm", about = "Batch runs in Slurm arrays")]
pub struct SlurmSettings {
    /// Which machines.
    pub partition: Option<String>,
    /// Who pays.
    pub account: Option<String>,
    /// Longest time of a part, as Slurm writes it.
    #[setting(default = "4:00:00".to_owned())]
    pub time: String,
    /// More options of sbatch.
    pub args: Vec<String>,
    /// Tasks of a part, if nobody says how many parts there are.
    #[setting(default = 200, range = 1..)]
    pub rows_per_shard: usize,
}

/// What a task's container may use.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "batch.limits", about = "What the container of a task may use")]
pub struct LimitSettings {
    /// Processors.
    #[setting(default = 1.0, range = 0.0..)]
    pub cpus: f64,
    /// Memory in MB.
    #[setting(default = 2048, range = 0..)]
    pub memory: u64,
    /// Disk in MB.
    #[setting(default = 10_240, range = 0..)]
    pub disk: u64,
    /// Processes.
    #[setting(default = 256, range = 1..)]
    pub pids: u64,
}
