//! Firecrawl: browsers with a time to live. Only used when it is named.

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use hermes_web::{HttpDoor, Method};
use serde_json::json;

use super::running::debugging_address;
use super::service::{CLOSE, CREATE, Service};
use super::{BrowserProvider, OpenedBrowser};
use crate::browser::{Browser, BrowserOptions};
use crate::error::BrowserError;
use crate::guard::Reach;

const KEY: &str = "FIRECRAWL_API_KEY";
/// Seconds a browser lives if nobody says otherwise.
const TIME_TO_LIVE: u64 = 300;

/// Browsers of Firecrawl.
pub struct Firecrawl {
    service: Service,
    has_key: bool,
    ttl: u64,
}

impl Firecrawl {
    /// With what the variables say.
    #[must_use]
    pub fn new(vars: &Vars, door: HttpDoor) -> Self {
        let base = vars.non_blank("FIRECRAWL_API_URL").unwrap_or("https://api.firecrawl.dev");
        let key = vars.non_blank(KEY).unwrap_or_default();
        let service = Service {
            name: "firecrawl",
            base: base.to_owned(),
            key_header: "authorization",
            key: format!("Bearer {key}"),
            door,
        };
        let ttl = vars.non_blank("FIRECRAWL_BROWSER_TTL").and_then(|text| text.parse().ok());
        Self { service, has_key: !key.is_empty(), ttl: ttl.unwrap_or(TIME_TO_LIVE) }
    }
}

impl BrowserProvider for Firecrawl {
    fn name(&self) -> &'static str {
        self.service.name
    }

    fn reach(&self) -> Reach {
        Reach::Elsewhere
    }

    fn open(&self, options: BrowserOptions) -> BoxFuture<'_, Result<OpenedBrowser, BrowserError>> {
        Box::pin(async move {
            if !self.has_key {
                return Err(self.service.failed(format!("set {KEY}")));
            }
            let body = json!({"ttl": self.ttl});
            let answer =
                self.service.ask(Method::POST, "/v2/browser", Some(&body), &[], CREATE).await?;
            self.service.succeeded(&answer)?;
            let id = self.service.field(&answer, &["id"])?;
            let opened = async {
                let address = self.service.field(&answer, &["cdpUrl"])?;
                let address = debugging_address(&address, &self.service.door)
                    .await
                    .map_err(|problem| self.service.failed(problem))?;
                self.service.connected(Browser::connect(&address, options).await)
            };
            match opened.await {
                Ok(browser) => Ok(OpenedBrowser { browser, id, features: Vec::new() }),
                Err(error) => {
                    self.release(id).await;
                    Err(error)
                }
            }
        })
    }

    fn release(&self, id: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let path = format!("/v2/browser/{id}");
            let released = self.service.ask(Method::DELETE, &path, None, &[], CLOSE).await;
            if let Err(error) = released.and_then(|answer| self.service.succeeded(&answer)) {
                tracing::warn!(%error, "a browser was not given back");
            }
        })
    }
}
