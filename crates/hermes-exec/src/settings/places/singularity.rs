//! Commands in apptainer or singularity.

use std::path::{Path, PathBuf};

use super::container::ContainerSettings;
use super::{IMAGE, Sources};
use crate::settings::error::SettingsError;

const BYTES_PER_GB: f64 = (1u64 << 30) as f64;
const DISK_WARNING_GB: f64 = 500.0;
/// The largest size that makes sense.
const MOST_WARNING_GB: f64 = 1e9;

/// How commands run in apptainer or singularity.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularitySettings {
    /// Size and persistence.
    pub container: ContainerSettings,
    /// The image.
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
    pub(super) fn read(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let scratch = match sources.path_in("TERMINAL_SCRATCH_DIR")? {
            Some(chosen) => vec![chosen],
            None => {
                let user = sources.vars.non_blank("USER").filter(|user| !user.contains('/'));
                let shared = user.map(|user| Path::new("/scratch").join(user).join("hermes-agent"));
                shared.into_iter().chain([sources.sandbox_dir.join("singularity")]).collect()
            }
        };
        let warning = sources.reader.variable("TERMINAL_DISK_WARNING_GB");
        let warning = warning.map_or(Ok(DISK_WARNING_GB), |it| it.number(MOST_WARNING_GB))?;
        Ok(Self {
            container: ContainerSettings::read(sources.reader)?,
            image: sources.image("singularity_image", &format!("docker://{IMAGE}"))?,
            scratch,
            cache_dir: sources.path_in("APPTAINER_CACHEDIR")?,
            // In range by the limit above.
            disk_warning_bytes: (warning * BYTES_PER_GB) as u64,
        })
    }
}
