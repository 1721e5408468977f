//! Browser Use: browsers by the minute.

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

const KEY: &str = "BROWSER_USE_API_KEY";

/// Rents a browser from the service and gives it back when the session ends.
pub struct BrowserUse {
    service: Service,
}

impl BrowserUse {
    /// Whether its key is there.
    #[must_use]
    pub fn has_key(vars: &Vars) -> bool {
        vars.non_blank(KEY).is_some()
    }

    /// With what the variables say.
    #[must_use]
    pub fn new(vars: &Vars, door: HttpDoor) -> Self {
        let base =
            vars.non_blank("BROWSER_USE_BASE_URL").unwrap_or("https://api.browser-use.com/api/v3");
        let service = Service {
            name: "browser-use",
            base: base.to_owned(),
            key_header: "x-browser-use-api-key",
            key: vars.non_blank(KEY).unwrap_or_default().to_owned(),
            door,
        };
        Self { service }
    }
}

impl BrowserProvider for BrowserUse {
    fn name(&self) -> &'static str {
        self.service.name
    }

    fn reach(&self) -> Reach {
        Reach::Elsewhere
    }

    fn open(&self, options: BrowserOptions) -> BoxFuture<'_, Result<OpenedBrowser, BrowserError>> {
        Box::pin(async move {
            if self.service.key.is_empty() {
                return Err(self.service.failed(format!("set {KEY}")));
            }
            let answer =
                self.service.ask(Method::POST, "/browsers", Some(&json!({})), &[], CREATE).await?;
            self.service.succeeded(&answer)?;
            let id = self.service.field(&answer, &["id"])?;
            let opened = async {
                let address = self.service.field(&answer, &["cdpUrl", "connectUrl"])?;
                let address = debugging_address(&address, &self.service.door)
                    .await
                    .map_err(|problem| self.service.failed(problem))?;
                self.service.connected(Browser::connect(&address, options).await)
            };
            match opened.await {
                Ok(browser) => {
                    let features = vec!["stealth".to_owned(), "proxies".to_owned()];
                    Ok(OpenedBrowser { browser, id, features })
                }
                Err(error) => {
                    self.release(id).await;
                    Err(error)
                }
            }
        })
    }

    fn release(&self, id: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let body = json!({"action": "stop"});
            let path = format!("/browsers/{id}");
            let released = self.service.ask(Method::PATCH, &path, Some(&body), &[], CLOSE).await;
            if let Err(error) = released.and_then(|answer| self.service.succeeded(&answer)) {
                tracing::warn!(%error, "a browser was not given back");
            }
        })
    }
}
