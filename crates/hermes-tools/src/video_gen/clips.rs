//! What the tools of the toolset share.

use hermes_media::picture::{FittedPicture, PictureLimits};
use hermes_media::video::{MadeVideo, VideoError, told};
use hermes_tool::{Availability, ToolContext, ToolError, ToolOutput, ToolResult, Vars};

use crate::host_services;
use crate::picture_sources::picture;

/// What providers take of a picture to begin with.
const SOURCE: PictureLimits = PictureLimits { base64_bytes: 8 << 20, side: 4_096 };

/// A picture that a model names, as providers take it.
pub(super) async fn fitted(url: &str, cx: &ToolContext) -> Result<FittedPicture, ToolError> {
    let fitted = picture(url, cx).await?.fit(SOURCE).await;
    fitted.map_err(|error| ToolError::answer(format!("{url}: {error}")))
}

/// The address of a clip that a provider is to fetch, by the rules for handing addresses to others.
pub(super) fn clip_address(url: &str, cx: &ToolContext) -> Result<String, ToolError> {
    let judged = host_services::http_door(cx).check_for_third_party(url);
    let judged = judged.map_err(|error| ToolError::answer(error.for_model()))?;
    Ok(judged.to_string())
}

pub(super) fn answered(made: Result<MadeVideo, VideoError>, modality: &str) -> ToolResult {
    match made {
        Ok(made) => ToolOutput::json(&told(&made, modality)),
        Err(error) => Err(ToolError::answer(error.to_string())
            .with("success", false)
            .with("video", serde_json::Value::Null)
            .with("error_type", error.kind())),
    }
}

/// Whether xAI may be asked.
pub(super) fn has_xai_key(vars: &Vars) -> Availability {
    Availability::needs_env(vars, &["XAI_API_KEY"])
}

/// A text that says something.
pub(super) fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
