//! Commands in sandboxes of others.

use super::container::{ContainerSettings, DISK_MB};
use super::{IMAGE, Sources};
use crate::settings::error::SettingsError;

/// What a Vercel sandbox can run; the first is the default.
const VERCEL_RUNTIMES: [&str; 3] = ["node24", "node22", "python3.13"];

/// Whose account of Modal is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModalMode {
    /// The managed one if it can be had, else the user's own.
    Auto,
    /// The user's own.
    Direct,
    /// The managed one.
    Managed,
}

/// How commands run in Modal.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalSettings {
    /// Size and persistence.
    pub container: ContainerSettings,
    /// The image.
    pub image: String,
    /// Whose account is used.
    pub mode: ModalMode,
}

impl ModalSettings {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let words = [
            ("auto", ModalMode::Auto),
            ("direct", ModalMode::Direct),
            ("managed", ModalMode::Managed),
        ];
        let mode = sources.reader.get("modal_mode");
        Ok(Self {
            container: ContainerSettings::read(sources.reader)?,
            image: sources.image("modal_image", IMAGE)?,
            mode: mode.map_or(Ok(ModalMode::Auto), |found| found.one_of(&words))?,
        })
    }
}

/// How commands run in Daytona.
#[derive(Clone, Debug, PartialEq)]
pub struct DaytonaSettings {
    /// Size and persistence.
    pub container: ContainerSettings,
    /// The image.
    pub image: String,
}

impl DaytonaSettings {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        Ok(Self {
            container: ContainerSettings::read(sources.reader)?,
            image: sources.image("daytona_image", IMAGE)?,
        })
    }
}

/// How commands run in a sandbox of Vercel.
#[derive(Clone, Debug, PartialEq)]
pub struct VercelSettings {
    /// Size and persistence.
    pub container: ContainerSettings,
    /// What it can run.
    pub runtime: &'static str,
}

impl VercelSettings {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let words = VERCEL_RUNTIMES.map(|runtime| (runtime, runtime));
        let runtime = sources.reader.get("vercel_runtime");
        let container = ContainerSettings::read(sources.reader)?;
        if let Some(disk) = sources.reader.get("container_disk")
            && ![0, DISK_MB].contains(&container.disk_mb)
        {
            let expected = format!("0 or {DISK_MB} for vercel_sandbox, whose disk has one size");
            return Err(disk.unusable(&expected));
        }
        Ok(Self {
            container,
            runtime: runtime.map_or(Ok(VERCEL_RUNTIMES[0]), |found| found.one_of(&words))?,
        })
    }
}
