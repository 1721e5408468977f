//! What the user decided about looking at pictures.

use std::time::Duration;

use hermes_tool::ToolContext;
use hermes_tool::settings::{Seconds, Settings};

/// No wait is shorter.
const SHORTEST: Seconds = Seconds::new(0.001);

/// How pictures are fetched and described.
#[derive(Clone, Debug, Settings)]
#[settings(path = "auxiliary.vision", about = "The model that looks at pictures", open)]
pub struct VisionSettings {
    /// How freely it chooses words.
    #[setting(default = 0.1, range = 0.0..=2.0)]
    pub(super) temperature: f64,
    /// How long fetching a picture may take, in seconds.
    #[setting(default = Seconds::new(30.0), range = SHORTEST..)]
    download_timeout: Seconds,
    /// The model, whatever the file says.
    #[setting(variable_only = "AUXILIARY_VISION_MODEL")]
    pub(super) model_now: Option<String>,
}

impl VisionSettings {
    /// Those of a call.
    #[must_use]
    pub fn of(cx: &ToolContext) -> Self {
        Self::read(cx.config(), cx.vars())
    }

    /// How long fetching a picture may take.
    #[must_use]
    pub fn download_time(&self) -> Duration {
        self.download_timeout.duration()
    }

    pub(super) fn names_a_model(&self) -> bool {
        self.model_now.is_some()
    }
}
