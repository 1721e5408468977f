//! Drives Chromium over its debugging protocol.
//!
//! A [`Browser`] is one Chromium with a connection that stays open: every action is one or two short messages, no
//! process is started and nothing is polled. From the bottom up:
//!
//! | module | what is there |
//! |---|---|
//! | `cdp` | the protocol: calls, answers, events, over a pipe or a WebSocket |
//! | `launch` | starting a Chromium of our own that cannot outlive us |
//! | `watch` | what is known of pages, loads, dialogs and downloads from events |
//! | `page` | actions: open, click, type, press, scroll, back, scripts, pictures |
//! | `snapshot` | a page as text, with references to everything that can be used |
//! | `bridge` | dialogs of browsers that dismiss the native ones |
//! | `guard` | which addresses may be opened by a browser here, and by one elsewhere |
//! | `providers` | who runs the browser: this machine, a running one, a service |
//! | `sessions` | a browser for each task, for as long as it is used |
//!
//! # What a page may do to us
//!
//! A page is written by a stranger. It may never finish loading, keep its process busy, crash it, open dialogs without
//! end, or hold a hundred thousand elements. So every wait has a limit and looks out for trouble with the page, a page
//! that is beyond help is replaced by a new one, and texts from it are cut before they are kept. Our scripts run in a
//! world that the page's own scripts do not reach.
//!
//! # What never happens here
//!
//! No decision on which address may be opened: `guard` brings facts to the rules of `hermes-guard`, and callers
//! ask it before and after. No words about tools: texts of errors say what happened and what to do with the page.

mod bridge;
mod browser;
mod cdp;
mod console;
mod dialogs;
mod downloads;
mod error;
mod guard;
mod install;
mod launch;
mod page;
mod providers;
mod recording;
mod references;
mod sessions;
mod settings;
mod snapshot;
mod watch;

pub use bridge::DialogChannel;
pub use browser::{Browser, BrowserOptions, masked};
pub use cdp::CdpError;
pub use console::{ConsoleMessage, JsError};
pub use dialogs::{ClosedBy, Dialog};
pub use downloads::Download;
pub use error::BrowserError;
pub use guard::{AddressGuard, AddressRefusal, Reach};
pub use install::install_command;
pub use launch::{Visibility, find_chromium, sweep_profiles};
pub use page::{
    Annotation, Clicked, Evaluated, FrameInfo, FrameTree, Navigated, PageImage, PageState,
    RawAnswer, RawTarget, Screenshot, ScrollDirection, Typed,
};
pub use providers::{
    BrowserProvider, BrowserUse, Browserbase, Firecrawl, LocalChromium, OpenedBrowser,
    RunningBrowser, choose, debugging_address,
};
pub use recording::SessionRecording;
pub use sessions::{BrowserSession, BrowserSessions, CloudFallback, SessionLease, SessionPlan};
pub use settings::{BrowserSettings, DialogPolicy};
pub use snapshot::{Detail, PageSnapshot};
pub use watch::FrameState;
