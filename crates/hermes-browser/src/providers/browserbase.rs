//! Browserbase: sessions of a project, with proxies and stealth where the plan has them.

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use hermes_web::{HttpDoor, Method};
use serde_json::{Value, json};

use super::running::debugging_address;
use super::service::{CLOSE, CREATE, Service, ServiceAnswer};
use super::{BrowserProvider, OpenedBrowser};
use crate::bridge::DialogChannel;
use crate::browser::{Browser, BrowserOptions};
use crate::error::BrowserError;
use crate::guard::Reach;

const KEY: &str = "BROWSERBASE_API_KEY";
const PROJECT: &str = "BROWSERBASE_PROJECT_ID";

/// Browsers of Browserbase.
pub struct Browserbase {
    service: Service,
    project: String,
    proxies: bool,
    stealth: bool,
    keep_alive: bool,
    timeout: Option<u64>,
}

impl Browserbase {
    /// Whether key and project are there.
    #[must_use]
    pub fn has_keys(vars: &Vars) -> bool {
        vars.non_blank(KEY).is_some() && vars.non_blank(PROJECT).is_some()
    }

    /// With what the variables say.
    #[must_use]
    pub fn new(vars: &Vars, door: HttpDoor) -> Self {
        let text = |name: &str| vars.non_blank(name).unwrap_or_default().to_owned();
        let switch = |name: &str, default: bool| match vars.non_blank(name) {
            Some(value) => !matches!(value.to_lowercase().as_str(), "false" | "0" | "no" | "off"),
            None => default,
        };
        let base = vars.non_blank("BROWSERBASE_BASE_URL").unwrap_or("https://api.browserbase.com");
        Self {
            service: Service {
                name: "browserbase",
                base: base.to_owned(),
                key_header: "x-bb-api-key",
                key: text(KEY),
                door,
            },
            project: text(PROJECT),
            proxies: switch("BROWSERBASE_PROXIES", true),
            stealth: switch("BROWSERBASE_ADVANCED_STEALTH", false),
            keep_alive: switch("BROWSERBASE_KEEP_ALIVE", true),
            timeout: vars
                .non_blank("BROWSERBASE_SESSION_TIMEOUT")
                .and_then(|text| text.parse().ok()),
        }
    }

    async fn create(&self) -> Result<(ServiceAnswer, Vec<String>), BrowserError> {
        if self.service.key.is_empty() || self.project.is_empty() {
            return Err(self.service.failed(format!("set {KEY} and {PROJECT}")));
        }
        let (mut keep_alive, mut proxies) = (self.keep_alive, self.proxies);
        loop {
            let body = self.body(keep_alive, proxies);
            let answer =
                self.service.ask(Method::POST, "/v1/sessions", Some(&body), &[], CREATE).await?;
            // Plans differ in what they allow: less is asked for, one thing at a time.
            if answer.status == 402 && keep_alive {
                keep_alive = false;
            } else if answer.status == 402 && proxies {
                proxies = false;
            } else {
                self.service.succeeded(&answer)?;
                let features = [
                    ("basic_stealth", true),
                    ("proxies", proxies),
                    ("advanced_stealth", self.stealth),
                    ("keep_alive", keep_alive),
                ];
                let on = features.iter().filter(|(_, on)| *on);
                return Ok((answer, on.map(|(name, _)| (*name).to_owned()).collect()));
            }
        }
    }

    fn body(&self, keep_alive: bool, proxies: bool) -> Value {
        let mut body = json!({"projectId": self.project});
        if keep_alive {
            body["keepAlive"] = json!(true);
        }
        if proxies {
            body["proxies"] = json!(true);
        }
        if let Some(timeout) = self.timeout {
            body["timeout"] = json!(timeout);
        }
        if self.stealth {
            body["browserSettings"] = json!({"advancedStealth": true});
        }
        body
    }
}

impl BrowserProvider for Browserbase {
    fn name(&self) -> &'static str {
        self.service.name
    }

    fn reach(&self) -> Reach {
        Reach::Elsewhere
    }

    fn open(&self, options: BrowserOptions) -> BoxFuture<'_, Result<OpenedBrowser, BrowserError>> {
        Box::pin(async move {
            let (answer, features) = self.create().await?;
            let id = self.service.field(&answer, &["id"])?;
            // From here on it costs money until it is given back.
            let opened = async {
                let address = self.service.field(&answer, &["connectUrl"])?;
                let address = debugging_address(&address, &self.service.door)
                    .await
                    .map_err(|problem| self.service.failed(problem))?;
                // Dialogs are dismissed there before anybody sees them.
                let options =
                    BrowserOptions { dialog_channel: DialogChannel::Requested, ..options };
                self.service.connected(Browser::connect(&address, options).await)
            };
            match opened.await {
                Ok(browser) => Ok(OpenedBrowser { browser, id, features }),
                Err(error) => {
                    self.release(id).await;
                    Err(error)
                }
            }
        })
    }

    fn release(&self, id: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let body = json!({"projectId": self.project, "status": "REQUEST_RELEASE"});
            let path = format!("/v1/sessions/{id}");
            let released = self.service.ask(Method::POST, &path, Some(&body), &[], CLOSE).await;
            if let Err(error) = released.and_then(|answer| self.service.succeeded(&answer)) {
                tracing::warn!(%error, "a browser was not given back");
            }
        })
    }
}
