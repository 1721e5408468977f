//! The Skills Hub: other people's skills, found, looked at and installed.
//!
//! Skills come from ten [`sources`], all behind one trait. Whatever the source, a skill takes the same way:
//!
//! > identifier taken apart ([`identifier`]) → fetched whole through the HTTP door ([`http`], [`github`]) into a
//! > [`bundle`] with limits → written to quarantine → scanned ([`scan`]) → policy → shown to a person, who agrees →
//! > moved into place and recorded, both or neither ([`state::change`]) → logged
//!
//! [`install`] is that way; [`update`] takes it again for what is installed, and keeps what the user edited;
//! [`search`] asks all sources at once; `snapshot` and `publish` take skills elsewhere. [`verbs`] is all of this
//! as words of a command line or of a chat.
//!
//! # What never happens here
//!
//! Nothing that was fetched is run. No rule is lifted by a flag where the policy says so. No tool leads here: a model
//! can neither search nor install, only a person can. What the user wrote or changed is not overwritten; it is moved to
//! the archive when he insists.

pub mod bundle;
mod error;
pub mod github;
pub mod http;
pub mod identifier;
pub mod install;
mod publish;
pub mod record;
pub mod scan;
pub mod search;
pub mod settings;
mod snapshot;
pub mod sources;
pub mod state;
#[cfg(test)]
mod tests;
pub mod update;
pub mod verbs;

pub use error::HubError;

use std::sync::Arc;

use hermes_store::home::Home;
use hermes_tool::Vars;
use hermes_tool::settings::Settings as _;
use hermes_web::{DoorOptions, HttpDoor};
use serde_json::Value;

use crate::layout::SkillsHome;
use crate::scan::AuditModel;
use bundle::BundleFiles;
use github::GitHub;
use github::auth::GitHubAuth;
use http::HubHttp;
use scan::{BundleReport, Strictness};
use settings::{HubSettings, HubTrustSettings};
use sources::HubSource;
use state::HubState;

/// What sources work with.
pub struct HubContext {
    /// Where registries are.
    pub settings: HubSettings,
    /// How far origins are believed, and how strict the scan is.
    pub trust: HubTrustSettings,
    /// What is on the disk.
    pub state: HubState,
    /// The network.
    pub http: HubHttp,
    /// Repositories.
    pub github: GitHub,
    sources: Vec<Box<dyn HubSource>>,
    auditor: Option<Arc<dyn AuditModel>>,
}

impl HubContext {
    /// The hub of a home. Touches neither disk nor network.
    #[must_use]
    pub fn new(home: &Home, config: &Value, vars: &Vars) -> Self {
        let settings = HubSettings::read(config, vars);
        let trust = HubTrustSettings::read(config, vars);
        let state = HubState::new(&SkillsHome::new(home));
        let mut options = DoorOptions::read(config, vars, home.root());
        options.own_origins = settings.own_origins();
        let http = HubHttp::new(HttpDoor::new(options), &state);
        let github =
            GitHub::new(http.clone(), &settings, &trust.trusted_repos, GitHubAuth::new(vars));
        Self { settings, trust, state, http, github, sources: sources::all(), auditor: None }
    }

    /// The same with a model that may look at skills, where the settings want that.
    #[must_use]
    pub fn with_auditor(self, auditor: Option<Arc<dyn AuditModel>>) -> Self {
        Self { auditor, ..self }
    }

    /// All sources, in the order in which an identifier is offered to them.
    #[must_use]
    pub fn sources(&self) -> &[Box<dyn HubSource>] {
        &self.sources
    }

    /// Has the scanner look at a bundle, as strictly as the user wants.
    #[must_use]
    pub fn scan(&self, files: &BundleFiles) -> BundleReport {
        let strict = self.trust.guard_strict;
        scan::scan(files, if strict { Strictness::EveryFinding } else { Strictness::Usual })
    }

    /// The source with this id.
    #[must_use]
    pub fn source(&self, id: &str) -> Option<&dyn HubSource> {
        self.sources.iter().find(|source| source.id() == id).map(AsRef::as_ref)
    }
}
