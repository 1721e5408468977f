//! `video_generate`: a clip from words and pictures.

use hermes_media::video::{VideoSettings, VideoWish, video_maker};
use hermes_tool::settings::Settings as _;
use hermes_tool::{CallDisplay, SchemaPatch, SchemaScope, ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::clips::{answered, fitted, given};

/// Arguments of `video_generate`.
#[derive(Deserialize, JsonSchema)]
struct VideoGenerate {
    /// What the clip shows, and how it moves.
    prompt: String,
    /// The picture it begins with: an address, a path or a base64 data: URL.
    image_url: Option<String>,
    /// Pictures to take people and things from.
    #[serde(default)]
    reference_image_urls: Vec<String>,
    /// How long it is, in seconds.
    duration: Option<u32>,
    /// Its shape: 16:9, 9:16, 1:1, 4:3, 3:4, …
    aspect_ratio: Option<String>,
    /// Its size.
    resolution: Option<VideoSize>,
    /// What it must not show.
    negative_prompt: Option<String>,
    /// Whether it has sound.
    audio: Option<bool>,
    /// A number that gives the same clip again.
    seed: Option<i64>,
    /// Another model than the configured one.
    model: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum VideoSize {
    #[serde(rename = "480p")]
    P480,
    #[serde(rename = "540p")]
    P540,
    #[serde(rename = "720p")]
    P720,
    #[serde(rename = "1080p")]
    P1080,
}

impl VideoSize {
    fn word(self) -> &'static str {
        match self {
            Self::P480 => "480p",
            Self::P540 => "540p",
            Self::P720 => "720p",
            Self::P1080 => "1080p",
        }
    }
}

/// Make a short video clip from a description, and from pictures if you like.
///
/// This takes some minutes and costs money. The result is an address to show to the person.
#[tool(
    toolset = "video_gen",
    emoji = "🎥",
    effects(writes, network),
    output = trusted,
    dynamic_schema = only_with_a_maker,
    display = CallDisplay::verb("film").args(&["prompt"])
)]
async fn video_generate(args: VideoGenerate, cx: &ToolContext) -> ToolResult {
    let settings = VideoSettings::read(cx.config(), cx.vars());
    let maker = match video_maker(&settings, cx.vars()) {
        Ok(maker) => maker,
        Err(error) => return answered(Err(error), "text"),
    };
    let image = match given(args.image_url) {
        Some(url) => Some(fitted(&url, cx).await?),
        None => None,
    };
    let mut references = Vec::new();
    for url in args.reference_image_urls.iter().filter(|url| !url.trim().is_empty()) {
        references.push(fitted(url, cx).await?);
    }
    let modality = if image.is_some() || !references.is_empty() { "image" } else { "text" };
    let wish = VideoWish {
        prompt: args.prompt,
        image,
        references,
        duration: args.duration,
        aspect_ratio: given(args.aspect_ratio),
        resolution: args.resolution.map(|size| size.word().to_owned()),
        negative_prompt: given(args.negative_prompt),
        audio: args.audio,
        seed: args.seed,
        model: given(args.model),
    };
    cx.report(format!("{} films", maker.name()), None);
    answered(maker.make(&wish, cx.cancellation()).await, modality)
}

fn only_with_a_maker(scope: &SchemaScope<'_>) -> SchemaPatch {
    let settings = VideoSettings::read(scope.config, scope.vars);
    match video_maker(&settings, scope.vars) {
        Ok(_) => SchemaPatch::Keep,
        Err(_) => SchemaPatch::Remove,
    }
}
