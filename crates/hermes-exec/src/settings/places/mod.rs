//! What each kind of place needs to know.
//!
//! Only the settings of the place in use are read, so a wrong image for docker does not stop
//! anybody from working locally.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;

use super::cwd::Wanted;
use super::error::SettingsError;
use super::expand::tilde;
use super::reader::Reader;
use crate::backend::BackendKind;

mod cloud;
mod container;
mod docker;
mod local;
mod singularity;
mod ssh;

pub use cloud::{DaytonaSettings, ModalMode, ModalSettings, VercelSettings};
pub use container::ContainerSettings;
pub use docker::DockerSettings;
pub use local::{LocalSettings, Sandbox};
pub use singularity::SingularitySettings;
pub use ssh::SshSettings;

/// The image of containers, unless another is chosen.
const IMAGE: &str = "nikolaik/python-nodejs:python3.11-nodejs20";

/// The settings of the place in use.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceSettings {
    /// This machine.
    Local(LocalSettings),
    /// A container of docker or podman.
    Docker(DockerSettings),
    /// Another machine.
    Ssh(SshSettings),
    /// An instance of apptainer or singularity.
    Singularity(SingularitySettings),
    /// A sandbox of Modal.
    Modal(ModalSettings),
    /// A sandbox of Daytona.
    Daytona(DaytonaSettings),
    /// A sandbox of Vercel.
    Vercel(VercelSettings),
}

impl PlaceSettings {
    /// Of which kind the place is.
    #[must_use]
    pub const fn kind(&self) -> BackendKind {
        match self {
            Self::Local(_) => BackendKind::Local,
            Self::Docker(_) => BackendKind::Docker,
            Self::Ssh(_) => BackendKind::Ssh,
            Self::Singularity(_) => BackendKind::Singularity,
            Self::Modal(_) => BackendKind::Modal,
            Self::Daytona(_) => BackendKind::Daytona,
            Self::Vercel(_) => BackendKind::Vercel,
        }
    }
}

/// What is read from, by every kind of place.
pub(in crate::settings) struct Sources<'a> {
    pub(in crate::settings) reader: &'a Reader<'a>,
    pub(in crate::settings) vars: &'a Vars,
    pub(in crate::settings) wanted: &'a Wanted<'a>,
    pub(in crate::settings) sandbox_dir: &'a Path,
}

impl Sources<'_> {
    pub(in crate::settings) fn read(
        &self,
        kind: BackendKind,
    ) -> Result<PlaceSettings, SettingsError> {
        Ok(match kind {
            BackendKind::Local => PlaceSettings::Local(LocalSettings::read(self)?),
            BackendKind::Docker => PlaceSettings::Docker(DockerSettings::read(self)?),
            BackendKind::Ssh => PlaceSettings::Ssh(SshSettings::read(self)?),
            BackendKind::Singularity => {
                PlaceSettings::Singularity(SingularitySettings::read(self)?)
            }
            BackendKind::Modal => PlaceSettings::Modal(ModalSettings::read(self)?),
            BackendKind::Daytona => PlaceSettings::Daytona(DaytonaSettings::read(self)?),
            BackendKind::Vercel => PlaceSettings::Vercel(VercelSettings::read(self)?),
        })
    }

    /// An image becomes an argument of a program, so it must not pass for an option.
    fn image(&self, key: &str, default: &str) -> Result<String, SettingsError> {
        self.reader.get(key).map_or_else(|| Ok(default.to_owned()), |found| found.word())
    }

    /// A path in a variable.
    fn path_in(&self, variable: &str) -> Result<Option<PathBuf>, SettingsError> {
        let found = self.reader.variable(variable);
        found.map(|found| Ok(tilde(&found.text()?, self.vars))).transpose()
    }
}
