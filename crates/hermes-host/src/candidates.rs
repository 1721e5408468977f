//! Names that a shell may offer: sessions, tools, toolsets, keys, models, profiles.
//!
//! Asked while somebody types, so each is quick, says nothing when something is wrong, and starts nothing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::time::Duration;

use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use hermes_llm::EndpointChoice;
use hermes_sessions::{ListFilter, SessionDatabase};
use hermes_tool::settings::KeyTable;

use crate::models::ModelSources;
use crate::{Host, HostOptions, PLATFORM};

/// Sessions that are offered.
const MAX_SESSIONS: usize = 50;
/// How long a server may take to name its models.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Names, each with a word about it.
type Candidates = BTreeMap<String, String>;

fn offer(typed: &OsStr, find: impl FnOnce(&Host) -> Candidates) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    // What is wrong with the installation is told by commands, not while somebody types.
    let Ok(host) = Host::open(HostOptions::default()) else { return Vec::new() };
    let fits = find(&host).into_iter().filter(|(name, _)| name.starts_with(&*typed));
    fits.map(|(name, about)| {
        CompletionCandidate::new(name).help((!about.is_empty()).then(|| about.into()))
    })
    .collect()
}

/// Offers the newest sessions by id.
#[must_use]
pub fn sessions() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, Host::session_candidates))
}

/// Offers the tools that are linked in.
#[must_use]
pub fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, Host::tool_candidates))
}

/// Offers toolsets.
#[must_use]
pub fn toolsets() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, Host::toolset_candidates))
}

/// Offers keys of the configuration.
#[must_use]
pub fn keys() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let keys = KeyTable::linked().keys().iter().filter(|key| !key.hidden);
        offer(typed, |_| keys.map(|key| (key.path.to_string(), key.about.to_string())).collect())
    })
}

/// Offers the models that the configured server names.
#[must_use]
pub fn models() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        offer(typed, |host| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map(|runtime| runtime.block_on(host.model_candidates())).unwrap_or_default()
        })
    })
}

/// Offers profiles.
#[must_use]
pub fn profiles() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| offer(typed, Host::profile_candidates))
}

impl Host {
    /// The newest sessions by id, with their titles.
    fn session_candidates(&self) -> Candidates {
        let file = self.home().state_db();
        if !file.exists() {
            return Candidates::new();
        }
        let filter = ListFilter { limit: Some(MAX_SESSIONS), ..ListFilter::default() };
        let found = SessionDatabase::at(&file).list(&filter).unwrap_or_default();
        let about = |title: Option<String>, preview: String| title.unwrap_or(preview);
        found.into_iter().map(|row| (row.id, about(row.title, row.preview))).collect()
    }

    /// Every tool that is linked in, with its toolset.
    fn tool_candidates(&self) -> Candidates {
        let runtime = self.runtime();
        let tables = runtime.registry().snapshot();
        let tools = tables.tools().into_iter();
        tools.map(|tool| (tool.name().to_string(), tool.toolset().to_string())).collect()
    }

    /// Every toolset; those of the command line are marked.
    fn toolset_candidates(&self) -> Candidates {
        let runtime = self.runtime();
        let enabled = self.platform_toolsets(&runtime, PLATFORM);
        let tables = runtime.registry().snapshot();
        let about = |name: &str| match enabled.iter().any(|on| on == name) {
            true => "on".to_owned(),
            false => String::new(),
        };
        let names = tables.tools().into_iter().map(|tool| tool.toolset().to_string());
        names.map(|name| (name.clone(), about(&name))).collect()
    }

    /// The models that the configured server names.
    async fn model_candidates(&self) -> Candidates {
        let asked = async {
            let sources = ModelSources::of(self);
            sources.offered(&EndpointChoice::default()).await.ok()
        };
        let offered = tokio::time::timeout(PATIENCE, asked).await.ok().flatten();
        offered.into_iter().flatten().map(|model| (model.id, String::new())).collect()
    }

    /// The profiles beside the home.
    fn profile_candidates(&self) -> Candidates {
        let root = self.home().of_default_profile().unwrap_or_else(|| self.home().clone());
        let entries = std::fs::read_dir(root.profiles()).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        folders
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), String::new()))
            .collect()
    }
}
