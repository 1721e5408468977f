//! `video_analyze`: a look at a video clip.

use std::time::Duration;

use hermes_media::picture::PictureSource;
use hermes_media::video::{Clip, MAX_CLIP_BYTES, watch};
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use hermes_web::{FetchLimits, FetchRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::file::whole_file::read_whole;
use crate::host_services;

/// How long fetching a clip may take.
const TIME: Duration = Duration::from_secs(120);

/// Arguments of `video_analyze`.
#[derive(Deserialize, JsonSchema)]
struct VideoAnalyze {
    /// The clip: an http(s) address, a path (`~` is your home), a file:// address or a base64 data: URL.
    video_url: String,
    /// What you want to know about it.
    question: String,
}

/// Watch a video clip and answer a question about it.
///
/// Takes MP4, MOV, WebM, AVI and MPEG up to 50 MiB, from the web or from a file. The model that watches must take video.
#[tool(
    toolset = "video",
    emoji = "🎬",
    effects(reads, network),
    output = untrusted,
    display = CallDisplay::verb("watch").args(&["question"])
)]
async fn video_analyze(args: VideoAnalyze, cx: &ToolContext) -> ToolResult {
    if args.question.trim().is_empty() {
        return Err(ToolError::answer("question is empty; say what you want to know"));
    }
    let failed = |why: &str| {
        let analysis = format!("The video could not be analysed: {why}");
        ToolError::answer(why).with("success", false).with("analysis", analysis)
    };
    let source = PictureSource::parse(&args.video_url);
    let bytes = match source.map_err(|error| failed(&error.to_string()))? {
        PictureSource::Inline(bytes) => bytes,
        PictureSource::File(path) => read_whole(&path, MAX_CLIP_BYTES, cx).await?,
        PictureSource::Web(address) => {
            let limits =
                FetchLimits { bytes: MAX_CLIP_BYTES, time: TIME, ..FetchLimits::default() };
            let request = FetchRequest::get(address).limits(limits);
            let fetched = host_services::http_door(cx).fetch(request).await;
            let fetched = fetched.map_err(|error| failed(&error.for_model()))?;
            if !fetched.status.is_success() {
                return Err(failed(&format!("the server answered with status {}", fetched.status)));
            }
            fetched.body
        }
    };
    let clip = Clip::recognise(bytes).map_err(|error| failed(&error.to_string()))?;
    let seen = watch(&clip, &args.question, cx).await;
    let analysis = seen.map_err(|error| failed(&error.to_string()))?;
    ToolOutput::json(&json!({"success": true, "analysis": analysis}))
}
