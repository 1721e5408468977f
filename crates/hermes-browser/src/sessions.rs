//! Browsers by task.
//!
//! Each task has a browser of its own, started when it is first needed and kept for the next call. Calls of one task
//! follow each other; tasks do not wait for each other and share nothing. A browser that nobody uses for a while is
//! closed, one that died is replaced by the next call. Where browsers run elsewhere, addresses of the user's own
//! network can be opened in a second browser on this machine; calls then follow whichever was led somewhere last.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hermes_store::home::ensure_private_dir;
use hermes_tool::Vars;
use hermes_web::resolve::SystemLookup;
use hermes_web::{AddressPolicy, HttpDoor, SitePolicy};
use tokio::sync::OwnedMutexGuard;

use crate::browser::{Browser, BrowserOptions};
use crate::error::BrowserError;
use crate::guard::{AddressGuard, Reach};
use crate::launch::sweep_profiles;
use crate::providers::{BrowserProvider, LocalChromium, OpenedBrowser, choose};
use crate::recording::SessionRecording;
use crate::settings::BrowserSettings;

/// How often idle browsers are looked for.
const ROUND: Duration = Duration::from_secs(30);
/// What the second browser of a task is called.
const LOCAL: &str = "::local";

/// What sessions are made from.
pub struct SessionPlan {
    /// The user's settings.
    pub settings: BrowserSettings,
    /// Keys and places.
    pub vars: Vars,
    /// The folder for profiles, downloads and recordings.
    pub folder: PathBuf,
    /// Whether the terminal runs on this machine.
    pub terminal_reach: Reach,
    /// Whether private addresses are open to all.
    pub policy: AddressPolicy,
    /// The user's list of blocked sites.
    pub sites: SitePolicy,
    /// For providers.
    pub door: HttpDoor,
}

/// The browsers of this process.
pub struct BrowserSessions {
    settings: BrowserSettings,
    vars: Vars,
    folder: PathBuf,
    door: HttpDoor,
    guard: AddressGuard,
    local: LocalChromium,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    slots: HashMap<String, Arc<Slot>>,
    /// Which of its two browsers a task was led somewhere with last.
    current: HashMap<String, String>,
    reaper_runs: bool,
}

#[derive(Default)]
struct Slot {
    session: Arc<tokio::sync::Mutex<Option<BrowserSession>>>,
    used: Mutex<Option<Instant>>,
}

/// A browser that belongs to a task.
pub struct BrowserSession {
    /// Where the task's pages are open.
    pub browser: Browser,
    /// Which addresses it may open.
    pub guard: AddressGuard,
    /// Who runs it.
    pub provider: Arc<dyn BrowserProvider>,
    /// Why it is not the provider of the settings, if it is not.
    pub fallback: Option<CloudFallback>,
    /// What its provider does so that sites take it for a person.
    pub features: Vec<String>,
    /// Whether a page was opened in it.
    pub navigated: bool,
    /// Pictures of what it does, if the user wants them.
    pub recording: Option<SessionRecording>,
    id: String,
}

/// A service could not give a browser, so this machine did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloudFallback {
    /// Who was asked first.
    pub provider: &'static str,
    /// What it said.
    pub reason: String,
}

/// A browser for one call; nobody else has it until this is dropped.
pub struct SessionLease {
    held: OwnedMutexGuard<Option<BrowserSession>>,
    slot: Arc<Slot>,
    /// By what the session is known.
    pub key: String,
}

impl SessionLease {
    /// The session.
    pub fn get(&mut self) -> Option<&mut BrowserSession> {
        self.held.as_mut()
    }

    /// Ends the browser, which is beyond use; the next call starts another.
    pub async fn discard(mut self) {
        if let Some(session) = self.held.take() {
            session.close().await;
        }
    }
}

impl Drop for SessionLease {
    fn drop(&mut self) {
        self.slot.touch();
    }
}

impl Slot {
    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn idle(&self) -> Duration {
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.map_or(Duration::ZERO, |used| used.elapsed())
    }
}

impl BrowserSession {
    async fn close(self) {
        self.browser.close().await;
        if !self.id.is_empty() {
            self.provider.release(self.id).await;
        }
    }
}

