//! What all containers have.

use crate::settings::error::SettingsError;
use crate::settings::reader::Reader;

/// The most processors that make sense.
const MOST_CPUS: f64 = 4096.0;
/// The largest size that makes sense, in MB.
const MOST_MB: u64 = 1 << 40;
/// The disk of a container that does not say, in MB.
pub(super) const DISK_MB: u64 = 51_200;

/// What is the same for all that run in a container of some sort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContainerSettings {
    /// Processors; 0 for no limit.
    pub cpu: f64,
    /// Memory in MB; 0 for no limit.
    pub memory_mb: u64,
    /// Disk in MB; 0 for no limit.
    pub disk_mb: u64,
    /// Whether files outlive the container.
    pub persistent: bool,
}

impl ContainerSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, SettingsError> {
        let size = |key, default| reader.get(key).map_or(Ok(default), |it| it.whole(0..=MOST_MB));
        Ok(Self {
            cpu: reader.get("container_cpu").map_or(Ok(1.0), |it| it.number(MOST_CPUS))?,
            memory_mb: size("container_memory", 5120)?,
            disk_mb: size("container_disk", DISK_MB)?,
            persistent: reader.flag("container_persistent", true)?,
        })
    }
}
