//! fal.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::fal_models::{FalModel, USUAL};
use super::{DrawingError, ImageMaker, ImageWish, MadeImage, image_at, or};
use crate::fal_queue::FalQueue;
use crate::service::Service;

/// How long a picture may take.
const TIME: Duration = Duration::from_secs(300);

pub(super) struct Fal {
    queue: FalQueue,
    name: String,
    model: &'static FalModel,
}

impl Fal {
    pub(super) fn new(service: Service, key: String, model: Option<&str>) -> Self {
        let name = or(model, USUAL).trim_matches('/').to_owned();
        Self { queue: FalQueue::new(service, key), model: FalModel::of(&name), name }
    }
}

impl ImageMaker for Fal {
    fn name(&self) -> &'static str {
        "fal"
    }

    fn model(&self) -> &str {
        &self.name
    }

    fn max_sources(&self) -> usize {
        self.model.max_sources
    }

    fn make<'a>(
        &'a self,
        wish: &'a ImageWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeImage, DrawingError>> {
        Box::pin(async move {
            let mut body = self.model.request(wish.prompt.trim(), wish.aspect);
            let mut model = self.name.clone();
            if !wish.sources.is_empty() {
                let sources = wish.sources.iter();
                let urls: Vec<Value> = sources.map(|one| one.data_url().into()).collect();
                body["image_urls"] = urls.into();
                model.push_str("/edit");
            }
            let reply = self.queue.run(&model, &body, TIME, cancel).await?;
            let answer = reply.json()?;
            let url = answer["images"][0]["url"].as_str();
            let url = url.ok_or_else(|| reply.unreadable("an answer without an image"))?;
            image_at(&reply, url)
        })
    }
}
