//! `vision_analyze`: a look at a picture.

use std::time::Duration;

use hermes_media::picture::{MAX_BYTES, Picture, PictureSource, download};
use hermes_media::vision::{self, VisionSettings};
use hermes_tool::{CallDisplay, ShownCall, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::whole_file::read_whole;
use crate::host_services;

/// How long is waited before a download that failed in passing is tried again.
const PAUSES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(4)];

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
    let failed = |error: &dyn std::fmt::Display| vision::failed(&error.to_string());
    let source = PictureSource::parse(&args.image_url).map_err(|error| failed(&error))?;
    let bytes = match source {
        PictureSource::Inline(bytes) => bytes,
        PictureSource::File(path) => read_whole(&path, MAX_BYTES, cx).await?,
        PictureSource::Web(address) => {
            let time = VisionSettings::of(cx).download_time();
            let door = host_services::http_door(cx);
            download(&door, &address, time, &PAUSES, cx.cancellation())
                .await
                .map_err(|error| failed(&error))?
        }
    };
    let picture = Picture::recognise(bytes).map_err(|error| failed(&error))?;
    vision::look(picture, &args.question, None, cx).await
}

fn question_shown(call: &ShownCall<'_>) -> String {
    match call.text("question") {
        question if question.is_empty() => call.best_guess(),
        question => question,
    }
}