impl BrowserSessions {
    /// No browser yet.
    #[must_use]
    pub fn new(plan: SessionPlan) -> Arc<Self> {
        let SessionPlan { settings, vars, folder, terminal_reach, policy, sites, door } = plan;
        let local = LocalChromium::new(vars.clone(), folder.clone(), terminal_reach);
        let lookup = Arc::new(SystemLookup);
        let guard = AddressGuard::new(Reach::Elsewhere, policy, Arc::new(sites), lookup);
        let table = Mutex::default();
        Arc::new(Self { settings, vars, folder, door, guard, local, table })
    }

    /// The user's settings.
    #[must_use]
    pub fn settings(&self) -> &BrowserSettings {
        &self.settings
    }

    /// The rules for the browsers of the provider of the settings.
    ///
    /// # Errors
    /// The settings name a provider nobody knows.
    pub fn guard(&self) -> Result<AddressGuard, BrowserError> {
        Ok(self.guard.at(self.provider()?.reach()))
    }

    /// The rules for a browser on this machine.
    #[must_use]
    pub fn local_guard(&self) -> AddressGuard {
        self.guard.at(self.local.reach())
    }

    fn provider(&self) -> Result<Arc<dyn BrowserProvider>, BrowserError> {
        choose(&self.settings, &self.vars, &self.door, &self.local)
    }

    /// The browser a task was led somewhere with last; started if there is none.
    ///
    /// # Errors
    /// It does not come up.
    pub async fn current(self: &Arc<Self>, task: &str) -> Result<SessionLease, BrowserError> {
        let key = self.table().current.get(task).cloned().unwrap_or_else(|| task.to_owned());
        let provider = self.provider_of(&key)?;
        self.open(key, provider).await
    }

    /// The browser for addresses of the internet.
    ///
    /// # Errors
    /// It does not come up.
    pub async fn main(self: &Arc<Self>, task: &str) -> Result<SessionLease, BrowserError> {
        self.open(task.to_owned(), self.provider()?).await
    }

    /// The second browser of a task, on this machine.
    ///
    /// # Errors
    /// It does not come up.
    pub async fn beside(self: &Arc<Self>, task: &str) -> Result<SessionLease, BrowserError> {
        self.open(format!("{task}{LOCAL}"), Arc::new(self.local.clone())).await
    }

    /// Remembers that a task was led somewhere with this browser.
    pub fn led(&self, task: &str, key: &str) {
        self.table().current.insert(task.to_owned(), key.to_owned());
    }

    fn provider_of(&self, key: &str) -> Result<Arc<dyn BrowserProvider>, BrowserError> {
        if key.ends_with(LOCAL) { Ok(Arc::new(self.local.clone())) } else { self.provider() }
    }

    async fn open(
        self: &Arc<Self>,
        key: String,
        provider: Arc<dyn BrowserProvider>,
    ) -> Result<SessionLease, BrowserError> {
        let (slot, mut held) = loop {
            let slot = Arc::clone(self.table().slots.entry(key.clone()).or_default());
            slot.touch();
            let held = Arc::clone(&slot.session).lock_owned().await;
            // While this waited, the browser may have been closed and its place given up; nobody would find one there.
            if self.table().slots.get(&key).is_some_and(|known| Arc::ptr_eq(known, &slot)) {
                break (slot, held);
            }
        };
        if held.as_ref().is_some_and(|session| !session.browser.is_alive())
            && let Some(dead) = held.take()
        {
            dead.close().await;
        }
        if held.is_none() {
            *held = Some(self.start(&key, provider).await?);
        }
        self.look_after();
        Ok(SessionLease { held, slot, key })
    }

