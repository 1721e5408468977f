//! What the browser tools of one call work with: the browser of the task, the rules, words for what went wrong.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use hermes_browser::{
    BrowserError, BrowserSession, BrowserSessions, BrowserSettings, BrowserUse, Browserbase,
    PageSnapshot, Reach, SessionLease, SessionPlan,
};
use hermes_exec::BackendKind;
use hermes_exec::manager::Environments;
use hermes_guard::redact::{RedactMode, redact};
use hermes_store::config::Config;
use hermes_tool::settings::Settings as _;
use hermes_tool::{Availability, ToolContext, ToolError, Vars};
use hermes_web::{SitePolicy, WebAccessSettings};
use serde_json::{Map, Value, json};

use super::size::fitted;
use crate::host_services;

/// The browser of a call without a task.
const DEFAULT: &str = "default";
/// How long a file that is being downloaded may take to be told of with the action that began it.
const DOWNLOAD: Duration = Duration::from_millis(300);

/// The browsers of a call.
pub(crate) struct BrowserContext {
    pub(crate) sessions: Arc<BrowserSessions>,
    pub(crate) cx: ToolContext,
}

impl BrowserContext {
    /// The host's browsers where it offers them, those of the process otherwise.
    pub(crate) fn of(cx: &ToolContext) -> Result<Self, ToolError> {
        let sessions = match cx.service::<BrowserSessions>() {
            Some(sessions) => sessions,
            None => own_sessions(cx)?,
        };
        Ok(Self { sessions, cx: cx.clone() })
    }

    pub(crate) fn task(&self) -> &str {
        let task = self.cx.ids().task_id.as_str();
        if task.is_empty() { DEFAULT } else { task }
    }

    /// The browser that was led somewhere last, after a look at where that is.
    pub(crate) async fn current(&self) -> Result<SessionLease, ToolError> {
        let mut lease = self.sessions.current(self.task()).await.map_err(|error| said(&error))?;
        check_page(opened(&mut lease)?).await?;
        Ok(lease)
    }

    /// A snapshot as part of an answer: without secrets, and not too long.
    pub(crate) async fn snapshot_fields(
        &self,
        snapshot: &PageSnapshot,
        fields: &mut Map<String, Value>,
    ) {
        fields.insert("snapshot".into(), fitted(clean(&snapshot.text), &self.cx).await.into());
        fields.insert("element_count".into(), snapshot.elements.into());
    }
}

/// The session of a lease, which is there as long as nobody gives it up.
pub(crate) fn opened(lease: &mut SessionLease) -> Result<&mut BrowserSession, ToolError> {
    lease.get().ok_or_else(|| ToolError::answer("the browser was closed; open a page first"))
}

/// Refuses, and empties, a page that its browser may not show. Called before a page is used, since it may have led
/// itself elsewhere, and again before anything of it is told.
pub(crate) async fn check_page(session: &BrowserSession) -> Result<(), ToolError> {
    let page = session.browser.page_state().await.map_err(|error| said(&error))?;
    if let Err(refusal) = session.guard.after(&page) {
        session.browser.blank().await;
        return Err(refused(&refusal));
    }
    for frame in session.guard.unwanted_frames(&page) {
        session.browser.empty_frame(&frame.id).await;
    }
    Ok(())
}

/// The answer to an address that is not opened.
pub(crate) fn refused(refusal: &hermes_browser::AddressRefusal) -> ToolError {
    let error = ToolError::answer(refusal.to_string()).with("success", false);
    match refusal {
        hermes_browser::AddressRefusal::Site(blocked) => error.with(
            "blocked_by_policy",
            json!({"host": blocked.host, "rule": blocked.rule, "source": blocked.source}),
        ),
        _ => error,
    }
}

/// An error in words; a dialog is shown, so that it can be answered.
pub(crate) fn said(error: &BrowserError) -> ToolError {
    let answer = ToolError::answer(clean(&error.to_string())).with("success", false);
    match error {
        BrowserError::Dialog(dialog) => answer
            .with("pending_dialogs", json!([dialog]))
            .with("hint", "answer it with browser_dialog"),
        _ => answer,
    }
}

