//! Who draws, and how.

use hermes_tool::settings::{SettingWords, Settings};

/// The section `image_gen`.
#[derive(Clone, Debug, Settings)]
#[settings(path = "image_gen", about = "Pictures made from words", open)]
pub struct DrawingSettings {
    /// Who draws: fal, openai, xai, openrouter or deepinfra; fal where its key is set.
    provider: Option<String>,
    /// The model to ask, instead of the provider's usual one.
    model: Option<String>,
    /// How much care is taken, where the provider asks (OpenAI).
    pub quality: DrawingQuality,
    /// fal; the key is FAL_KEY.
    fal: ServiceAddress,
    /// OpenAI; the key is OPENAI_API_KEY.
    openai: ServiceAddress,
    /// xAI; the key is XAI_API_KEY.
    xai: ServiceAddress,
    /// OpenRouter; the key is OPENROUTER_API_KEY.
    openrouter: ServiceAddress,
    /// DeepInfra; the key is DEEPINFRA_API_KEY.
    deepinfra: ServiceAddress,
}

/// Where a service is.
#[derive(Clone, Debug, Settings)]
#[settings(manual, open, about = "One service")]
pub struct ServiceAddress {
    /// Another address than the service's own.
    pub base_url: Option<String>,
}

/// How much care is taken with a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum DrawingQuality {
    Low,
    #[default]
    Medium,
    High,
}

impl DrawingSettings {
    /// Whom the user named.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        given(self.provider.as_deref())
    }

    /// The model the user named.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        given(self.model.as_deref())
    }

    pub(super) fn address(&self, provider: &str) -> &ServiceAddress {
        match provider {
            "openai" => &self.openai,
            "xai" => &self.xai,
            "openrouter" => &self.openrouter,
            "deepinfra" => &self.deepinfra,
            _ => &self.fal,
        }
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
