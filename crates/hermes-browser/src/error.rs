//! Why something could not be done in a browser.

use std::time::Duration;

use crate::cdp::CdpError;
use crate::dialogs::Dialog;

/// Why something could not be done in a browser. The texts are for models and people alike.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BrowserError {
    /// No Chromium was found.
    #[error("no Chromium or Chrome was found on this machine; {0}")]
    NotInstalled(String),
    /// The browser did not come up.
    #[error("the browser could not be started: {0}")]
    Launch(String),
    /// A provider of browsers said no.
    #[error("{provider}: {problem}")]
    Provider {
        /// Who was asked.
        provider: &'static str,
        /// What it said.
        problem: String,
    },
    /// The browser itself is gone.
    #[error("the browser has ended ({0}); open the page again")]
    Gone(String),
    /// The page's process crashed.
    #[error("the page crashed; open it again, or another one")]
    Crashed,
    /// The page does not answer.
    #[error("the page did not answer within {} s: it is busy or hangs; open another page", .0.as_secs())]
    Unresponsive(Duration),
    /// A dialog holds the page until somebody answers it.
    #[error("a dialog is open on the page and must be answered first: {} {:?}", .0.kind, .0.message)]
    Dialog(Box<Dialog>),
    /// The page opened one dialog after the other.
    #[error("the page opened {0} dialogs in a row and was closed; open another page")]
    DialogStorm(usize),
    /// The address did not open.
    #[error("{url} could not be opened: {problem}")]
    Navigation {
        /// What was to be opened.
        url: String,
        /// The browser's reason.
        problem: String,
    },
    /// The server did not finish, or did not begin, its answer.
    #[error("{url} did not load within {} s", after.as_secs())]
    SlowPage {
        /// What was to be opened.
        url: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// No such reference, or one of an earlier page.
    #[error(
        "there is no element {0} on the page as it is now; take a new snapshot and use a reference from it"
    )]
    UnknownReference(String),
    /// The element is there and cannot be used like this.
    #[error("{0}")]
    Element(String),
    /// The script that was to be run failed.
    #[error("{0}")]
    Script(String),
    /// The browser refuses, or its answer makes no sense.
    #[error(transparent)]
    Protocol(#[from] CdpError),
}
