//! Commands in sandboxes of clouds.

use hermes_tool::settings::{SettingWords, Settings};

use super::container::ContainerSettings;
use super::{IMAGE, SettingSources};
use crate::backend::BackendKind;
use crate::settings::error::TerminalSettingsError;
use crate::settings::values::Word;

/// The keys of the section that are about clouds, as they are written.
#[derive(Settings)]
#[settings(path = "terminal", open, variables = "TERMINAL_")]
struct CloudSection {
    /// Image for daytona.
    #[setting(default = Word(IMAGE.to_owned()))]
    daytona_image: Word,
    /// Image for modal.
    #[setting(default = Word(IMAGE.to_owned()))]
    modal_image: Word,
    /// How Modal is reached.
    modal_mode: ModalMode,
    /// What a sandbox of Vercel has installed: node24, node22 or python3.13.
    #[setting(default = Word("node24".to_owned()))]
    vercel_runtime: Word,
}

/// How Modal is reached: there is one way, by whichever word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
enum ModalMode {
    /// As the keys allow.
    #[default]
    Auto,
    /// With keys of one's own.
    Direct,
}

/// How commands run in a cloud.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudSettings {
    /// Whose sandboxes these are; the keys and the wire depend on it.
    pub kind: BackendKind,
    /// Size and persistence.
    pub container: ContainerSettings,
    /// What sandboxes are made from, as a registry names it; at Vercel, the runtime.
    pub image: String,
}

impl CloudSettings {
    pub(super) fn read(
        kind: BackendKind,
        sources: &SettingSources<'_>,
    ) -> Result<Self, TerminalSettingsError> {
        let written: CloudSection = sources.section()?;
        // Read for the error alone, if the word is another.
        let (ModalMode::Auto | ModalMode::Direct) = written.modal_mode;
        let image = match kind {
            BackendKind::Modal => written.modal_image,
            BackendKind::Vercel => written.vercel_runtime,
            _ => written.daytona_image,
        };
        Ok(Self { kind, container: sources.section()?, image: image.0 })
    }
}
