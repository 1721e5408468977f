//! xAI.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{DrawingError, ImageMaker, ImageWish, MAX_ANSWER, MadeImage, first_image, or};
use crate::service::Service;

pub(super) const BASE: &str = "https://api.x.ai/v1";
const MODEL: &str = "grok-imagine-image";
const RESOLUTION: &str = "1k";
/// How long a picture may take.
const TIME: Duration = Duration::from_secs(180);

pub(super) struct XaiImages {
    service: Service,
    key: String,
    model: String,
}

impl XaiImages {
    pub(super) fn new(service: Service, key: String, model: Option<&str>) -> Self {
        Self { service, key, model: or(model, MODEL) }
    }
}

impl ImageMaker for XaiImages {
    fn name(&self) -> &'static str {
        "xai"
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn max_sources(&self) -> usize {
        0
    }

    fn make<'a>(
        &'a self,
        wish: &'a ImageWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeImage, DrawingError>> {
        Box::pin(async move {
            let body = json!({
                "model": self.model,
                "prompt": wish.prompt.trim(),
                "aspect_ratio": wish.aspect.ratio(),
                "resolution": RESOLUTION,
            });
            let call = self.service.post("/images/generations")?.bearer(&self.key).json(&body);
            first_image(&call.time(TIME).bytes(MAX_ANSWER).send(cancel).await?)
        })
    }
}
