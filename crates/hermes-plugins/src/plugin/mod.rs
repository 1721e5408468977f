//! One plugin under supervision: started when it is needed, started again when it falls.
//!
//! A [`Plugin`] is there as long as the session; its process comes and goes. The first use starts
//! it, or [`Plugin::wake`] does beforehand. If it dies, calls under way fail and are not repeated,
//! for nobody knows what they did; the next use starts it again, after a pause that grows with every
//! failure in a row. After [`MAX_FAILURES`] of them it is left alone. One that ran for [`STABLE`]
//! begins with a clean sheet.
//!
//! What it brings is put into the runtime by the modules below ([`attach`], `tools`, `hooks`,
//! `middleware`), from the record of its last run or from its own words, whichever is there first.

mod attach;
mod hooks;
mod launch;
mod middleware;
mod serve;
pub(crate) mod skill_files;
mod tools;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use serde_json::{Map, Value, json};
use tokio_util::task::AbortOnDropHandle;

pub(crate) use self::attach::PluginState;
use crate::discover::FoundPlugin;
use crate::error::PluginError;
use crate::link::{About, LinkError, PluginLink};
use crate::log::Log;
use crate::protocol::{Registrations, VERSION};
use crate::record::RunRecord;
use crate::shared::PluginContext;

/// Failures in a row after which a plugin is left alone.
pub(crate) const MAX_FAILURES: u32 = 5;
/// A plugin that ran this long is sound.
pub(crate) const STABLE: Duration = Duration::from_secs(60);
/// Pauses before the next start, by failures in a row.
const PAUSES: [Duration; MAX_FAILURES as usize] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// A plugin that is loaded.
pub(crate) struct Plugin {
    pub(crate) found: FoundPlugin,
    pub(crate) shared: Arc<PluginContext>,
    pub(crate) log: Arc<Log>,
    fingerprint: String,
    /// The process, while there is one.
    live: ArcSwapOption<PluginLink>,
    /// Held while it is started, so that it is started once.
    starting: tokio::sync::Mutex<Trouble>,
    book: Mutex<PluginState>,
}

/// How often it failed lately.
#[derive(Default)]
struct Trouble {
    failures: u32,
    last: Option<(Instant, String)>,
}

impl Plugin {
    /// A plugin with what is known of its last run. Starts nothing.
    pub(crate) fn new(found: FoundPlugin, shared: Arc<PluginContext>) -> Arc<Self> {
        let fingerprint = shared.fingerprint(&found);
        let record = RunRecord::load(&shared.home, &found.key);
        let log = Arc::new(Log::new(&found.key, &shared.log_folder(), shared.echo));
        let plugin = Arc::new(Self {
            found,
            shared,
            log,
            fingerprint,
            live: ArcSwapOption::empty(),
            starting: tokio::sync::Mutex::default(),
            book: Mutex::default(),
        });
        if let Some(record) = record {
            let is_current = record.fingerprint == plugin.fingerprint;
            plugin.book().is_current = is_current;
            plugin.book().runs_on = record.runs_on;
            attach::attach(&plugin, record.brings);
        }
        plugin
    }

    pub(crate) fn key(&self) -> &str {
        &self.found.key
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, PluginState> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what it brings is known well enough to begin without it.
    pub(crate) fn is_current(&self) -> bool {
        self.book().is_current
    }

    /// The process, if one runs.
    pub(crate) fn live(&self) -> Option<Arc<PluginLink>> {
        self.live.load_full().filter(|link| !link.is_gone())
    }

    /// Starts it if it does not run.
    pub(crate) async fn wake(self: &Arc<Self>) -> Result<(), PluginError> {
        self.link().await.map(drop)
    }

    /// Asks it for something, on the shared runtime; the caller may be anywhere. Who no longer waits
    /// takes the request back.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        method: &'static str,
        params: Value,
        about: About,
        deadline: Duration,
    ) -> Result<Value, PluginError> {
        let plugin = Arc::clone(self);
        let asked = self.shared.spawn(async move {
            let link = plugin.link().await?;
            let answered = link.ask(method, &params, about, deadline).await;
            answered.map_err(|error| plugin.failed(error))
        });
        AbortOnDropHandle::new(asked).await.ok().flatten().unwrap_or(Err(PluginError::Closed))
    }

    fn failed(&self, error: LinkError) -> PluginError {
        if !matches!(error, LinkError::Failed(_)) {
            tracing::warn!("plugin '{}': {error}", self.key());
        }
        PluginError::call(self.key(), error)
    }

