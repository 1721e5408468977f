//! A browser, a site, and how tests speak of elements.

use std::time::Duration;

use hermes_browser::{Browser, BrowserError, BrowserOptions, Clicked, Detail, Navigated};
use hermes_testkit::{WebServer, demo_site, part};
use hermes_tool::Vars;

/// A browser on the demo site.
pub(crate) struct Scene {
    pub(crate) browser: Browser,
    pub(crate) site: WebServer,
    pub(crate) folder: tempfile::TempDir,
}

/// Variables with the Chromium of the tests.
pub(crate) fn vars() -> Vars {
    let named = [
        ("AGENT_BROWSER_EXECUTABLE_PATH", part("HERMES_TEST_CHROMIUM")),
        ("PATH", "/usr/bin:/bin".to_owned()),
    ];
    named.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

pub(crate) fn quick() -> BrowserOptions {
    BrowserOptions { command_timeout: Duration::from_secs(20), ..BrowserOptions::default() }
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with(quick()).await
    }

    pub(crate) async fn with(options: BrowserOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let downloads = Some(folder.path().join("downloads"));
        let options = BrowserOptions { downloads, ..options };
        let browser = Browser::launch(&vars(), folder.path(), options).await.unwrap();
        Self { browser, site: demo_site(), folder }
    }

    pub(crate) fn url(&self, page: &str) -> String {
        format!("{}/{page}", self.site.origin())
    }

    /// Opens a page of the site and gives its title.
    pub(crate) async fn open(&self, page: &str) -> String {
        match self.browser.navigate(&self.url(page)).await.unwrap() {
            Navigated::Page(page) => page.title,
            Navigated::Download => panic!("{page} is a file"),
        }
    }

    pub(crate) async fn full(&self) -> String {
        self.browser.snapshot(Detail::Full).await.unwrap().text
    }

    pub(crate) async fn compact(&self) -> String {
        self.browser.snapshot(Detail::Compact).await.unwrap().text
    }

    /// The reference in the first line that contains a text.
    pub(crate) async fn reference(&self, line: &str) -> String {
        reference_in(&self.full().await, line)
    }

    pub(crate) async fn click(&self, line: &str) -> Result<Clicked, BrowserError> {
        self.browser.click(&self.reference(line).await).await
    }

    pub(crate) async fn type_into(&self, line: &str, text: &str) {
        let reference = self.reference(line).await;
        let no_files = |_: &str| Err("no files".to_owned());
        self.browser.type_text(&reference, text, no_files).await.unwrap();
    }

    /// What a script comes to, as text.
    pub(crate) async fn value(&self, script: &str) -> String {
        match self.browser.evaluate(script).await.unwrap().result {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        }
    }

    pub(crate) async fn said(&self) -> String {
        self.value("document.getElementById('out').textContent").await
    }

    /// Waits until a script says yes.
    pub(crate) async fn until(&self, script: &str) {
        let asks = format!(
            "new Promise((done) => {{ const look = () => ({script}) ? done(true) : setTimeout(look, 5); look() }})"
        );
        assert_eq!(self.value(&asks).await, "true");
    }
}

pub(crate) fn reference_in(snapshot: &str, line: &str) -> String {
    let found = snapshot.lines().find(|one| one.contains(line));
    let found = found.unwrap_or_else(|| panic!("no line with {line:?} in\n{snapshot}"));
    let (_, after) = found.split_once("ref=").unwrap_or_else(|| panic!("no reference: {found}"));
    after.chars().take_while(char::is_ascii_alphanumeric).collect()
}
