//! What is known of a browser from its events: pages, frames in other processes, loads, dialogs, console, downloads.
//!
//! One [`Watcher`] for each browser. Events change its state on the task that reads the connection, and wake whoever
//! waits for a change. Sessions that appear are set up from here as well, without waiting: the protocol keeps the
//! order of what is sent to one session, so a page is set up before it runs its first line.

mod events;
mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

pub(crate) use events::REQUEST_COUNTS;
pub use state::FrameState;
pub(crate) use state::{BrowserState, SessionKind, Tab};

use crate::bridge::DialogChannel;
use crate::dialogs::{Dialog, STORM};
use crate::error::BrowserError;
use crate::settings::DialogPolicy;

/// The size of the part of a page that is seen.
pub(crate) const VIEWPORT: (u32, u32) = (1280, 720);

/// Where what a browser tells is kept.
pub(crate) struct Watcher {
    /// Itself, for what happens later.
    pub(super) this: Weak<Self>,
    pub(super) policy: DialogPolicy,
    pub(super) dialog_timeout: Duration,
    pub(super) dialog_channel: DialogChannel,
    /// Whether pages get a size of ours: those with a window on a screen keep theirs.
    pub(super) set_viewport: bool,
    state: Mutex<BrowserState>,
    changed: Notify,
}

impl Watcher {
    pub(crate) fn new(
        policy: DialogPolicy,
        dialog_timeout: Duration,
        dialog_channel: DialogChannel,
        set_viewport: bool,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            this: this.clone(),
            policy,
            dialog_timeout,
            dialog_channel,
            set_viewport,
            state: Mutex::default(),
            changed: Notify::new(),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, BrowserState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whoever waits in [`Watcher::until`].
    pub(super) fn changed(&self) {
        self.changed.notify_waiters();
    }

    /// Waits until `look` finds something, at most until `deadline`.
    pub(crate) async fn until<T>(
        &self,
        deadline: Instant,
        mut look: impl FnMut(&mut BrowserState) -> Option<T>,
    ) -> Option<T> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = look(&mut self.state()) {
                return Some(found);
            }
            if tokio::time::timeout_at(deadline, changed).await.is_err() {
                return look(&mut self.state());
            }
        }
    }

    /// Waits for as long as nothing is wrong with a page.
    pub(crate) async fn trouble(&self, tab: &str) -> BrowserError {
        let never = Instant::now() + Duration::from_secs(86_400);
        match self.until(never, |state| state.trouble(tab)).await {
            Some(trouble) => trouble,
            None => BrowserError::Unresponsive(Duration::from_secs(86_400)),
        }
    }
}

impl BrowserState {
    /// What keeps a page from answering, if something does.
    pub(crate) fn trouble(&self, tab: &str) -> Option<BrowserError> {
        if let Some(reason) = &self.ended {
            return Some(BrowserError::Gone(reason.clone()));
        }
        let Some(known) = self.tabs.iter().find(|known| known.target == tab) else {
            return Some(BrowserError::Crashed);
        };
        if known.crashed {
            return Some(BrowserError::Crashed);
        }
        if known.dialogs_opened > STORM {
            return Some(BrowserError::DialogStorm(known.dialogs_opened));
        }
        let dialog: Option<&Dialog> = self.dialogs.of_tab(tab).map(|open| &open.dialog);
        dialog.map(|dialog| BrowserError::Dialog(Box::new(dialog.clone())))
    }
}
