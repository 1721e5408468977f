//! `xai_video_edit`: a clip is changed.

use hermes_media::video::{VideoSettings, XaiVideo};
use hermes_tool::settings::Settings as _;
use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::clips::{answered, clip_address, given, has_xai_key};

/// Arguments of `xai_video_edit`.
#[derive(Deserialize, JsonSchema)]
struct XaiVideoEdit {
    /// What is to be different.
    prompt: String,
    /// The clip's address on the web.
    video_url: String,
    /// Another model than the usual one.
    model: Option<String>,
}

/// Change a video clip that lies on the web, in words.
#[tool(
    toolset = "video_gen",
    emoji = "🎥",
    effects(writes, network),
    output = trusted,
    check = has_xai_key,
    requires_env("XAI_API_KEY")
)]
async fn xai_video_edit(args: XaiVideoEdit, cx: &ToolContext) -> ToolResult {
    let clip = clip_address(&args.video_url, cx)?;
    let settings = VideoSettings::read(cx.config(), cx.vars());
    let model = given(args.model);
    match XaiVideo::new(&settings, cx.vars()) {
        Ok(xai) => {
            let made = xai.edit(&args.prompt, &clip, model.as_deref(), cx.cancellation()).await;
            answered(made, "video")
        }
        Err(error) => answered(Err(error), "video"),
    }
}
