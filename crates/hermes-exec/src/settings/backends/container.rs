//! What all containers have.

use hermes_tool::settings::Settings;

/// The most processors that make sense.
const MOST_CPUS: f64 = 4096.0;
/// The largest size that makes sense, in MB.
const MOST_MB: u64 = 1 << 40;
/// More processes than a system has.
const MOST_PIDS: u64 = 1 << 22;

/// What is the same for all that run in a container of some sort.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
#[settings(path = "terminal", open, variables = "TERMINAL_")]
pub struct ContainerSettings {
    /// Processors of a container; 0 for no limit.
    #[setting(key = "container_cpu", default = 1.0, range = 0.0..=MOST_CPUS)]
    pub cpu: f64,
    /// Memory of a container in MB; 0 for no limit.
    #[setting(key = "container_memory", default = 5120, range = 0..=MOST_MB)]
    pub memory_mb: u64,
    /// Disk of a container in MB; 0 for no limit.
    #[setting(key = "container_disk", default = 51_200, range = 0..=MOST_MB)]
    pub disk_mb: u64,
    /// Processes of a container of docker; 0 for no limit.
    #[setting(key = "container_pids", default = 256, range = 0..=MOST_PIDS)]
    pub pids: u64,
    /// Whether containers reach the network. Where that cannot be kept from them, none is started.
    #[setting(key = "container_network", default = true)]
    pub network: bool,
    /// Keep the container's files between sessions.
    #[setting(key = "container_persistent", default = true)]
    pub persistent: bool,
}
