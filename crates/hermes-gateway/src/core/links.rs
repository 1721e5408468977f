//! Platforms: made from the settings, connected, connected again; and the files that go through them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hermes_host::{AgentFactory, Host};
use hermes_store::atomic::{self, ExistingMode, WriteOptions};
use hermes_tool::settings::Settings;
use tokio_util::sync::CancellationToken;

use super::present::DisplayChoice;
use super::{Asking, Gateway};
use crate::adapter::{
    AdapterSetup, InboundMedia, Inbox, Intake, LinkError, MediaKind, Platform, SetupError,
    ToolProgress, platforms,
};
use crate::link::Link;
use crate::media::kind_of;
use crate::pairing::Pairing;
use crate::settings::{BusySettings, GatewaySettings, ResetSettings};
use crate::who::Policy;

/// Pauses before a platform is tried again.
const PAUSES: [u64; 6] = [2, 30, 60, 120, 240, 300];
/// Text files up to this size are read to the model.
const INLINE: usize = 100 * 1024;

/// What is shown of a turn, for all platforms and for one.
#[derive(Settings)]
#[settings(path = "display", open)]
struct ChatDisplay {
    /// What is shown of a turn in the chats of a platform, by its name.
    platforms: std::collections::BTreeMap<String, PlatformDisplay>,
}

/// What is shown of a turn on one platform.
#[derive(Clone, Settings)]
#[settings(open)]
struct PlatformDisplay {
    /// Which tool calls are shown: off, new, all, verbose, log.
    tool_progress: Option<ToolProgress>,
    /// Whether the answer appears as it is written.
    streaming: Option<bool>,
    /// Whether what is said between tool calls is sent as messages of its own.
    interim_assistant_messages: Option<bool>,
}

/// Platforms at work, by name.
type Links = BTreeMap<&'static str, Arc<Link>>;

