//! What each kind of backend needs to know.
//!
//! Only the settings of the environment in use are read, so a wrong image for docker does not stop
//! anybody from working locally.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;

use super::cwd::WantedDirectory;
use super::error::TerminalSettingsError;
use super::expand::tilde;
use crate::backend::BackendKind;

mod cloud;
mod container;
mod docker;
mod local;
mod singularity;
mod ssh;

pub use cloud::CloudSettings;
pub use container::ContainerSettings;
pub use docker::DockerSettings;
pub use local::{LocalSettings, SandboxMode, ShellLimits};
pub use singularity::SingularitySettings;
pub use ssh::SshSettings;

/// The image of containers, unless another is chosen.
const IMAGE: &str = "nikolaik/python-nodejs:python3.11-nodejs20";

/// The settings of the environment in use.
#[derive(Clone, Debug, PartialEq)]
pub enum BackendSettings {
    /// This machine.
    Local(LocalSettings),
    /// A container of docker or podman.
    Docker(DockerSettings),
    /// Another machine.
    Ssh(SshSettings),
    /// An instance of apptainer or singularity.
    Singularity(SingularitySettings),
    /// A sandbox of a cloud.
    Cloud(CloudSettings),
}

impl BackendSettings {
    /// Of which kind the environment is.
    #[must_use]
    pub const fn kind(&self) -> BackendKind {
        match self {
            Self::Local(_) => BackendKind::Local,
            Self::Docker(_) => BackendKind::Docker,
            Self::Ssh(_) => BackendKind::Ssh,
            Self::Singularity(_) => BackendKind::Singularity,
            Self::Cloud(cloud) => cloud.kind,
        }
    }
}

/// What is read from, by every kind of backend.
pub(in crate::settings) struct SettingSources<'a> {
    pub(in crate::settings) config: &'a Value,
    pub(in crate::settings) vars: &'a Vars,
    pub(in crate::settings) wanted: &'a WantedDirectory<'a>,
    pub(in crate::settings) sandbox_dir: &'a Path,
}

impl SettingSources<'_> {
    pub(in crate::settings) fn read(
        &self,
        kind: BackendKind,
    ) -> Result<BackendSettings, TerminalSettingsError> {
        Ok(match kind {
            BackendKind::Local => BackendSettings::Local(LocalSettings::read(self)?),
            BackendKind::Docker => BackendSettings::Docker(DockerSettings::read(self)?),
            BackendKind::Ssh => BackendSettings::Ssh(SshSettings::read(self)?),
            BackendKind::Singularity => {
                BackendSettings::Singularity(SingularitySettings::read(self)?)
            }
            BackendKind::Modal | BackendKind::Daytona | BackendKind::Vercel => {
                BackendSettings::Cloud(CloudSettings::read(kind, self)?)
            }
        })
    }

    /// What is written for one of the structs that share the section; it must be right.
    fn section<S: Settings>(&self) -> Result<S, TerminalSettingsError> {
        Ok(S::read_strictly(self.config, self.vars)?)
    }

    /// A path as people write it.
    fn path(&self, written: &str) -> PathBuf {
        tilde(written.trim(), self.vars)
    }
}
