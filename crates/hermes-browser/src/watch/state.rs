//! The state that events change.

use std::collections::HashMap;
use std::time::Instant;

use crate::console::Console;
use crate::dialogs::Dialogs;
use crate::downloads::Downloads;
use crate::references::References;

/// What a session of the protocol is attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionKind {
    /// A page of its own.
    Page,
    /// A frame whose process is not that of the page around it.
    Frame {
        /// The session around it.
        parent: String,
        /// The frame, by the name that the page around it knows.
        frame: String,
    },
}

/// A session, and the page it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct SessionInfo {
    pub(crate) kind: SessionKind,
    pub(crate) tab: String,
}

/// A document within a page, and where it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameState {
    /// The frame's name in the browser.
    pub id: String,
    /// The document's address, after redirects.
    pub url: String,
    /// The address of the server that sent it, as far as the browser told.
    pub server: Option<String>,
}

/// A page.
pub(crate) struct Tab {
    /// Its name in the browser, which is also that of its main frame.
    pub(crate) target: String,
    pub(crate) session: String,
    pub(crate) url: String,
    pub(crate) crashed: bool,
    /// It did not answer in time.
    pub(crate) hangs: bool,
    pub(crate) load: Load,
    pub(crate) references: References,
    /// Dialogs since the document began.
    pub(crate) dialogs_opened: usize,
    /// The address of the server that sent the document, where the browser told it.
    pub(crate) server: Option<String>,
    /// The frames in it whose documents came from a server, by their names in the browser.
    pub(crate) frames: HashMap<String, FrameState>,
}

impl Tab {
    /// Another document is shown now.
    pub(crate) fn commit(&mut self, loader: &str) {
        if self.load.committed.as_deref() == Some(loader) {
            return;
        }
        self.references = References::default();
        self.dialogs_opened = 0;
        self.hangs = false;
        self.crashed = false;
        self.load = Load { begun: Some(loader.to_owned()), ..Load::default() };
        self.load.committed = Some(loader.to_owned());
    }
}

/// How far the newest document of a page has come.
#[derive(Debug, Default)]
pub(crate) struct Load {
    /// The script or the person asked for another document at this moment; nothing has begun yet.
    pub(crate) requested: Option<Instant>,
    /// The load that was begun last.
    pub(crate) begun: Option<String>,
    /// The load whose document is shown.
    pub(crate) committed: Option<String>,
    pub(crate) content: bool,
    pub(crate) quiet: bool,
    pub(crate) done: bool,
}

impl Load {
    /// Whether a document is on its way or not yet complete.
    pub(crate) fn is_under_way(&self) -> bool {
        self.begun.is_some() && !(self.begun == self.committed && self.is_usable())
    }

    /// Whether the document can be looked at: it is complete, or nothing but stragglers are missing.
    pub(crate) fn is_usable(&self) -> bool {
        self.done || self.content && self.quiet
    }
}

/// Everything known of a browser.
#[derive(Default)]
pub(crate) struct BrowserState {
    /// Pages in the order in which they were opened.
    pub(crate) tabs: Vec<Tab>,
    /// The page that actions are done on.
    pub(crate) active: Option<String>,
    pub(crate) sessions: HashMap<String, SessionInfo>,
    pub(crate) dialogs: Dialogs,
    pub(crate) console: Console,
    pub(crate) downloads: Downloads,
    /// Worlds for our own scripts, by session and frame.
    pub(crate) worlds: HashMap<(String, String), i64>,
    /// Why the browser is gone, if it is.
    pub(crate) ended: Option<String>,
}

impl BrowserState {
    pub(crate) fn tab(&self, target: &str) -> Option<&Tab> {
        self.tabs.iter().find(|tab| tab.target == target)
    }

    pub(crate) fn tab_mut(&mut self, target: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.target == target)
    }

    /// The page whose own session this is.
    pub(crate) fn page_of_session(&mut self, session: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.session == session)
    }

    /// The page a session belongs to.
    pub(crate) fn tab_of_session(&self, session: &str) -> Option<String> {
        self.sessions.get(session).map(|info| info.tab.clone())
    }

    /// The page a session belongs to, to be changed.
    pub(crate) fn tab_of_session_mut(&mut self, session: &str) -> Option<&mut Tab> {
        let target = &self.sessions.get(session)?.tab;
        self.tabs.iter_mut().find(|tab| tab.target == *target)
    }

    /// The page that actions are done on.
    pub(crate) fn active_tab(&self) -> Option<&Tab> {
        let active = self.active.as_deref()?;
        self.tab(active)
    }

    /// Forgets a page and everything in it; the one opened before it comes to the front.
    pub(crate) fn remove_tab(&mut self, target: &str) {
        self.tabs.retain(|tab| tab.target != target);
        self.sessions.retain(|_, info| info.tab != target);
        self.dialogs.close(|open| open.tab == target);
        if self.active.as_deref() == Some(target) {
            self.active = self.tabs.last().map(|tab| tab.target.clone());
        }
    }
}
