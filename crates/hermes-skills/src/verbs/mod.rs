//! Skills as words: the same for `hermes skills …`, `hermes curator …` and for `/skills …` in a chat.
//!
//! [`run`] and [`run_curator`] do one verb and give back what to print ([`VerbReport`]); who calls them only lays it out.
//! One module a group of verbs; those of the hub are with the hub ([`crate::hub::verbs`]).

mod args;
mod author;
mod bundled;
mod bundles;
mod curator;
mod listed;
mod offered;
mod pending;
mod scanned;

pub use args::{
    BundledVerb, BundlesVerb, CuratorVerb, PendingVerb, ScanArgs, SkillsListArgs, SkillsVerb,
};

use std::sync::Arc;

use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::Value;

use crate::SkillLibrary;
use crate::hub::HubContext;
use crate::hub::verbs::{self as hub_verbs, VerbFront};
use crate::plugin_skills::PluginSkills;
use crate::report::VerbReport;
use crate::scan::AuditModel;

/// Why a verb could not be done: a sentence for a person.
pub type VerbError = Box<dyn std::error::Error + Send + Sync>;

/// Where a verb works.
pub struct VerbContext<'a> {
    home: &'a Home,
    config: &'a Value,
    vars: &'a Vars,
    library: SkillLibrary,
    auditor: Option<Arc<dyn AuditModel>>,
}

impl<'a> VerbContext<'a> {
    /// A home with its settings. Touches nothing.
    #[must_use]
    pub fn new(home: &'a Home, config: &'a Value, vars: &'a Vars) -> Self {
        Self { home, config, vars, library: SkillLibrary::new(home), auditor: None }
    }

    /// The same with a model that may look at skills, where the settings want that.
    #[must_use]
    pub fn with_auditor(self, auditor: Option<Arc<dyn AuditModel>>) -> Self {
        Self { auditor, ..self }
    }

    /// The same with the skills of plugins.
    #[must_use]
    pub fn with_plugin_skills(self, plugins: Option<Arc<dyn PluginSkills>>) -> Self {
        if let Some(plugins) = plugins {
            self.library.set_plugin_skills(plugins);
        }
        self
    }

    fn store(&self) -> crate::SkillStore<'_> {
        self.library.store(self.config, self.vars)
    }
}

/// Does what the words say.
///
/// # Errors
/// When it cannot be done; the hub reports its failures instead.
pub async fn run(
    place: &VerbContext<'_>,
    verb: &SkillsVerb,
    front: &dyn VerbFront,
) -> Result<VerbReport, VerbError> {
    match verb {
        SkillsVerb::Hub(verb) => {
            let hub = HubContext::new(place.home, place.config, place.vars)
                .with_auditor(place.auditor.clone());
            Ok(hub_verbs::run(&hub, verb, front).await)
        }
        SkillsVerb::New { name, description, path } => {
            author::new(place, name, description, path.as_deref())
        }
        SkillsVerb::Lint { path, json } => author::lint(path, *json),
        SkillsVerb::Scan(args) => scanned::scan(place, args).await,
        SkillsVerb::List(args) => Ok(listed::list(place, args)),
        SkillsVerb::View { name, file, json } => listed::view(place, name, file.as_deref(), *json),
        SkillsVerb::Config { name, enable, disable: _, platform } => {
            offered::toggle(place, name, *enable, platform.as_deref())
        }
        SkillsVerb::Pending(verb) => pending::run(place, verb),
        SkillsVerb::Bundled(verb) => bundled::run(place, verb),
    }
}

/// Does what the words of the curator say.
///
/// # Errors
/// When it cannot be done.
pub async fn run_curator(
    place: &VerbContext<'_>,
    verb: &CuratorVerb,
) -> Result<VerbReport, VerbError> {
    curator::run(place, verb).await
}

/// Does what the words about bundles say.
///
/// # Errors
/// When it cannot be done.
pub fn run_bundles(place: &VerbContext<'_>, verb: &BundlesVerb) -> Result<VerbReport, VerbError> {
    bundles::run(place, verb)
}

/// A number of things: `1 skill`, `2 skills`.
fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
