//! Commands in docker or podman.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hermes_tool::settings::Settings;

use super::container::ContainerSettings;
use super::{IMAGE, SettingSources};
use crate::settings::error::TerminalSettingsError;
use crate::settings::values::{Mounts, Texts, VariableMap, Word, is_variable_name};

/// The keys of the section that are about docker, as they are written.
#[derive(Settings)]
#[settings(path = "terminal", open, variables = "TERMINAL_")]
struct DockerSection {
    /// Image for docker.
    #[setting(default = Word(IMAGE.to_owned()))]
    docker_image: Word,
    /// The client to use, instead of the one found.
    #[setting(variable_only = "HERMES_DOCKER_BINARY")]
    binary: Option<String>,
    /// Mounts for docker.
    docker_volumes: Mounts,
    /// Variables set in the container.
    docker_env: VariableMap,
    /// Variables passed into the container.
    docker_forward_env: Texts,
    /// Further arguments for docker run.
    docker_extra_args: Texts,
    /// Mount the working directory as /workspace.
    docker_mount_cwd_to_workspace: bool,
    /// Whether the container reaches the network.
    #[setting(default = true)]
    docker_network: bool,
    /// Run as your user instead of root.
    docker_run_as_host_user: bool,
    /// Keep the container for the next start.
    #[setting(default = true)]
    docker_persist_across_processes: bool,
    /// Remove containers nobody uses any more.
    #[setting(default = true)]
    docker_orphan_reaper: bool,
}

/// How commands run in docker or podman.
#[derive(Clone, Debug, PartialEq)]
pub struct DockerSettings {
    /// Size and persistence.
    pub container: ContainerSettings,
    /// What containers are made from, as a registry names it.
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
    pub(super) fn read(sources: &SettingSources<'_>) -> Result<Self, TerminalSettingsError> {
        let container: ContainerSettings = sources.section()?;
        let written: DockerSection = sources.section()?;
        let mount = written.docker_mount_cwd_to_workspace;
        let mut forward_env = written.docker_forward_env.0;
        forward_env.retain(|name| is_variable_name(name));
        Ok(Self {
            container,
            image: written.docker_image.0,
            binary: written.binary.map(|path| sources.path(&path)),
            volumes: written.docker_volumes.0,
            env: written.docker_env.0,
            forward_env,
            extra_args: written.docker_extra_args.0,
            workspace: if mount { sources.wanted.to_mount() } else { None },
            network: written.docker_network && container.network,
            run_as_host_user: written.docker_run_as_host_user,
            persist_across_processes: written.docker_persist_across_processes,
            orphan_reaper: written.docker_orphan_reaper,
        })
    }
}
