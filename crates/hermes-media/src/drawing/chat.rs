//! OpenRouter, where models that draw are asked in a chat.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{DrawingError, ImageMaker, ImageWish, MAX_ANSWER, MadeImage, image_at, or};
use crate::service::Service;

pub(super) const BASE: &str = "https://openrouter.ai/api/v1";
const MODEL: &str = "google/gemini-2.5-flash-image";
/// How long a picture may take.
const TIME: Duration = Duration::from_secs(180);

pub(super) struct ChatImages {
    service: Service,
    key: String,
    model: String,
}

impl ChatImages {
    pub(super) fn new(service: Service, key: String, model: Option<&str>) -> Self {
        Self { service, key, model: or(model, MODEL) }
    }
}

impl ImageMaker for ChatImages {
    fn name(&self) -> &'static str {
        "openrouter"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn max_sources(&self) -> usize {
        4
    }

    fn make<'a>(
        &'a self,
        wish: &'a ImageWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeImage, DrawingError>> {
        Box::pin(async move {
            let mut content = vec![json!({"type": "text", "text": wish.prompt.trim()})];
            content.extend(wish.sources.iter().map(
                |source| json!({"type": "image_url", "image_url": {"url": source.data_url()}}),
            ));
            let body = json!({
                "model": self.model,
                "messages": [{"role": "user", "content": content}],
                "modalities": ["image", "text"],
                "image_config": {"aspect_ratio": wish.aspect.ratio()},
            });
            let call = self.service.post("/chat/completions")?.bearer(&self.key).json(&body);
            let reply = call.time(TIME).bytes(MAX_ANSWER).send(cancel).await?;
            let answer = reply.json()?;
            let url = &answer["choices"][0]["message"]["images"][0]["image_url"]["url"];
            let url = url.as_str().ok_or_else(|| reply.unreadable("an answer without an image"))?;
            image_at(&reply, url)
        })
    }
}