/// Text of a page without secrets, whatever the settings say: a page's text is nobody's output of their own.
pub(crate) fn clean(text: &str) -> String {
    redact(text, RedactMode::CodeFile).into_owned()
}

/// What an action brought about beside what the page shows: dialogs and files.
pub(crate) async fn news(
    session: &mut BrowserSession,
    what: &str,
    fields: &mut Map<String, Value>,
) {
    let (pending, _) = session.browser.dialogs();
    if !pending.is_empty() {
        fields.insert("pending_dialogs".into(), json!(pending));
    }
    let downloads = session.browser.download_news(DOWNLOAD).await;
    if !downloads.is_empty() {
        fields.insert("downloads".into(), json!(downloads));
    }
    if let Some(recording) = &mut session.recording
        && pending.is_empty()
    {
        recording.keep(&session.browser, what).await;
    }
}

/// An answer that begins with `success`.
pub(crate) fn success() -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("success".into(), true.into());
    fields
}

/// Whether some browser could be used, without starting one.
pub(crate) fn available(vars: &Vars) -> Availability {
    let Some(home) = host_services::located(vars) else {
        return Availability::unavailable("HOME is not set", "set HOME or HERMES_HOME");
    };
    let lookup = |name: &str| vars.get(name).map(str::to_owned);
    let (config, _) = Config::load_or_default(&home.config_file(), lookup);
    let settings = BrowserSettings::read(&config.into_value(), vars);
    let named = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let has_key = BrowserUse::has_key(vars) || Browserbase::has_keys(vars);
    if named(&settings.cdp_url) || named(&settings.cloud_provider) || has_key {
        return Availability::Available;
    }
    match hermes_browser::find_chromium(vars) {
        Ok(_) => Availability::Available,
        Err(error) => {
            let text = error.to_string();
            let (reason, fix) = text.split_once("; ").unwrap_or((&text, "install Chromium"));
            Availability::unavailable(reason, fix)
        }
    }
}

/// Browsers by the settings of a host.
pub(crate) fn sessions(
    config: &Value,
    vars: &Vars,
    home: &hermes_store::home::Home,
    terminal: Reach,
    door: hermes_web::HttpDoor,
) -> Arc<BrowserSessions> {
    let access = WebAccessSettings::read(config, vars);
    BrowserSessions::new(SessionPlan {
        settings: BrowserSettings::read(config, vars),
        vars: vars.clone(),
        folder: home.cache().join("browser"),
        terminal_reach: terminal,
        policy: access.policy(),
        sites: SitePolicy::new(&access.website_blocklist, home.root()),
        door,
    })
}

/// Where the commands of a call run.
pub(crate) fn terminal_reach(environments: Option<&Environments>, task: &str) -> Reach {
    let local = environments.is_none_or(|environments| {
        environments.settings(task).is_ok_and(|settings| settings.backend() == BackendKind::Local)
    });
    if local { Reach::Local } else { Reach::Elsewhere }
}

/// Browsers for hosts that bring none: one set for each home.
fn own_sessions(cx: &ToolContext) -> Result<Arc<BrowserSessions>, ToolError> {
    static OWN: LazyLock<Mutex<HashMap<PathBuf, Arc<BrowserSessions>>>> =
        LazyLock::new(Mutex::default);
    let home = host_services::home(cx).ok_or_else(|| {
        ToolError::answer("HOME is not set, so there is no place for the state; set HERMES_HOME")
    })?;
    let environments = cx.service::<Environments>();
    let reach = terminal_reach(environments.as_deref(), &cx.ids().task_id);
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    let made = own.entry(home.root().to_owned()).or_insert_with(|| {
        sessions(cx.config(), cx.vars(), &home, reach, host_services::http_door(cx))
    });
    Ok(Arc::clone(made))
}
