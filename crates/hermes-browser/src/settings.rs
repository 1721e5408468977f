//! What a user decides about browsers: the section `browser` of the settings.

use std::time::Duration;

use hermes_tool::settings::{Seconds, SettingWords, Settings};

/// What happens to a dialog that a page opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum DialogPolicy {
    /// It waits for an answer, and is dismissed when none comes.
    #[default]
    MustRespond,
    /// It is dismissed at once.
    AutoDismiss,
    /// It is accepted at once.
    AutoAccept,
}

/// The section `browser`.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "browser", about = "The web browser", open)]
pub struct BrowserSettings {
    /// Who runs the browser: local, browserbase, browser-use or firecrawl. Without it, a service whose key is set, or else this machine.
    pub cloud_provider: Option<String>,
    /// The debugging address of a browser that runs already.
    #[setting(variable = "BROWSER_CDP_URL")]
    pub cdp_url: Option<String>,
    /// Seconds an action on a page may take, at least 5.
    #[setting(default = Seconds::new(30.0))]
    command_timeout: Seconds,
    /// Seconds after which a browser nobody uses is closed, at least 30.
    #[setting(default = Seconds::new(120.0), variable = "BROWSER_INACTIVITY_TIMEOUT")]
    inactivity_timeout: Seconds,
    /// Show the browser's window.
    #[setting(variable = "AGENT_BROWSER_HEADED")]
    pub headed: bool,
    /// With a browser elsewhere, open addresses of your own network in a second one on this machine.
    #[setting(default = true)]
    pub auto_local_for_private_urls: bool,
    /// Keep a series of pictures of what the browser does.
    pub record_sessions: bool,
    /// Refuse scripts that name cookies, storage, requests and the like.
    pub restrict_evaluate: bool,
    /// Run every script, whatever `restrict_evaluate` says.
    pub allow_unsafe_evaluate: bool,
    /// What happens to dialogs: must_respond, auto_dismiss or auto_accept.
    #[setting(default = DialogPolicy::MustRespond)]
    pub dialog_policy: DialogPolicy,
    /// Seconds after which a dialog that must be answered is dismissed.
    #[setting(default = Seconds::new(300.0))]
    dialog_timeout_s: Seconds,
}

impl BrowserSettings {
    /// How long an action may take.
    #[must_use]
    pub fn command_timeout(&self) -> Duration {
        self.command_timeout.duration().max(Duration::from_secs(5))
    }

    /// After how long without a call a browser is closed.
    #[must_use]
    pub fn inactivity_timeout(&self) -> Duration {
        self.inactivity_timeout.duration().max(Duration::from_secs(30))
    }

    /// After how long a dialog is dismissed that nobody answers.
    #[must_use]
    pub fn dialog_timeout(&self) -> Duration {
        self.dialog_timeout_s.duration()
    }
}