    async fn start(
        &self,
        key: &str,
        provider: Arc<dyn BrowserProvider>,
    ) -> Result<BrowserSession, BrowserError> {
        let failed = |error: &dyn std::fmt::Display| BrowserError::Launch(error.to_string());
        ensure_private_dir(&self.folder).map_err(|error| failed(&error))?;
        let swept = self.folder.clone();
        // Nobody waits for what others left behind.
        tokio::spawn(async move { sweep_profiles(&swept).await });
        let downloads = self.folder.join("downloads").join(folder_name(key));
        ensure_private_dir(&downloads).map_err(|error| failed(&error))?;
        let options =
            BrowserOptions { downloads: Some(downloads), ..BrowserOptions::from(&self.settings) };
        let mut fallback = None;
        let (opened, provider) = match open_or_give_back(&provider, options.clone()).await {
            Ok(opened) => (opened, provider),
            // Somebody who names a running browser wants that one and no other.
            Err(error @ BrowserError::Provider { .. }) if provider.name() != "cdp" => {
                let local: Arc<dyn BrowserProvider> = Arc::new(self.local.clone());
                tracing::warn!(%error, "a browser on this machine takes its place");
                let Ok(opened) = local.open(options).await else { return Err(error) };
                fallback =
                    Some(CloudFallback { provider: provider.name(), reason: error.to_string() });
                (opened, local)
            }
            Err(error) => return Err(error),
        };
        let OpenedBrowser { browser, id, features } = opened;
        let recording = self
            .settings
            .record_sessions
            .then(|| SessionRecording::begin(&self.folder.join("recordings"), &folder_name(key)));
        Ok(BrowserSession {
            browser,
            guard: self.guard.at(provider.reach()),
            provider,
            fallback,
            features,
            navigated: false,
            recording: recording.flatten(),
            id,
        })
    }

    /// Ends the browsers of a task.
    pub async fn close_task(&self, task: &str) {
        self.table().current.remove(task);
        for key in [task.to_owned(), format!("{task}{LOCAL}")] {
            let slot = self.table().slots.remove(&key);
            if let Some(slot) = slot {
                close(&slot).await;
            }
        }
    }

    /// Ends all browsers.
    pub async fn close_all(&self) {
        let slots: Vec<Arc<Slot>> = {
            let mut table = self.table();
            table.current.clear();
            table.slots.drain().map(|(_, slot)| slot).collect()
        };
        futures_util::future::join_all(slots.iter().map(|slot| close(slot))).await;
    }

    /// Closes browsers that nobody used for as long as this, and tells how many.
    pub async fn close_idle(&self, limit: Duration) -> usize {
        let idle: Vec<(String, Arc<Slot>)> = {
            let table = self.table();
            let idle = table.slots.iter().filter(|(_, slot)| slot.idle() >= limit);
            idle.map(|(key, slot)| (key.clone(), Arc::clone(slot))).collect()
        };
        let mut closed = 0;
        for (key, slot) in idle {
            // One that is in use is not idle.
            let Ok(mut session) = Arc::clone(&slot.session).try_lock_owned() else { continue };
            if slot.idle() < limit {
                continue;
            }
            let ended = session.take();
            {
                let mut table = self.table();
                // Another may stand in its place by now.
                if table.slots.get(&key).is_some_and(|known| Arc::ptr_eq(known, &slot)) {
                    table.slots.remove(&key);
                }
            }
            if let Some(ended) = ended {
                closed += 1;
                ended.close().await;
            }
        }
        closed
    }

    /// Looks for idle browsers from time to time, for as long as there are any.
    fn look_after(self: &Arc<Self>) {
        if std::mem::replace(&mut self.table().reaper_runs, true) {
            return;
        }
        let (sessions, limit) = (Arc::downgrade(self), self.settings.inactivity_timeout());
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(ROUND).await;
                let Some(sessions) = Weak::upgrade(&sessions) else { return };
                sessions.close_idle(limit).await;
                let mut table = sessions.table();
                if table.slots.is_empty() {
                    table.reaper_runs = false;
                    return;
                }
            }
        });
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a browser. If whoever asked stops waiting, it is given back as soon as it is there.
async fn open_or_give_back(
    provider: &Arc<dyn BrowserProvider>,
    options: BrowserOptions,
) -> Result<OpenedBrowser, BrowserError> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let provider = Arc::clone(provider);
    tokio::spawn(async move {
        let opened = provider.open(options).await;
        if let Err(Ok(OpenedBrowser { browser, id, .. })) = sender.send(opened) {
            browser.close().await;
            if !id.is_empty() {
                provider.release(id).await;
            }
        }
    });
    let ended = || BrowserError::Launch("starting it ended early".to_owned());
    receiver.await.unwrap_or_else(|_| Err(ended()))
}

async fn close(slot: &Slot) {
    let session = slot.session.lock().await.take();
    if let Some(session) = session {
        session.close().await;
    }
}

/// A task's name as that of a folder.
fn folder_name(key: &str) -> String {
    /// Longer names are of no use to anybody.
    const LONGEST: usize = 60;
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    key.chars().take(LONGEST).map(plain).collect()
}