/// The platforms that are set up, and why others that should be are not.
pub(crate) fn open_links(
    host: &Host,
    settings: &GatewaySettings,
) -> (Links, Vec<(&'static Platform, SetupError)>) {
    let (mut links, mut problems) = (BTreeMap::new(), Vec::new());
    for platform in platforms() {
        let setup = AdapterSetup::new(platform, host.config().value(), host.vars());
        if !setup.is_on_duty() {
            continue;
        }
        match link_of(host, settings, platform, setup) {
            Ok(link) => _ = links.insert(platform.name, Arc::new(link)),
            Err(problem) => problems.push((platform, problem)),
        }
    }
    (links, problems)
}

/// One platform that is set up.
pub(crate) fn link_of(
    host: &Host,
    settings: &GatewaySettings,
    platform: &'static Platform,
    setup: AdapterSetup,
) -> Result<Link, SetupError> {
    let adapter = (platform.open)(setup.clone())?;
    let stranger = settings.unauthorized_dm_behavior;
    let policy = Policy::read(platform, &setup, host.vars(), stranger);
    Ok(Link::new(platform, adapter, setup, policy))
}

impl Gateway {
    pub(crate) fn new(
        host: &Host,
        factory: AgentFactory,
        links: BTreeMap<&'static str, Arc<Link>>,
        asking: Arc<Asking>,
        broken: Vec<(&'static str, String)>,
    ) -> Arc<Self> {
        let (config, vars) = (host.config().value(), host.vars());
        Arc::new(Self {
            store: factory.store().clone(),
            settings: GatewaySettings::read(config, vars),
            busy: BusySettings::read(config, vars),
            reset: ResetSettings::read(config, vars),
            pairing: Pairing::at(host.home().root()),
            host: host.clone(),
            factory,
            links,
            lanes: super::Mutex::default(),
            held: super::Mutex::default(),
            let_go: super::Mutex::default(),
            sending: super::Mutex::default(),
            arriving: super::Mutex::default(),
            broken,
            asking,
            recent: super::Mutex::default(),
            news: super::Notify::new(),
            minded: super::Mutex::default(),
            draining: AtomicBool::new(false),
            restart: CancellationToken::new(),
            owner: std::process::id().to_string(),
        })
    }

    /// Keeps a platform connected until the gateway ends.
    pub(crate) async fn keep_connected(self: Arc<Self>, link: Arc<Link>, stop: CancellationToken) {
        let name = link.platform.name;
        let (mut failures, mut is_first) = (0_usize, true);
        let mut resting = link.resting.subscribe();
        loop {
            if *resting.borrow_and_update() {
                link.set_health("paused", None);
                tokio::select! {
                    _ = resting.changed() => continue,
                    () = stop.cancelled() => break,
                }
            }
            let intake: Arc<dyn Intake> = Arc::clone(&self) as Arc<dyn Intake>;
            let inbox = Inbox::new(name, intake);
            let most = self.settings.platform_connect_timeout.duration();
            let connected = tokio::select! {
                connected = tokio::time::timeout(most, link.adapter.connect(inbox)) => connected,
                () = stop.cancelled() => break,
            };
            let error =
                match connected.unwrap_or_else(|_| Err(LinkError::retry("no answer in time"))) {
                    Ok(receiving) => {
                        failures = 0;
                        link.set_health("connected", None);
                        tracing::info!(platform = name, "connected");
                        let gateway = Arc::clone(&self);
                        let back = Arc::clone(&link);
                        let is_start = std::mem::take(&mut is_first);
                        tokio::spawn(async move {
                            gateway.say_back(&back).await;
                            // What this process owes since has its sender already.
                            if is_start {
                                gateway.recover_outbox(back.platform.name).await;
                            }
                        });
                        tokio::select! {
                            error = receiving => error,
                            _ = resting.changed() => continue,
                            () = stop.cancelled() => break,
                        }
                    }
                    Err(error) => error,
                };
            match &error {
                LinkError::Fatal { .. } => {
                    tracing::error!(platform = name, %error, "given up");
                    link.set_health("fatal", Some(error.to_string()));
                    tokio::select! {
                        _ = resting.changed() => failures = 0,
                        () = stop.cancelled() => break,
                    }
                }
                LinkError::Retry { after, .. } => {
                    tracing::warn!(platform = name, %error, "lost; it is tried again");
                    link.set_health("retrying", Some(error.to_string()));
                    let usual = PAUSES.get(failures.min(PAUSES.len() - 1)).copied().unwrap_or(300);
                    let jitter = hermes_store::clock::random() % 500;
                    let first = if failures == 0 {
                        Duration::from_millis(200 + jitter)
                    } else {
                        Duration::from_secs(usual)
                    };
                    failures += 1;
                    tokio::select! {
                        () = tokio::time::sleep(after.unwrap_or(first)) => {}
                        _ = resting.changed() => {}
                        () = stop.cancelled() => break,
                    }
                }
            }
        }
        let _ = tokio::time::timeout(Duration::from_secs(5), link.adapter.disconnect()).await;
    }

    /// What is shown of a turn on a platform.
    pub(super) fn display(&self, platform: &Platform) -> DisplayChoice {
        let all = ChatDisplay::read(self.host.config().value(), self.host.vars()).platforms;
        let own = all.get(platform.name).cloned().unwrap_or_default();
        let can_edit = platform.capabilities.edit;
        DisplayChoice {
            streaming: can_edit && own.streaming.unwrap_or(platform.display.streaming),
            interim: own.interim_assistant_messages.unwrap_or(platform.display.interim_messages),
            tools: own.tool_progress.unwrap_or(platform.display.tool_progress),
            typing: platform.capabilities.typing,
            note_after: Some(self.settings.notify_interval.duration())
                .filter(|wait| platform.display.long_running_notes && !wait.is_zero()),
        }
    }

    /// Fetches a file that came in; a note for the model, and the picture if it is one.
    pub(super) async fn take_in(
        &self,
        link: &Link,
        media: &InboundMedia,
    ) -> (String, Option<PathBuf>) {
        let name = media.name.as_deref().map(crate::key::harmless).unwrap_or_default();
        let most = self.settings.max_inbound_media_bytes;
        if media.size.is_some_and(|size| size > most) {
            return (format!("[A file was sent that is too large to take in: {name}]"), None);
        }
        let bytes = match link.adapter.fetch(media, most).await {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::warn!(platform = link.platform.name, %error, "a file was not fetched");
                let what = media.description.clone().unwrap_or_else(|| format!("a file {name}"));
                return (format!("[Sent, but could not be fetched: {what}]"), None);
            }
        };
        let (kind, _) = kind_of(&bytes, std::path::Path::new(&name));
        let folder = match kind {
            MediaKind::Photo => "images",
            MediaKind::Voice | MediaKind::Audio => "audio",
            MediaKind::Video => "videos",
            MediaKind::Document => "documents",
        };
        let ending: String = std::path::Path::new(&name)
            .extension()
            .map(|ending| {
                ending
                    .to_string_lossy()
                    .chars()
                    .filter(char::is_ascii_alphanumeric)
                    .take(8)
                    .collect()
            })
            .unwrap_or_default();
        let ending = match (ending.is_empty(), kind) {
            (true, MediaKind::Photo) => "jpg".to_owned(),
            (true, _) => "bin".to_owned(),
            (false, _) => ending,
        };
        let folder = self.host.home().cache().join(folder);
        let path = folder.join(format!("in-{}.{ending}", super::token(16)));
        let options = WriteOptions { mode: 0o600, existing: ExistingMode::Replace };
        let stored = hermes_store::home::ensure_private_dir(&folder)
            .and_then(|()| atomic::write(&path, &bytes, options));
        if let Err(error) = stored {
            tracing::warn!(%error, "a file was not stored");
            return ("[A file was sent that could not be stored]".to_owned(), None);
        }
        let shown = path.display();
        match kind {
            MediaKind::Photo => (format!("[Picture: {shown}]"), Some(path)),
            MediaKind::Document => match std::str::from_utf8(&bytes) {
                Ok(text) if bytes.len() <= INLINE && !text.contains('\0') => {
                    (format!("[File {name}, stored as {shown}:]\n{text}\n[End of file]"), None)
                }
                _ => (format!("[File {name}, stored as {shown}]"), None),
            },
            _ => (format!("[Recording {name}, stored as {shown}]"), None),
        }
    }

    /// Whether platforms are connected, for people who wait for it. Scheduled jobs alone wait for nobody.
    pub(crate) fn is_connected(&self) -> bool {
        self.links.is_empty() || self.links.values().any(|link| link.health().state == "connected")
    }

    /// Nothing new begins.
    pub(crate) fn begin_drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }
}
