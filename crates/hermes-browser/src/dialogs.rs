//! Dialogs that pages open: alert, confirm, prompt and the question before leaving.
//!
//! While one is open the page stands still and answers nothing, so every wait for a page looks out for dialogs too.

use std::collections::VecDeque;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use crate::bridge;

/// How many closed dialogs are remembered.
const REMEMBERED: usize = 20;
/// Dialogs of one document after which it is taken for an endless loop.
pub(crate) const STORM: usize = 50;

/// Who closed a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    /// Whoever uses the browser.
    Agent,
    /// The setting `browser.dialog_policy`.
    AutoPolicy,
    /// The page, the browser, or another program that drives it.
    Remote,
    /// Nobody answered in time.
    Watchdog,
}

/// A dialog as it is shown to whoever must answer it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dialog {
    /// `d-1`, `d-2`, …
    pub id: String,
    /// alert, confirm, prompt or beforeunload.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub message: String,
    /// What stands in the field of a prompt.
    pub default_prompt: String,
    /// Seconds since 1970.
    pub opened_at: f64,
    /// The frame that opened it, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<String>,
    /// Who closed it, once it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<ClosedBy>,
}

/// An open dialog, and where it is answered.
#[derive(Clone, Debug)]
pub(crate) struct OpenDialog {
    pub(crate) dialog: Dialog,
    /// The session that said it is open.
    pub(crate) session: String,
    /// The held back request that waits for the answer, where the page asked for the dialog by one.
    pub(crate) request: Option<String>,
    /// The page it belongs to.
    pub(crate) tab: String,
    /// Who is about to close it.
    pub(crate) closing: Option<ClosedBy>,
    /// When it is closed if nobody answers.
    pub(crate) expires: Instant,
}

impl OpenDialog {
    /// The call that answers it.
    pub(crate) fn answer(&self, accept: bool, text: Option<&str>) -> (&'static str, Value) {
        match &self.request {
            Some(request) => ("Fetch.fulfillRequest", bridge::fulfilled(request, accept, text)),
            None => {
                let mut params = json!({"accept": accept});
                if let Some(text) = text {
                    params["promptText"] = json!(text);
                }
                ("Page.handleJavaScriptDialog", params)
            }
        }
    }
}

/// The dialogs of a browser.
#[derive(Default)]
pub(crate) struct Dialogs {
    pub(crate) open: Vec<OpenDialog>,
    closed: VecDeque<Dialog>,
    opened: u64,
}

impl Dialogs {
    /// The name of the next dialog.
    pub(crate) fn next_id(&mut self) -> String {
        self.opened += 1;
        format!("d-{}", self.opened)
    }

    /// The first open dialog of a page.
    pub(crate) fn of_tab(&self, tab: &str) -> Option<&OpenDialog> {
        self.open.iter().find(|open| open.tab == tab && open.closing.is_none())
    }

    /// Takes away those for which `gone` is true and remembers them as closed.
    pub(crate) fn close(&mut self, gone: impl Fn(&OpenDialog) -> bool) {
        let (closed, open) = std::mem::take(&mut self.open).into_iter().partition(gone);
        self.open = open;
        let closed: Vec<OpenDialog> = closed;
        let now = Instant::now();
        for OpenDialog { dialog, closing, expires, .. } in closed {
            let by = match closing {
                Some(by) => by,
                None if now >= expires => ClosedBy::Watchdog,
                None => ClosedBy::Remote,
            };
            self.closed.push_back(Dialog { closed_by: Some(by), ..dialog });
            if self.closed.len() > REMEMBERED {
                self.closed.pop_front();
            }
        }
    }

    /// Those that wait for an answer.
    pub(crate) fn pending(&self) -> Vec<Dialog> {
        let waiting = self.open.iter().filter(|open| open.closing.is_none());
        waiting.map(|open| open.dialog.clone()).collect()
    }

    /// The last closed ones, oldest first.
    pub(crate) fn recent(&self) -> Vec<Dialog> {
        self.closed.iter().cloned().collect()
    }
}
