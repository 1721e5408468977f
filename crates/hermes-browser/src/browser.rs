//! A browser: the connection to it, what is known of it, and its end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_process::Child;
use hermes_tool::Vars;
use serde::Deserialize;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::Instant;
use url::Url;

use crate::bridge::DialogChannel;
use crate::cdp::{CdpError, Connection, PendingCall, Transport, websocket_transport};
use crate::dialogs::{ClosedBy, Dialog};
use crate::downloads::Download;
use crate::error::BrowserError;
use crate::launch::{self, Profile, Visibility};
use crate::settings::{BrowserSettings, DialogPolicy};
use crate::watch::Watcher;

/// How long a browser may take to come up.
const START: Duration = Duration::from_secs(60);
/// How long it may take to answer that it will end.
const CLOSE: Duration = Duration::from_secs(3);

/// How long things may take, and what happens by itself.
#[derive(Clone, Debug)]
pub struct BrowserOptions {
    /// One action on a page.
    pub command_timeout: Duration,
    /// The first page that is opened.
    pub first_open: Duration,
    /// Every later one.
    pub open: Duration,
    /// What happens to dialogs.
    pub dialog_policy: DialogPolicy,
    /// After how long a dialog is dismissed that nobody answers.
    pub dialog_timeout: Duration,
    /// How dialogs are noticed.
    pub dialog_channel: DialogChannel,
    /// Whether there is a window.
    pub visibility: Visibility,
    /// Where files go that pages hand out; nowhere if absent.
    pub downloads: Option<PathBuf>,
}

impl Default for BrowserOptions {
    fn default() -> Self {
        Self::from(&BrowserSettings::default())
    }
}

impl From<&BrowserSettings> for BrowserOptions {
    fn from(settings: &BrowserSettings) -> Self {
        Self {
            command_timeout: settings.command_timeout(),
            first_open: Duration::from_secs(120),
            open: Duration::from_secs(60),
            dialog_policy: settings.dialog_policy,
            dialog_timeout: settings.dialog_timeout(),
            dialog_channel: DialogChannel::Native,
            visibility: if settings.headed { Visibility::Window } else { Visibility::Headless },
            downloads: None,
        }
    }
}

/// A browser that is driven from here. Dropping it ends one that we started.
pub struct Browser {
    pub(crate) connection: Connection,
    pub(crate) watcher: Arc<Watcher>,
    pub(crate) options: BrowserOptions,
    /// The process and its folder, if it is ours.
    process: Mutex<Option<(Child, Profile)>>,
    opened_before: AtomicBool,
}

/// A page that calls are made to.
#[derive(Clone, Debug)]
pub(crate) struct PageHandle {
    pub(crate) target: String,
    pub(crate) session: String,
}

impl Browser {
    /// Starts a Chromium on this machine; its profile is made below `folder`.
    ///
    /// # Errors
    /// There is none, or it does not come up.
    pub async fn launch(
        vars: &Vars,
        folder: &Path,
        options: BrowserOptions,
    ) -> Result<Self, BrowserError> {
        let launched = launch::launch(vars, folder, options.visibility)?;
        let log = launched.profile.log_file();
        let process = Some((launched.child, launched.profile));
        let browser = Self::open(launched.transport, options, process);
        match browser.begin_own().await {
            Ok(()) => Ok(browser),
            Err(error) => {
                let words = launch::last_words(&log);
                browser.close().await;
                let words = if words.is_empty() { error.to_string() } else { words };
                Err(BrowserError::Launch(words))
            }
        }
    }

    /// Connects to a browser that runs already and opens a page of its own there.
    ///
    /// # Errors
    /// Nobody answers at the address, or it is no browser.
    pub async fn connect(address: &Url, options: BrowserOptions) -> Result<Self, BrowserError> {
        let failed = |problem: String| {
            BrowserError::Launch(format!("no connection to {}: {problem}", masked(address)))
        };
        let transport = websocket_transport(address, START).await.map_err(failed)?;
        let browser = Self::open(transport, options, None);
        browser.begin_elsewhere().await?;
        Ok(browser)
    }

    fn open(
        transport: Transport,
        options: BrowserOptions,
        process: Option<(Child, Profile)>,
    ) -> Self {
        let set_viewport = options.visibility == Visibility::Headless;
        let watcher = Watcher::new(
            options.dialog_policy,
            options.dialog_timeout,
            options.dialog_channel,
            set_viewport,
        );
        let connection = Connection::open(transport, watcher.clone());
        let (process, opened_before) = (Mutex::new(process), AtomicBool::new(false));
        Self { connection, watcher, options, process, opened_before }
    }

