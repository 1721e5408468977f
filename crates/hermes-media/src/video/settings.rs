//! Who makes clips.

use hermes_tool::settings::Settings;

use crate::drawing::ServiceAddress;

/// The section `video_gen`.
#[derive(Clone, Debug, Settings)]
#[settings(path = "video_gen", about = "Video clips made from words", open)]
pub struct VideoSettings {
    /// Who makes them: fal or xai; fal where its key is set.
    provider: Option<String>,
    /// The model to ask, instead of the provider's usual one.
    model: Option<String>,
    /// fal; the key is FAL_KEY.
    pub(super) fal: ServiceAddress,
    /// xAI; the key is XAI_API_KEY.
    pub(super) xai: ServiceAddress,
}

impl VideoSettings {
    /// Whom the user named.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        self.provider.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }

    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }
}
