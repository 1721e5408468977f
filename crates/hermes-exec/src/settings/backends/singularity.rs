//! Commands in apptainer or singularity.

use std::path::{Path, PathBuf};

use hermes_tool::settings::Settings;

use super::container::ContainerSettings;
use super::{IMAGE, SettingSources};
use crate::settings::error::TerminalSettingsError;
use crate::settings::values::Word;

const BYTES_PER_GB: f64 = (1u64 << 30) as f64;
/// The largest size that makes sense.
const MOST_WARNING_GB: f64 = 1e9;

/// The keys of the section that are about apptainer, as they are written.
#[derive(Settings)]
#[settings(path = "terminal", open, variables = "TERMINAL_")]
struct SingularitySection {
    /// Where overlays go.
    #[setting(variable_only = "TERMINAL_SCRATCH_DIR")]
    scratch_dir: Option<String>,
    /// From how many GB in the scratch folder on to warn.
    #[setting(variable_only = "TERMINAL_DISK_WARNING_GB", default = 500.0, range = 0.0..=MOST_WARNING_GB)]
    disk_warning_gb: f64,
    /// Where built images are kept.
    #[setting(variable_only = "APPTAINER_CACHEDIR")]
    cache_dir: Option<String>,
    /// Image for singularity and apptainer.
    #[setting(default = Word(format!("docker://{IMAGE}")))]
    singularity_image: Word,
}

/// How commands run in apptainer or singularity.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularitySettings {
    /// Size and persistence.
    pub container: ContainerSettings,
    /// What instances are made from: a file, or `docker://` and a registry's name.
    pub image: String,
    /// Where overlays go: the first of these that can be written to. The shared one counts only if
    /// `/scratch` is there.
    pub scratch: Vec<PathBuf>,
    /// Where built images are kept, if not in the scratch folder.
    pub cache_dir: Option<PathBuf>,
    /// When to warn about the size of what is in the scratch folder.
    pub disk_warning_bytes: u64,
}

impl SingularitySettings {
    pub(super) fn read(sources: &SettingSources<'_>) -> Result<Self, TerminalSettingsError> {
        let written: SingularitySection = sources.section()?;
        let scratch = match written.scratch_dir {
            Some(chosen) => vec![sources.path(&chosen)],
            None => {
                let user = sources.vars.non_blank("USER").filter(|user| !user.contains('/'));
                let shared = user.map(|user| Path::new("/scratch").join(user).join("hermes-agent"));
                shared.into_iter().chain([sources.sandbox_dir.join("singularity")]).collect()
            }
        };
        Ok(Self {
            container: sources.section()?,
            image: written.singularity_image.0,
            scratch,
            cache_dir: written.cache_dir.map(|path| sources.path(&path)),
            // In range by the limit above.
            disk_warning_bytes: (written.disk_warning_gb * BYTES_PER_GB) as u64,
        })
    }
}
