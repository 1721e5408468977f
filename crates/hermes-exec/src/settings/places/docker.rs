//! Commands in docker or podman.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::container::ContainerSettings;
use super::{IMAGE, Sources};
use crate::settings::error::SettingsError;
use crate::settings::reader::{Reader, is_variable_name};

/// How commands run in docker or podman.
#[derive(Clone, Debug, PartialEq)]
pub struct DockerSettings {
    /// Size and persistence.
    pub container: ContainerSettings,
    /// The image.
    pub image: String,
    /// The client to use, instead of the one found.
    pub binary: Option<PathBuf>,
    /// Mounts as docker takes them; each has a colon.
    pub volumes: Vec<String>,
    /// Variables of the container.
    pub env: BTreeMap<String, String>,
    /// Variables of ours the container gets, even if they are keys.
    pub forward_env: Vec<String>,
    /// Further arguments for `docker run`.
    pub extra_args: Vec<String>,
    /// The directory of this machine to mount as `/workspace`, where commands then begin.
    pub workspace: Option<PathBuf>,
    /// Whether the container reaches the network.
    pub network: bool,
    /// Whether commands run as the user of this process instead of root.
    pub run_as_host_user: bool,
    /// Whether the container stays for the next process.
    pub persist_across_processes: bool,
    /// Whether containers nobody uses any more are removed.
    pub orphan_reaper: bool,
}

impl DockerSettings {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let reader = sources.reader;
        let mount = reader.flag("docker_mount_cwd_to_workspace", false)?;
        let mut forward_env = reader.texts("docker_forward_env")?;
        forward_env.retain(|name| is_variable_name(name));
        Ok(Self {
            container: ContainerSettings::read(reader)?,
            image: sources.image("docker_image", IMAGE)?,
            binary: sources.path_in("HERMES_DOCKER_BINARY")?,
            volumes: volumes(reader)?,
            env: reader
                .get("docker_env")
                .map_or_else(|| Ok(BTreeMap::new()), |it| it.variables())?,
            forward_env,
            extra_args: reader.texts("docker_extra_args")?,
            workspace: if mount { sources.wanted.to_mount() } else { None },
            network: reader.flag("docker_network", true)?,
            run_as_host_user: reader.flag("docker_run_as_host_user", false)?,
            persist_across_processes: reader.flag("docker_persist_across_processes", true)?,
            orphan_reaper: reader.flag("docker_orphan_reaper", true)?,
        })
    }
}

fn volumes(reader: &Reader<'_>) -> Result<Vec<String>, SettingsError> {
    let Some(found) = reader.get("docker_volumes") else { return Ok(Vec::new()) };
    let volumes = found.texts()?;
    if volumes.iter().all(|volume| volume.contains(':')) {
        Ok(volumes)
    } else {
        Err(found.unusable("a list of mounts, each written as source:target"))
    }
}
