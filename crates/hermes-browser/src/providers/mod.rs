//! Who runs the browser: this machine, a browser that runs already, or a service.
//!
//! Each is a [`BrowserProvider`] in a file of its own. Which one is used, [`choose`] says: an address of a running
//! browser before everything else, then the provider the user named (even without its key, so that the error says
//! what is missing), then a service whose key is there, then this machine.

mod browser_use;
mod browserbase;
mod firecrawl;
mod local;
mod running;
mod service;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use hermes_web::HttpDoor;

pub use browser_use::BrowserUse;
pub use browserbase::Browserbase;
pub use firecrawl::Firecrawl;
pub use local::LocalChromium;
pub use running::{RunningBrowser, debugging_address};

use crate::browser::{Browser, BrowserOptions};
use crate::error::BrowserError;
use crate::guard::Reach;
use crate::settings::BrowserSettings;

/// A browser that a provider gave us.
pub struct OpenedBrowser {
    /// The browser, connected.
    pub browser: Browser,
    /// By what the provider knows it; empty if there is nothing to give back.
    pub id: String,
    /// What the provider does so that sites take it for a person.
    pub features: Vec<String>,
}

/// Runs browsers.
pub trait BrowserProvider: Send + Sync {
    /// Its name, as in the settings.
    fn name(&self) -> &'static str;

    /// Where its browsers run.
    fn reach(&self) -> Reach;

    /// Starts a browser and connects to it.
    fn open(&self, options: BrowserOptions) -> BoxFuture<'_, Result<OpenedBrowser, BrowserError>>;

    /// Gives a browser back that is no longer used.
    fn release(&self, id: String) -> BoxFuture<'_, ()>;
}

/// The provider that the settings and keys ask for.
///
/// # Errors
/// The settings name one that nobody knows.
pub fn choose(
    settings: &BrowserSettings,
    vars: &Vars,
    door: &HttpDoor,
    local: &LocalChromium,
) -> Result<Arc<dyn BrowserProvider>, BrowserError> {
    if let Some(address) = settings.cdp_url.as_deref().filter(|url| !url.trim().is_empty()) {
        return Ok(Arc::new(RunningBrowser::new(address, door.clone())));
    }
    let named = settings.cloud_provider.as_deref().map(|name| name.trim().to_lowercase());
    Ok(match named.as_deref() {
        Some("local") => Arc::new(local.clone()),
        Some("browserbase") => Arc::new(Browserbase::new(vars, door.clone())),
        Some("browser-use" | "browser_use") => Arc::new(BrowserUse::new(vars, door.clone())),
        Some("firecrawl") => Arc::new(Firecrawl::new(vars, door.clone())),
        Some(unknown) if !unknown.is_empty() => {
            return Err(BrowserError::Launch(format!(
                "browser.cloud_provider names {unknown:?}; known are local, browserbase, browser-use and firecrawl"
            )));
        }
        _ if BrowserUse::has_key(vars) => Arc::new(BrowserUse::new(vars, door.clone())),
        _ if Browserbase::has_keys(vars) => Arc::new(Browserbase::new(vars, door.clone())),
        _ => Arc::new(local.clone()),
    })
}
