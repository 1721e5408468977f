//! Waiting for a page to come to rest after something was done to it.

use std::time::Duration;

use tokio::time::Instant;

use crate::browser::{Browser, PageHandle};
use crate::error::BrowserError;
use crate::watch::{REQUEST_COUNTS, Tab};

/// Longest wait for a page that an action led to; it may go on loading afterwards.
const AFTER_ACTION: Duration = Duration::from_secs(10);

impl Browser {
    /// After an action: if it led to another document, waits for that. Another window that was opened counts as the
    /// page from then on.
    pub(crate) async fn settle(&self, page: &PageHandle) -> Result<(), BrowserError> {
        // The page's process tells of a new document before it answers this.
        match self.flush(page).await {
            Ok(()) => {}
            // The document it would have run in is gone: exactly what is waited for.
            Err(BrowserError::Protocol(_) | BrowserError::Crashed) => {}
            Err(error) => return Err(error),
        }
        self.loaded().await
    }

    /// Waits for a document that is on its way to the page in front.
    pub(crate) async fn loaded(&self) -> Result<(), BrowserError> {
        let deadline = Instant::now() + AFTER_ACTION.min(self.options.command_timeout);
        loop {
            let now = std::time::Instant::now();
            let wait = self.watcher.state().active_tab().and_then(|tab| waits_for(tab, now));
            let Some(wait) = wait else { return Ok(()) };
            let until = deadline.min(Instant::now() + wait);
            let settled = self.watcher.until(until, |state| {
                let now = std::time::Instant::now();
                let target = state.active.clone()?;
                if let Some(trouble) = state.trouble(&target) {
                    return Some(Err(trouble));
                }
                match state.tab(&target) {
                    Some(tab) if waits_for(tab, now).is_some() => None,
                    _ => Some(Ok(())),
                }
            });
            if let Some(settled) = settled.await {
                return settled;
            }
            if Instant::now() >= deadline {
                // Slow pages are shown as far as they have come.
                return Ok(());
            }
        }
    }
}

/// For how long at most a page has to be waited for before it is looked at again.
fn waits_for(tab: &Tab, now: std::time::Instant) -> Option<Duration> {
    if tab.load.is_under_way() {
        return Some(AFTER_ACTION);
    }
    let since = now.saturating_duration_since(tab.load.requested?);
    REQUEST_COUNTS.checked_sub(since).filter(|left| !left.is_zero())
}
