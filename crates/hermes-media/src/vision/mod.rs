//! Looking at a picture: by the model of the conversation if it sees, else by another one.
//!
//! [`look`] is the one way. A conversation whose own model sees gets the picture itself, as a multimodal result, and
//! looks at it with everything it knows. Otherwise a model on the side (`auxiliary.vision`, or the main one) is asked
//! to describe it and to answer the question, and its words are the result. Whoever names a model for
//! `auxiliary.vision` wants it asked, so then it is, whatever the main model can do.

mod describe;
mod settings;

use hermes_llm::provider::ModelSettings;
use hermes_tool::{ToolContext, ToolError, ToolOutput, ToolResult};
use serde_json::json;
pub use settings::VisionSettings;

use crate::picture::{FittedPicture, Picture, PictureLimits};

/// The side task under `auxiliary`.
const TASK: &str = "vision";

/// What every model of a conversation takes.
pub const NATIVE: PictureLimits = PictureLimits { base64_bytes: 4 << 20, side: 7_900 };

/// Who knows the model of the conversation; a service of the call, where there is a conversation.
pub trait SeeingModel: Send + Sync {
    /// Whether the model that will read the result sees pictures.
    fn sees_images(&self) -> bool;
}

/// Looks at a picture with a question in mind. `about` are words of ours that go with the answer either way, such as
/// where the picture is.
///
/// # Errors
/// The picture cannot be read, or no model could look at it. Then `analysis` says why in plain words.
pub async fn look(
    picture: Picture,
    question: &str,
    about: Option<&str>,
    cx: &ToolContext,
) -> ToolResult {
    if is_native(cx) {
        let fitted = picture.fit(NATIVE).await.map_err(|error| failed(&error.to_string()))?;
        return Ok(shown(&fitted, question, about));
    }
    let analysis = describe::describe(picture, question, cx).await.map_err(|why| failed(&why))?;
    let mut result = json!({"success": true, "analysis": analysis});
    if let Some(about) = about {
        result["note"] = about.into();
    }
    ToolOutput::json(&result)
}

/// The error of a look that failed, in the form models are used to.
#[must_use]
pub fn failed(why: &str) -> ToolError {
    ToolError::answer(why)
        .with("success", false)
        .with("analysis", format!("The image could not be analysed: {why}"))
}

fn is_native(cx: &ToolContext) -> bool {
    let sees = cx.service::<dyn SeeingModel>().is_some_and(|model| model.sees_images());
    let named = || {
        let settings = ModelSettings::from_config(cx.config());
        settings.auxiliary(TASK).is_some_and(hermes_llm::provider::AuxiliaryModel::is_named)
            || VisionSettings::of(cx).names_a_model()
    };
    sees && !named()
}

/// The picture itself, for the model that asked.
fn shown(picture: &FittedPicture, question: &str, about: Option<&str>) -> ToolOutput {
    let mut text = format!("The image is below. Look at it and answer: {}", question.trim());
    if let Some(about) = about {
        text.push('\n');
        text.push_str(about);
    }
    let image = json!({"type": "image_url", "image_url": {"url": picture.data_url()}});
    ToolOutput::Multimodal {
        content: vec![json!({"type": "text", "text": text}), image],
        text_summary: Some(format!("An image was shown. {}", about.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests;