    async fn begin_own(&self) -> Result<(), BrowserError> {
        let pages = json!({
            "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            "filter": [{"type": "page", "exclude": false}, {"exclude": true}],
        });
        let attached =
            self.connection.send::<serde::de::IgnoredAny>("", "Target.setAutoAttach", pages);
        self.allow_downloads();
        attached.answer(START).await?;
        let deadline = Instant::now() + START;
        let first = self.watcher.until(deadline, |state| {
            (state.active.is_some() || state.ended.is_some()).then(|| state.active.is_some())
        });
        match first.await {
            Some(true) => Ok(()),
            _ => self.new_page().await.map(drop),
        }
    }

    async fn begin_elsewhere(&self) -> Result<(), BrowserError> {
        // Whose browser this is decides where files go, and the setting holds for all pages: those of a person, too.
        let as_it_is = json!({"behavior": "default", "eventsEnabled": true});
        self.connection.tell("", "Browser.setDownloadBehavior", as_it_is);
        let discover = json!({"discover": true, "filter": [{"type": "page", "exclude": false}, {"exclude": true}]});
        self.connection.tell("", "Target.setDiscoverTargets", discover);
        self.new_page().await.map(drop)
    }

    fn allow_downloads(&self) {
        let params = match &self.options.downloads {
            Some(folder) => {
                json!({"behavior": "allow", "downloadPath": folder, "eventsEnabled": true})
            }
            None => json!({"behavior": "deny", "eventsEnabled": true}),
        };
        self.connection.tell("", "Browser.setDownloadBehavior", params);
    }

