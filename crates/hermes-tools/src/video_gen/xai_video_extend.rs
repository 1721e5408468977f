//! `xai_video_extend`: a clip goes on.

use hermes_media::video::{VideoSettings, XaiVideo};
use hermes_tool::settings::Settings as _;
use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::clips::{answered, clip_address, given, has_xai_key};

/// Arguments of `xai_video_extend`.
#[derive(Deserialize, JsonSchema)]
struct XaiVideoExtend {
    /// How it goes on.
    prompt: String,
    /// The clip's address on the web.
    video_url: String,
    /// How many seconds are added.
    duration: Option<u32>,
    /// Another model than the usual one.
    model: Option<String>,
}

/// Lengthen a video clip that lies on the web: what follows is described in words.
#[tool(
    toolset = "video_gen",
    emoji = "🎥",
    effects(writes, network),
    output = trusted,
    check = has_xai_key,
    requires_env("XAI_API_KEY")
)]
async fn xai_video_extend(args: XaiVideoExtend, cx: &ToolContext) -> ToolResult {
    let clip = clip_address(&args.video_url, cx)?;
    let settings = VideoSettings::read(cx.config(), cx.vars());
    let model = given(args.model);
    match XaiVideo::new(&settings, cx.vars()) {
        Ok(xai) => {
            let (seconds, cancel) = (args.duration, cx.cancellation());
            let made = xai.extend(&args.prompt, &clip, seconds, model.as_deref(), cancel).await;
            answered(made, "video")
        }
        Err(error) => answered(Err(error), "video"),
    }
}
