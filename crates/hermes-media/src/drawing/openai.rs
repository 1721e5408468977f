//! OpenAI, and services that are asked the same way.

use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::multipart::{Form, Part};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::settings::DrawingQuality;
use super::{DrawingError, ImageMaker, ImageWish, MAX_ANSWER, MadeImage, first_image, or};
use crate::service::{Service, ServiceError};

pub(super) const BASE: &str = "https://api.openai.com/v1";
const MODEL: &str = "gpt-image-2";
const DEEPINFRA_MODEL: &str = "black-forest-labs/FLUX-1-schnell";
/// How long a picture may take.
const TIME: Duration = Duration::from_secs(300);

pub(super) struct OpenAiImages {
    service: Service,
    key: String,
    name: &'static str,
    model: String,
    /// How much care is taken; services that only imitate OpenAI are not told.
    quality: Option<DrawingQuality>,
    max_sources: usize,
}

impl OpenAiImages {
    pub(super) fn new(
        service: Service,
        key: String,
        model: Option<&str>,
        quality: DrawingQuality,
    ) -> Self {
        let model = or(model, MODEL);
        Self { service, key, name: "openai", model, quality: Some(quality), max_sources: 16 }
    }

    pub(super) fn deepinfra(service: Service, key: String, model: Option<&str>) -> Self {
        let model = or(model, DEEPINFRA_MODEL);
        Self { service, key, name: "deepinfra", model, quality: None, max_sources: 0 }
    }

    fn edit(&self, wish: &ImageWish) -> Result<Form, DrawingError> {
        let mut form = Form::new()
            .text("model", self.model.clone())
            .text("prompt", wish.prompt.trim().to_owned())
            .text("size", wish.aspect.dots());
        if let Some(quality) = self.quality {
            form = form.text("quality", quality.word());
        }
        for (number, source) in wish.sources.iter().enumerate() {
            let mime = source.format.mime();
            let ending = mime.rsplit('/').next().unwrap_or_default();
            let part = Part::bytes(source.bytes.clone())
                .file_name(format!("image{number}.{ending}"))
                .mime_str(mime)
                .map_err(|error| ServiceError::Unreadable {
                    service: self.name.to_owned(),
                    what: error.to_string(),
                })?;
            form = form.part("image[]", part);
        }
        Ok(form)
    }
}

impl ImageMaker for OpenAiImages {
    fn name(&self) -> &'static str {
        self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn max_sources(&self) -> usize {
        self.max_sources
    }

    fn make<'a>(
        &'a self,
        wish: &'a ImageWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeImage, DrawingError>> {
        Box::pin(async move {
            let call = if wish.sources.is_empty() {
                let mut body = json!({
                    "model": self.model,
                    "prompt": wish.prompt.trim(),
                    "size": wish.aspect.dots(),
                    "n": 1,
                });
                if let Some(quality) = self.quality {
                    body["quality"] = quality.word().into();
                }
                self.service.post("/images/generations")?.json(&body)
            } else {
                self.service.post("/images/edits")?.multipart(self.edit(wish)?)
            };
            let call = call.bearer(&self.key).time(TIME).bytes(MAX_ANSWER);
            first_image(&call.send(cancel).await?)
        })
    }
}
