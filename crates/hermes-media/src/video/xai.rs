//! xAI: clips made, changed and lengthened.

use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{MadeVideo, TIME, VideoError, VideoMaker, VideoSettings, VideoWish, checked, clip_at};
use crate::service::{Service, ServiceError};

const BASE: &str = "https://api.x.ai/v1";
const MODEL: &str = "grok-imagine-video";
/// How often a job is looked after: soon at first, then not so often.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(3)];

/// xAI's clips.
#[derive(Debug)]
pub struct XaiVideo {
    service: Service,
    key: String,
    model: String,
}

impl XaiVideo {
    /// With the key of these variables.
    ///
    /// # Errors
    /// There is no key.
    pub fn new(settings: &VideoSettings, vars: &Vars) -> Result<Self, VideoError> {
        let missing = VideoError::NoKey { provider: "xAI", var: "XAI_API_KEY" };
        let key = vars.non_blank("XAI_API_KEY").ok_or(missing)?.to_owned();
        let base = settings.xai.base_url.as_deref().unwrap_or(BASE);
        // A model named for another provider means nothing here.
        let own = settings.model().filter(|_| settings.provider() == Some("xai"));
        let model = own.unwrap_or(MODEL).to_owned();
        Ok(Self { service: Service::new("xAI", base, vars), key, model })
    }

    /// Changes a clip at an address.
    ///
    /// # Errors
    /// See [`VideoError`].
    pub async fn edit(
        &self,
        prompt: &str,
        clip: &str,
        model: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<MadeVideo, VideoError> {
        let body = json!({"prompt": checked(prompt)?, "video": {"url": clip}});
        self.run("/videos/edits", body, model, cancel).await
    }

    /// Lengthens a clip at an address.
    ///
    /// # Errors
    /// See [`VideoError`].
    pub async fn extend(
        &self,
        prompt: &str,
        clip: &str,
        seconds: Option<u32>,
        model: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<MadeVideo, VideoError> {
        let mut body = json!({"prompt": checked(prompt)?, "video": {"url": clip}});
        if let Some(seconds) = seconds {
            body["duration"] = seconds.into();
        }
        self.run("/videos/extensions", body, model, cancel).await
    }

    async fn run(
        &self,
        path: &str,
        mut body: Value,
        model: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<MadeVideo, VideoError> {
        let model = model.unwrap_or(&self.model).to_owned();
        body["model"] = model.as_str().into();
        let name = || self.service.name().to_owned();
        tokio::select! {
            () = cancel.cancelled() => Err(ServiceError::Cancelled { service: name() }.into()),
            done = tokio::time::timeout(TIME, self.done(path, &body, cancel)) => {
                let late = || ServiceError::Timeout { service: name(), after: TIME };
                let url = done.unwrap_or_else(|_| Err(late()))?;
                Ok(MadeVideo { url, provider: "xai", model })
            }
        }
    }

    async fn done(
        &self,
        path: &str,
        body: &Value,
        cancel: &CancellationToken,
    ) -> Result<String, ServiceError> {
        let call = self.service.post(path)?.bearer(&self.key).json(body);
        let queued = call.send(cancel).await?;
        let ticket = queued.json()?;
        let id = ticket["request_id"].as_str().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if id.is_empty() || !id.chars().all(is_plain) {
            return Err(queued.unreadable("a job without a name"));
        }
        let mut pauses = PAUSES.into_iter();
        loop {
            let call = self.service.get(&format!("/videos/{id}"))?.bearer(&self.key);
            let reply = call.send(cancel).await?;
            let now = reply.json()?;
            match now["status"].as_str() {
                Some("done") => return clip_at(&reply, &now["video"]["url"]),
                Some("pending" | "queued" | "processing" | "in_progress") => {}
                other => {
                    let words = format!("the job is {}", other.unwrap_or("in no known state"));
                    return Err(ServiceError::Failed {
                        service: self.service.name().into(),
                        words,
                    });
                }
            }
            tokio::time::sleep(pauses.next().unwrap_or(PAUSES[2])).await;
        }
    }
}

impl VideoMaker for XaiVideo {
    fn name(&self) -> &'static str {
        "xai"
    }

    fn make<'a>(
        &'a self,
        wish: &'a VideoWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeVideo, VideoError>> {
        Box::pin(async move {
            let mut body = json!({"prompt": checked(&wish.prompt)?});
            if let Some(image) = &wish.image {
                body["image"] = json!({"url": image.data_url()});
            }
            let references: Vec<Value> =
                wish.references.iter().map(|image| json!({"url": image.data_url()})).collect();
            if !references.is_empty() {
                body["reference_images"] = references.into();
            }
            if let Some(seconds) = wish.duration {
                body["duration"] = seconds.into();
            }
            let texts = [("aspect_ratio", &wish.aspect_ratio), ("resolution", &wish.resolution)];
            for (name, text) in texts {
                if let Some(text) = text {
                    body[name] = text.as_str().into();
                }
            }
            self.run("/videos/generations", body, wish.model.as_deref(), cancel).await
        })
    }
}
