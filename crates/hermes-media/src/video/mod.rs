//! Video clips: made from words and pictures, changed, lengthened, and watched.
//!
//! Making one takes minutes, so each provider is a queue: a job is handed in and looked after until it is done. As with
//! pictures, only a named provider is asked, except fal, whose key is good for nothing else.

mod settings;
mod watch;
mod xai;

use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::{Map, Value, json};
pub use settings::VideoSettings;
use tokio_util::sync::CancellationToken;
pub use watch::{Clip, ClipError, MAX_CLIP_BYTES, watch};
pub use xai::XaiVideo;

use crate::fal_queue::{self, FalQueue};
use crate::picture::FittedPicture;
use crate::service::{Service, ServiceError, ServiceReply};

/// How long a clip may take.
const TIME: Duration = Duration::from_secs(900);
/// The model of fal that is usually asked, from words and from a picture.
const FAL_TEXT: &str = "fal-ai/veo3.1/fast";
const FAL_IMAGE: &str = "fal-ai/veo3.1/fast/image-to-video";

/// What is to be made.
#[derive(Clone, Debug, Default)]
pub struct VideoWish {
    /// In words.
    pub prompt: String,
    /// The picture it begins with.
    pub image: Option<FittedPicture>,
    /// Pictures to take things from.
    pub references: Vec<FittedPicture>,
    /// How long it is, in seconds.
    pub duration: Option<u32>,
    /// Its shape, such as `16:9`.
    pub aspect_ratio: Option<String>,
    /// Its size, such as `720p`.
    pub resolution: Option<String>,
    /// What it must not show.
    pub negative_prompt: Option<String>,
    /// Whether it has sound.
    pub audio: Option<bool>,
    /// For the same clip again.
    pub seed: Option<i64>,
    /// Another model than the usual one.
    pub model: Option<String>,
}

/// A clip that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeVideo {
    /// Where it is.
    pub url: String,
    /// Who made it.
    pub provider: &'static str,
    /// The provider's name of the model that made it.
    pub model: String,
}

/// Why there is no clip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VideoError {
    /// The prompt is empty.
    #[error("the prompt is empty")]
    Empty,
    /// Nobody is set up.
    #[error(
        "no provider of video is set up; `video_gen.provider` names one (fal, xai) and .env holds its key"
    )]
    NotSetUp,
    /// A key is missing.
    #[error("{provider} needs a key: set {var} in the environment or in .env")]
    NoKey {
        /// Who needs it.
        provider: &'static str,
        /// Where it belongs.
        var: &'static str,
    },
    /// The service failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl VideoError {
    /// The kind, as models are told it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "invalid_request",
            Self::NotSetUp | Self::NoKey { .. } => "configuration",
            Self::Service(error) => error.kind(),
        }
    }
}

/// Something that makes clips.
pub trait VideoMaker: Send + Sync {
    /// Its name, as it stands in the settings.
    fn name(&self) -> &'static str;

    /// Makes one.
    fn make<'a>(
        &'a self,
        wish: &'a VideoWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeVideo, VideoError>>;
}

/// The maker that the settings choose.
///
/// # Errors
/// None is set up, or its key is missing.
pub fn video_maker(
    settings: &VideoSettings,
    vars: &Vars,
) -> Result<Box<dyn VideoMaker>, VideoError> {
    match settings.provider() {
        Some("xai") => Ok(Box::new(XaiVideo::new(settings, vars)?)),
        Some("fal") => Ok(Box::new(FalVideo::new(settings, vars)?)),
        None if vars.non_blank("FAL_KEY").is_some() => Ok(Box::new(FalVideo::new(settings, vars)?)),
        _ => Err(VideoError::NotSetUp),
    }
}

struct FalVideo {
    queue: FalQueue,
    model: Option<String>,
}

impl FalVideo {
    fn new(settings: &VideoSettings, vars: &Vars) -> Result<Self, VideoError> {
        let missing = VideoError::NoKey { provider: "fal", var: "FAL_KEY" };
        let key = vars.non_blank("FAL_KEY").ok_or(missing)?.to_owned();
        let base = settings.fal.base_url.as_deref().unwrap_or(fal_queue::BASE);
        let queue = FalQueue::new(Service::new("fal", base, vars), key);
        Ok(Self { queue, model: settings.model().map(str::to_owned) })
    }
}

impl VideoMaker for FalVideo {
    fn name(&self) -> &'static str {
        "fal"
    }

    fn make<'a>(
        &'a self,
        wish: &'a VideoWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeVideo, VideoError>> {
        Box::pin(async move {
            let usual = if wish.image.is_some() { FAL_IMAGE } else { FAL_TEXT };
            let model = wish.model.as_deref().or(self.model.as_deref()).unwrap_or(usual);
            let mut body = Map::new();
            let mut put = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    body.insert(name.to_owned(), value);
                }
            };
            put("prompt", Some(checked(&wish.prompt)?.into()));
            put("image_url", wish.image.as_ref().map(|image| image.data_url().into()));
            let references: Vec<Value> =
                wish.references.iter().map(|image| image.data_url().into()).collect();
            put("reference_image_urls", (!references.is_empty()).then(|| references.into()));
            put("duration", wish.duration.map(|seconds| format!("{seconds}s").into()));
            put("aspect_ratio", wish.aspect_ratio.clone().map(Value::from));
            put("resolution", wish.resolution.clone().map(Value::from));
            put("negative_prompt", wish.negative_prompt.clone().map(Value::from));
            put("generate_audio", wish.audio.map(Value::from));
            put("seed", wish.seed.map(Value::from));
            let reply = self.queue.run(model, &Value::Object(body), TIME, cancel).await?;
            let url = clip_at(&reply, &reply.json()?["video"]["url"])?;
            Ok(MadeVideo { url, provider: "fal", model: model.to_owned() })
        })
    }
}

fn checked(prompt: &str) -> Result<&str, VideoError> {
    let prompt = prompt.trim();
    if prompt.is_empty() { Err(VideoError::Empty) } else { Ok(prompt) }
}

/// The address of a clip in an answer; it is handed on, and so must be one of the web.
fn clip_at(reply: &ServiceReply, url: &Value) -> Result<String, ServiceError> {
    let url = url.as_str().filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    url.map(str::to_owned).ok_or_else(|| reply.unreadable("an answer without a video"))
}

/// What a call answers about a clip.
#[must_use]
pub fn told(made: &MadeVideo, modality: &str) -> Value {
    json!({"success": true, "video": made.url, "modality": modality, "provider": made.provider,
        "model": made.model})
}

#[cfg(test)]
mod tests;
