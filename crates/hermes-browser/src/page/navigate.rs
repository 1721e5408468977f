//! Opening an address, and going back.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use crate::browser::{Browser, PageHandle};
use crate::dialogs::{ClosedBy, OpenDialog};
use crate::error::BrowserError;
use crate::page::RawTarget;
use crate::watch::FrameState;

/// How long it may take until a download that was announced is known.
const DOWNLOAD_BEGINS: Duration = Duration::from_secs(2);
/// A page of which nothing is heard for so long is asked how far it is.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// A page as it stands in the browser's history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageState {
    /// Its address, after redirects.
    pub url: String,
    /// What the document calls itself once it has loaded; often empty.
    pub title: String,
    /// The address of the server that sent it, as far as the browser told.
    pub server: Option<String>,
    /// The frames in it whose documents came from a server.
    pub frames: Vec<FrameState>,
}

/// Where opening an address led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Navigated {
    /// To a page.
    Page(PageState),
    /// To a file that is downloaded; the page in front is still the one before.
    Download,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigateAnswer {
    loader_id: Option<String>,
    error_text: Option<String>,
    #[serde(default)]
    is_download: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: usize,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
    #[serde(default)]
    url: String,
    #[serde(default)]
    title: String,
}

impl Browser {
    /// Opens an address in the page in front, and waits for it to be complete or to come to rest.
    ///
    /// # Errors
    /// It does not open, or not in time.
    pub async fn navigate(&self, url: &str) -> Result<Navigated, BrowserError> {
        let limit = self.open_limit();
        let deadline = Instant::now() + limit;
        let page = self.sound_page().await?;
        self.leave_dialogs(&page);
        let downloads = self.watcher.state().downloads.count();
        let pending = self.connection.send::<NavigateAnswer>(
            &page.session,
            "Page.navigate",
            json!({"url": url}),
        );
        let answer = tokio::select! {
            biased;
            answer = pending.answer(limit) => match answer {
                Ok(answer) => answer,
                Err(crate::cdp::CdpError::Timeout { .. }) => {
                    return Err(self.give_up(&page, url, limit));
                }
                Err(crate::cdp::CdpError::Closed(reason)) => return Err(BrowserError::Gone(reason)),
                Err(error) => return Err(BrowserError::Navigation { url: url.to_owned(), problem: error.to_string() }),
            },
            trouble = self.watcher.trouble(&page.target) => return Err(trouble),
        };
        if answer.is_download || self.watcher.state().downloads.count() > downloads {
            let soon = Instant::now() + DOWNLOAD_BEGINS;
            let begun = |state: &mut crate::watch::BrowserState| {
                (state.downloads.count() > downloads).then_some(())
            };
            self.watcher.until(soon, begun).await;
            return Ok(Navigated::Download);
        }
        if let Some(problem) = answer.error_text.filter(|problem| !problem.is_empty()) {
            return Err(BrowserError::Navigation { url: url.to_owned(), problem });
        }
        if let Some(loader) = answer.loader_id {
            if let Some(tab) = self.watcher.state().tab_mut(&page.target) {
                tab.commit(&loader);
            }
            self.wait_for_load(&page, &loader, url, deadline, limit).await?;
        }
        self.page_state().await.map(Navigated::Page)
    }

    async fn wait_for_load(
        &self,
        page: &PageHandle,
        loader: &str,
        url: &str,
        deadline: Instant,
        limit: Duration,
    ) -> Result<(), BrowserError> {
        let mut has_arrived = |state: &mut crate::watch::BrowserState| {
            if let Some(trouble) = state.trouble(&page.target) {
                // A dialog while it loads is a state of the page like any other.
                return Some(match trouble {
                    BrowserError::Dialog(_) => Ok(()),
                    trouble => Err(trouble),
                });
            }
            let load = &state.tab(&page.target)?.load;
            // A page may lead on to another while it loads; that one counts then.
            let begun = load.committed.as_deref() == Some(loader) || load.committed == load.begun;
            (begun && load.committed.is_some() && load.is_usable()).then_some(Ok(()))
        };
        let arrived = loop {
            let soon = deadline.min(Instant::now() + ASK_AGAIN);
            let arrived = self.watcher.until(soon, &mut has_arrived).await;
            // An event may be lost between attaching to a page and its first document: then the page itself is asked.
            if arrived.is_none() && Instant::now() < deadline {
                if !self.is_complete(page, loader).await {
                    continue;
                }
                break Some(Ok(()));
            }
            break arrived;
        };
        match arrived {
            Some(arrived) => arrived,
            None => {
                let shown = self.watcher.state().tab(&page.target).is_some_and(|tab| {
                    tab.load.committed.as_deref() == Some(loader) && tab.load.content
                });
                self.connection.tell(&page.session, "Page.stopLoading", json!({}));
                // What is there can be used, even if more was to come.
                if shown { Ok(()) } else { Err(self.give_up(page, url, limit)) }
            }
        }
    }

