//! `vision_analyze`: a look at a picture.

use hermes_media::vision;
use hermes_tool::{CallDisplay, ShownCall, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::picture_sources::picture;

/// Arguments of `vision_analyze`.
#[derive(Deserialize, JsonSchema)]
struct VisionAnalyze {
    /// The picture: an http(s) address, a path (`~` is your home), a file:// address or a base64 data: URL.
    #[serde(alias = "image_path", alias = "image")]
    image_url: String,
    /// What you want to know about it.
    question: String,
}

/// Look at a picture and answer a question about it.
///
/// Takes PNG, JPEG, GIF, BMP, WebP and SVG up to 50 MiB, from the web or from a file. Use it whenever what you need is
/// in a screenshot, a photo, a chart or a scan.
#[tool(
    toolset = "vision",
    emoji = "👁️",
    effects(reads, network),
    output = untrusted,
    display = CallDisplay::verb("vision").detail(question_shown)
)]
async fn vision_analyze(args: VisionAnalyze, cx: &ToolContext) -> ToolResult {
    if args.question.trim().is_empty() {
        return Err(ToolError::answer("question is empty; say what you want to know"));
    }
    let picture = match picture(&args.image_url, cx).await {
        Ok(picture) => picture,
        // A refusal keeps the rule it names.
        Err(error) if !error.extras().is_empty() => return Err(error),
        Err(error) => return Err(vision::failed(error.message())),
    };
    vision::look(picture, &args.question, None, cx).await
}

fn question_shown(call: &ShownCall<'_>) -> String {
    match call.text("question") {
        question if question.is_empty() => call.best_guess(),
        question => question,
    }
}