    /// Opens an empty page and brings it to the front.
    pub(crate) async fn new_page(&self) -> Result<PageHandle, BrowserError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Created {
            target_id: String,
        }
        let blank = json!({"url": "about:blank"});
        let created: Created = self.browser_call("Target.createTarget", blank).await?;
        let target = created.target_id;
        let is_own = self.process().is_some();
        if !is_own {
            let attach = json!({"targetId": target, "flatten": true});
            let _: serde::de::IgnoredAny =
                self.browser_call("Target.attachToTarget", attach).await?;
        }
        let deadline = Instant::now() + self.options.command_timeout;
        let found = self.watcher.until(deadline, |state| {
            if state.tab(&target).is_some() {
                state.active = Some(target.clone());
                return Some(Ok(()));
            }
            state.ended.clone().map(|reason| Err(BrowserError::Gone(reason)))
        });
        match found.await {
            Some(found) => found?,
            None => return Err(BrowserError::Unresponsive(self.options.command_timeout)),
        }
        self.page()
    }

    /// The page that actions are done on.
    pub(crate) fn page(&self) -> Result<PageHandle, BrowserError> {
        let state = self.watcher.state();
        if let Some(reason) = &state.ended {
            return Err(BrowserError::Gone(reason.clone()));
        }
        let tab = state.active_tab().ok_or(BrowserError::Crashed)?;
        Ok(PageHandle { target: tab.target.clone(), session: tab.session.clone() })
    }

    /// The page in front, or a new one in the place of one that crashed, hangs or opens dialogs without end.
    pub(crate) async fn sound_page(&self) -> Result<PageHandle, BrowserError> {
        let broken = {
            let state = self.watcher.state();
            if let Some(reason) = &state.ended {
                return Err(BrowserError::Gone(reason.clone()));
            }
            match state.active_tab() {
                None => Some(None),
                Some(tab) => {
                    let storm = tab.dialogs_opened > crate::dialogs::STORM;
                    (tab.crashed || tab.hangs || storm).then(|| Some(tab.target.clone()))
                }
            }
        };
        let Some(old) = broken else { return self.page() };
        let page = self.new_page().await?;
        if let Some(old) = old {
            self.watcher.state().remove_tab(&old);
            self.connection.tell("", "Target.closeTarget", json!({"targetId": old}));
        }
        Ok(page)
    }

    fn process(&self) -> std::sync::MutexGuard<'_, Option<(Child, Profile)>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the browser is still there.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.watcher.state().ended.is_none()
    }

    /// Whether the browser is one that we started.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.process().is_some()
    }

    /// The process, if it is ours.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process().as_ref().map(|(child, _)| child.pid())
    }

    /// How long the next page may take to open.
    pub(crate) fn open_limit(&self) -> Duration {
        if self.opened_before.swap(true, Ordering::Relaxed) {
            self.options.open
        } else {
            self.options.first_open
        }
    }

    /// A call to the browser itself.
    pub(crate) async fn browser_call<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<R, BrowserError> {
        let answer = self.connection.call("", method, params, self.options.command_timeout).await;
        answer.map_err(|error| self.explained(error, None))
    }

    /// A call to a session of a page. It ends early when something happens to the page.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        page: &PageHandle,
        session: &str,
        method: &str,
        params: impl Serialize,
    ) -> Result<R, BrowserError> {
        let pending = self.connection.send(session, method, params);
        self.wait_for(page, pending).await
    }

    /// Waits for an answer, or for something to happen to the page.
    pub(crate) async fn wait_for<R: DeserializeOwned>(
        &self,
        page: &PageHandle,
        pending: PendingCall<R>,
    ) -> Result<R, BrowserError> {
        tokio::select! {
            biased;
            answer = pending.answer(self.options.command_timeout) => {
                answer.map_err(|error| self.explained(error, Some(page)))
            }
            trouble = self.watcher.trouble(&page.target) => Err(trouble),
        }
    }

    /// What a failed call means for a page.
    fn explained(&self, error: CdpError, page: Option<&PageHandle>) -> BrowserError {
        match (error, page) {
            (CdpError::Closed(reason), _) => BrowserError::Gone(reason),
            (CdpError::Timeout { after, .. }, Some(page)) => {
                if let Some(tab) = self.watcher.state().tab_mut(&page.target) {
                    tab.hangs = true;
                }
                BrowserError::Unresponsive(after)
            }
            (error, _) => BrowserError::Protocol(error),
        }
    }

    /// Dialogs that wait for an answer, and those closed last.
    #[must_use]
    pub fn dialogs(&self) -> (Vec<Dialog>, Vec<Dialog>) {
        let state = self.watcher.state();
        (state.dialogs.pending(), state.dialogs.recent())
    }

    /// Answers a dialog: the one that is named, or the only one.
    ///
    /// # Errors
    /// There is none, there are several and none is named, or the browser says no.
    pub async fn answer_dialog(
        &self,
        id: Option<&str>,
        accept: bool,
        text: Option<&str>,
    ) -> Result<Dialog, BrowserError> {
        let open = {
            let mut state = self.watcher.state();
            let waiting: Vec<String> =
                state.dialogs.pending().into_iter().map(|dialog| dialog.id).collect();
            let wanted = match (id, waiting.as_slice()) {
                (_, []) => return Err(BrowserError::Element("no dialog is open".to_owned())),
                (Some(id), _) => id.to_owned(),
                (None, [only]) => only.clone(),
                (None, several) => {
                    let list = several.join(", ");
                    return Err(BrowserError::Element(format!(
                        "several dialogs are open ({list}): name one with dialog_id"
                    )));
                }
            };
            let found = state.dialogs.open.iter_mut().find(|open| open.dialog.id == wanted);
            let Some(open) = found else {
                let list = waiting.join(", ");
                return Err(BrowserError::Element(format!(
                    "no dialog {wanted} is open; open are: {list}"
                )));
            };
            open.closing = Some(ClosedBy::Agent);
            open.clone()
        };
        let (method, params) = open.answer(accept, text);
        let limit = self.options.command_timeout;
        let answered: Result<serde::de::IgnoredAny, _> =
            self.connection.call(&open.session, method, params, limit).await;
        // The browser's word that it is closed may come a moment later.
        let id = open.dialog.id.clone();
        self.watcher.state().dialogs.close(|known| known.dialog.id == id);
        answered.map_err(|error| self.explained(error, None))?;
        Ok(Dialog { closed_by: Some(ClosedBy::Agent), ..open.dialog })
    }

    /// Files that pages handed out and the caller was not told of yet; those under way have `short` to finish.
    pub async fn download_news(&self, short: Duration) -> Vec<Download> {
        let deadline = Instant::now() + short;
        self.watcher.until(deadline, |state| (!state.downloads.any_running()).then_some(())).await;
        self.watcher.state().downloads.take_news()
    }

    /// Ends a browser that we started and removes what it left; closes our page in another one's.
    pub async fn close(self) {
        let process = self.process().take();
        let limit = CLOSE;
        match process {
            Some((child, profile)) => {
                let _: Result<serde::de::IgnoredAny, _> =
                    self.connection.call("", "Browser.close", json!({}), limit).await;
                launch::finish(child, profile).await;
            }
            None => {
                let tabs: Vec<String> =
                    self.watcher.state().tabs.iter().map(|tab| tab.target.clone()).collect();
                for target in tabs {
                    let _: Result<serde::de::IgnoredAny, _> = self
                        .connection
                        .call("", "Target.closeTarget", json!({"targetId": target}), limit)
                        .await;
                }
            }
        }
    }
}

/// An address without what may open an account: user, password, query, and long parts of the path.
#[must_use]
pub fn masked(address: &Url) -> String {
    /// A longer part of a path may be a token.
    const HARMLESS: usize = 20;
    let host = address.host_str().unwrap_or_default();
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path: Vec<&str> = address
        .path()
        .split('/')
        .map(|part| if part.len() > HARMLESS { "***" } else { part })
        .collect();
    let query = if address.query().is_some() { "?***" } else { "" };
    format!("{}://{host}{port}{}{query}", address.scheme(), path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_opens_an_account() {
        let secret = "wss://user:pass@cloud.example:9222/devtools/browser/1234-5678-9012-3456-7890?token=t0ps3cret";
        assert_eq!(
            masked(&Url::parse(secret).unwrap()),
            "wss://cloud.example:9222/devtools/browser/***?***"
        );
    }
}