    /// Whether a page says of itself that the document of this load is complete.
    async fn is_complete(&self, page: &PageHandle, loader: &str) -> bool {
        let ask = |method: &'static str, params: serde_json::Value| {
            self.connection.call::<serde_json::Value>(&page.session, method, params, ASK_AGAIN)
        };
        let Ok(tree) = ask("Page.getFrameTree", json!({})).await else { return false };
        if tree["frameTree"]["frame"]["loaderId"] != loader {
            return false;
        }
        let state = json!({"expression": "document.readyState", "returnByValue": true});
        let complete = ask("Runtime.evaluate", state).await;
        if !complete.is_ok_and(|answer| answer["result"]["value"] == "complete") {
            return false;
        }
        if let Some(tab) = self.watcher.state().tab_mut(&page.target) {
            tab.commit(loader);
            tab.load.done = true;
        }
        true
    }

    fn give_up(&self, page: &PageHandle, url: &str, after: Duration) -> BrowserError {
        self.connection.tell(&page.session, "Page.stopLoading", json!({}));
        if let Some(tab) = self.watcher.state().tab_mut(&page.target) {
            // The next address gets a page that certainly answers.
            tab.hangs = true;
        }
        BrowserError::SlowPage { url: url.to_owned(), after }
    }

    /// Whoever opens another page leaves the dialogs of this one behind.
    fn leave_dialogs(&self, page: &PageHandle) {
        let mut state = self.watcher.state();
        let open = state.dialogs.open.iter_mut().filter(|open| open.tab == page.target);
        for dialog in open.filter(|open| open.closing.is_none()) {
            dialog.closing = Some(ClosedBy::AutoPolicy);
            let (method, params) = dialog.answer(false, None);
            self.connection.tell(&dialog.session, method, params);
        }
        let asked_for = |open: &OpenDialog| open.tab == page.target && open.request.is_some();
        state.dialogs.close(asked_for);
    }

    /// Address and title of the page in front. The browser itself knows them, so this works while the page is busy.
    ///
    /// # Errors
    /// The browser is gone.
    pub async fn page_state(&self) -> Result<PageState, BrowserError> {
        let page = self.page()?;
        let History { current_index, mut entries } = self.history(&page).await?;
        if current_index >= entries.len() {
            return Ok(PageState::default());
        }
        let HistoryEntry { url, title, .. } = entries.swap_remove(current_index);
        Ok(PageState { url, title, ..self.origins(&page.target) })
    }

    /// Where the documents of a page came from, as far as the browser told.
    fn origins(&self, target: &str) -> PageState {
        let state = self.watcher.state();
        let Some(tab) = state.tab(target) else { return PageState::default() };
        let (server, frames) = (tab.server.clone(), tab.frames.values().cloned().collect());
        PageState { server, frames, ..PageState::default() }
    }

    /// What is open in a target or frame that a call of the protocol names.
    ///
    /// # Errors
    /// There is no such target.
    pub async fn target_state(&self, target: &RawTarget) -> Result<PageState, BrowserError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Found {
            target_info: FoundInfo,
        }
        #[derive(Deserialize)]
        struct FoundInfo {
            #[serde(default)]
            url: String,
            #[serde(default)]
            title: String,
        }
        let (RawTarget::Target(id) | RawTarget::Frame(id)) = target else {
            return self.page_state().await;
        };
        let asked = json!({"targetId": id});
        let Found { target_info } = self.browser_call("Target.getTargetInfo", asked).await?;
        let FoundInfo { url, title } = target_info;
        Ok(PageState { url, title, ..self.origins(id) })
    }

    /// Empties a frame of the page in front, so that nothing of what it shows can be read.
    pub async fn empty_frame(&self, frame: &str) {
        let Ok(page) = self.page() else { return };
        let params = json!({"url": "about:blank", "frameId": frame});
        let limit = self.options.command_timeout;
        let emptied: Result<serde::de::IgnoredAny, _> =
            self.connection.call(&page.session, "Page.navigate", params, limit).await;
        if let Err(error) = emptied {
            tracing::debug!(%error, "a frame could not be emptied");
        }
    }

    async fn history(&self, page: &PageHandle) -> Result<History, BrowserError> {
        let limit = self.options.command_timeout;
        let history: Result<History, _> = self
            .connection
            .call(&page.session, "Page.getNavigationHistory", json!({}), limit)
            .await;
        history.map_err(|error| match error {
            crate::cdp::CdpError::Closed(reason) => BrowserError::Gone(reason),
            error => BrowserError::Protocol(error),
        })
    }

    /// Goes back one step in the page's history.
    ///
    /// # Errors
    /// There is nothing before this page.
    pub async fn back(&self) -> Result<PageState, BrowserError> {
        let page = self.page()?;
        let history = self.history(&page).await?;
        // The empty page a browser begins with is no place to go back to.
        let before = history.current_index.checked_sub(1).and_then(|at| history.entries.get(at));
        let Some(entry) = before.filter(|entry| entry.url != "about:blank") else {
            return Err(BrowserError::Element(
                "there is no page to go back to: this is the first one".to_owned(),
            ));
        };
        if let Some(tab) = self.watcher.state().tab_mut(&page.target) {
            tab.load.requested = Some(std::time::Instant::now());
        }
        let params = json!({"entryId": entry.id});
        let _: serde::de::IgnoredAny =
            self.call(&page, &page.session, "Page.navigateToHistoryEntry", params).await?;
        self.settle(&page).await?;
        self.page_state().await
    }

    /// Empties the page in front, so that nothing of what it shows can be read.
    pub async fn blank(&self) {
        let Ok(page) = self.page() else { return };
        let params = json!({"url": "about:blank"});
        let limit = self.options.command_timeout;
        let _: Result<serde::de::IgnoredAny, _> =
            self.connection.call(&page.session, "Page.navigate", params, limit).await;
        // Nor can it be gone back to.
        self.connection.tell(&page.session, "Page.resetNavigationHistory", json!({}));
    }
}
