//! A clip is shown to a model that takes video.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_llm::provider::{self, Auxiliary, ModelSettings};
use hermes_llm::{Endpoint, WireApi};
use hermes_tool::ToolContext;
use serde_json::json;

use crate::service::{Service, ServiceError};

/// Most bytes of a clip.
pub const MAX_CLIP_BYTES: usize = 50 << 20;
/// How long watching may take, unless the settings say otherwise.
const USUAL_TIME: Duration = Duration::from_secs(180);
/// Most tokens of an answer.
const MAX_TOKENS: u32 = 4_000;
/// The side tasks whose model is asked: the first that the settings name.
const TASKS: [&str; 2] = ["video", "vision"];

/// A clip, its kind told from its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clip {
    bytes: Vec<u8>,
    mime: &'static str,
}

/// Why nothing was seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClipError {
    /// The bytes are something else.
    #[error("not a video (MP4, MOV, WebM, AVI or MPEG)")]
    NotAVideo,
    /// There is no model that could look.
    #[error("there is no model to watch it: {0}; `auxiliary.video` may name one")]
    NoModel(String),
    /// The model said nothing.
    #[error("the model said nothing")]
    Silent,
    /// The service failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl Clip {
    /// Recognises a clip.
    ///
    /// # Errors
    /// [`ClipError::NotAVideo`].
    pub fn recognise(bytes: Vec<u8>) -> Result<Self, ClipError> {
        let mime = match bytes.as_slice() {
            [_, _, _, _, b'f', b't', b'y', b'p', b'q', b't', ..] => "video/mov",
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => "video/mp4",
            [0x1A, 0x45, 0xDF, 0xA3, ..] => "video/webm",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ', ..] => "video/avi",
            [0, 0, 1, 0xBA | 0xB3, ..] => "video/mpeg",
            _ => return Err(ClipError::NotAVideo),
        };
        Ok(Self { bytes, mime })
    }

    fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.mime, STANDARD.encode(&self.bytes))
    }
}

/// Has a clip watched and a question about it answered.
///
/// # Errors
/// See [`ClipError`].
pub async fn watch(clip: &Clip, question: &str, cx: &ToolContext) -> Result<String, ClipError> {
    let Auxiliary { endpoint, timeout } = watcher(cx)?;
    let service = Service::new(endpoint.model.clone(), &endpoint.base_url, cx.vars());
    let text = format!(
        "Watch this video and say what happens in it, in order, with any text and speech. Then answer this question \
         about it:\n\n{}",
        question.trim()
    );
    let mut body = json!({
        "model": endpoint.model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": [
            {"type": "text", "text": text},
            {"type": "video_url", "video_url": {"url": clip.data_url()}},
        ]}],
    });
    for (name, value) in &endpoint.extra_body {
        body[name] = value.clone();
    }
    let mut call = service.post("/chat/completions")?.json(&body);
    call = call.time(timeout.unwrap_or(USUAL_TIME));
    if let Some(key) = &endpoint.api_key {
        call = call.bearer(key.expose());
    }
    let answer = call.send(cx.cancellation()).await?.json()?;
    let words = answer["choices"][0]["message"]["content"].as_str().unwrap_or_default().trim();
    if words.is_empty() { Err(ClipError::Silent) } else { Ok(words.to_owned()) }
}

fn watcher(cx: &ToolContext) -> Result<Auxiliary, ClipError> {
    let lookup = |name: &str| cx.vars().get(name).map(str::to_owned);
    let settings = ModelSettings::from_config(cx.config());
    let named = TASKS.into_iter().find(|task| settings.auxiliary(task).is_some());
    let found = provider::side_task(named.unwrap_or(TASKS[0]), cx.config(), &lookup);
    let found = found.map_err(|problem| ClipError::NoModel(problem.to_string()))?;
    let Endpoint { wire, model, .. } = &found.endpoint;
    match wire {
        WireApi::Chat => Ok(found),
        WireApi::Messages => Err(ClipError::NoModel(format!("{model} takes no video"))),
    }
}