    /// The running process, started if need be.
    async fn link(self: &Arc<Self>) -> Result<Arc<PluginLink>, PluginError> {
        if let Some(link) = self.live() {
            return Ok(link);
        }
        let mut trouble = self.starting.lock().await;
        if let Some(link) = self.live() {
            return Ok(link);
        }
        if let Some(dead) = self.live.swap(None) {
            let end = dead.end().unwrap_or_else(|| "ended".to_owned());
            trouble.note(end, dead.age());
        }
        trouble.pause(self).await?;
        match self.start().await {
            Ok(link) => {
                self.live.store(Some(Arc::clone(&link)));
                self.book().error = None;
                Ok(link)
            }
            Err(error) => {
                trouble.note(error.to_string(), Duration::ZERO);
                tracing::warn!("{error}");
                self.book().error = Some(error.to_string());
                Err(error)
            }
        }
    }

    /// Starts the process and hears what it brings.
    async fn start(self: &Arc<Self>) -> Result<Arc<PluginLink>, PluginError> {
        let command = launch::command(self)?;
        let serve = Arc::new(serve::PluginRequests::of(self));
        let link = PluginLink::open(command, serve, Arc::clone(&self.log))
            .map_err(|source| PluginError::Start { plugin: self.key().to_owned(), source })?;
        let deadline = self.shared.settings.start_timeout();
        let hello = link.ask("hello", &self.hello(), About::Nothing, deadline).await;
        let hello = hello.map_err(|error| {
            link.kill("did not load and has been ended");
            let why = match error {
                LinkError::Failed(failure) => match failure.kind {
                    Some(kind) => format!("{kind}: {}", failure.message),
                    None => failure.message,
                },
                other => other.to_string(),
            };
            let log = self.log.path().to_owned();
            PluginError::Load { plugin: self.key().to_owned(), why, log }
        })?;
        if hello["protocol"].as_u64() != Some(VERSION) {
            link.kill("speaks another version of the protocol");
            let theirs = match &hello["protocol"] {
                Value::Null => "none".to_owned(),
                version => version.to_string(),
            };
            return Err(PluginError::Version { plugin: self.key().to_owned(), theirs });
        }
        let brings: Registrations =
            serde_json::from_value(hello["register"].clone()).unwrap_or_default();
        self.learn(brings, hello["runs_on"].as_str().map(str::to_owned));
        Ok(link)
    }

    /// Takes note of what it brings.
    fn learn(self: &Arc<Self>, brings: Registrations, runs_on: Option<String>) {
        let is_known = {
            let mut book = self.book();
            let is_known = book.is_current && book.brings == brings && book.runs_on == runs_on;
            book.is_current = true;
            book.runs_on.clone_from(&runs_on);
            is_known
        };
        if !is_known {
            attach::attach_and_tell(self, brings.clone());
            let record = RunRecord { fingerprint: self.fingerprint.clone(), runs_on, brings };
            record.save(&self.shared.home, self.key());
        }
    }

    /// The first words to a plugin.
    fn hello(&self) -> Value {
        let (found, shared) = (&self.found, &self.shared);
        let manifest = &found.manifest;
        let settings = shared.settings.entry(&found.key, &manifest.name);
        let tables = shared.runtime.registry().snapshot();
        let own = self.book().tools.clone();
        let tools: Map<String, Value> = tables
            .tools()
            .into_iter()
            .filter(|tool| !own.contains(&tool.name().to_string()))
            .map(|tool| (tool.name().to_string(), tool.toolset().as_ref().into()))
            .collect();
        json!({
            "protocol": VERSION,
            "host": {"name": "hermes", "version": env!("CARGO_PKG_VERSION")},
            "plugin": {
                "key": found.key,
                "name": manifest.name,
                "version": manifest.version,
                "description": manifest.description,
                "dir": found.folder,
                "entry_point": launch::entry_point(found),
                "manifest": manifest.raw,
            },
            "settings": settings.cloned().unwrap_or_default(),
            "home": shared.home.root(),
            "profile": shared.profile,
            "allow_tool_override": self.may_override(),
            "taken": {"tools": tools, "commands": shared.reserved_commands},
        })
    }

    fn may_override(&self) -> bool {
        self.found.source == crate::discover::PluginSource::Bundled
            || self.shared.settings.allows_override(self.key(), &self.found.manifest.name)
    }

    /// Ends the process, if there is one.
    pub(crate) async fn close(&self) {
        if let Some(link) = self.live.swap(None) {
            link.close().await;
        }
    }
}

impl Trouble {
    fn note(&mut self, what: String, age: Duration) {
        self.failures = if age >= STABLE { 1 } else { self.failures + 1 };
        self.last = Some((Instant::now(), what));
    }

    /// Waits until the next attempt is due; refuses one after too many failures.
    async fn pause(&self, plugin: &Plugin) -> Result<(), PluginError> {
        let Some((when, why)) = &self.last else { return Ok(()) };
        let Some(pause) = PAUSES.get(self.failures as usize) else {
            return Err(PluginError::GivenUp {
                plugin: plugin.key().to_owned(),
                failures: self.failures,
                why: why.clone(),
                log: plugin.log.path().to_owned(),
            });
        };
        tokio::time::sleep(pause.saturating_sub(when.elapsed())).await;
        Ok(())
    }
}
