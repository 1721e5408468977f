//! A browser that runs already, by its debugging address.

use futures_util::future::BoxFuture;
use hermes_web::{FetchRequest, HttpDoor};
use serde::Deserialize;
use url::Url;

use super::{BrowserProvider, OpenedBrowser};
use crate::browser::{Browser, BrowserOptions, masked};
use crate::error::BrowserError;
use crate::guard::Reach;

const NAME: &str = "cdp";

/// A browser that somebody else started, such as a person's own with its logins.
pub struct RunningBrowser {
    address: String,
    door: HttpDoor,
}

impl RunningBrowser {
    /// The address may be that of the browser's WebSocket, or where it tells that one.
    pub fn new(address: impl Into<String>, door: HttpDoor) -> Self {
        Self { address: address.into(), door }
    }
}

impl BrowserProvider for RunningBrowser {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reach(&self) -> Reach {
        Reach::Elsewhere
    }

    fn open(&self, options: BrowserOptions) -> BoxFuture<'_, Result<OpenedBrowser, BrowserError>> {
        Box::pin(async move {
            let address = debugging_address(&self.address, &self.door)
                .await
                .map_err(|problem| BrowserError::Provider { provider: NAME, problem })?;
            let browser = Browser::connect(&address, options).await?;
            Ok(OpenedBrowser { browser, id: String::new(), features: Vec::new() })
        })
    }

    fn release(&self, _id: String) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    web_socket_debugger_url: String,
}

/// The WebSocket behind an address: itself, if it names one, or what the browser says at `/json/version`.
///
/// # Errors
/// It cannot be read, or nobody answers there. The text shows no token.
pub async fn debugging_address(address: &str, door: &HttpDoor) -> Result<Url, String> {
    let mut url = Url::parse(address.trim()).map_err(|error| {
        format!("the debugging address cannot be read ({error}); write ws://host:port or http://host:port")
    })?;
    let is_socket = matches!(url.scheme(), "ws" | "wss");
    // Services hand out addresses whose key stands in the query; those are the door itself.
    if is_socket && (!matches!(url.path(), "" | "/") || url.query().is_some()) {
        return Ok(url);
    }
    let shown = masked(&url);
    let web = match url.scheme() {
        "ws" | "http" => "http",
        "wss" | "https" => "https",
        other => return Err(format!("{other}:// is no debugging address; write ws:// or http://")),
    };
    let text = format!("{web}{}", &url.as_str()[url.scheme().len()..]);
    url = Url::parse(&text).map_err(|error| error.to_string())?;
    if !url.path().ends_with("/json/version") {
        url.set_path("/json/version");
    }
    let request = FetchRequest::get(url.as_str()).configured_by_user();
    let fetched = door.fetch(request).await.map_err(|error| format!("{shown}: {error}"))?;
    let version: Version = serde_json::from_slice(&fetched.body)
        .map_err(|_| format!("{shown} does not answer like a browser (HTTP {})", fetched.status))?;
    Url::parse(&version.web_socket_debugger_url).map_err(|error| error.to_string())
}
