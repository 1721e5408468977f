//! The skills of a home, for whoever reads or changes them.
//!
//! A [`SkillLibrary`] is one home and what this process knows of it; it is shared by all sessions. Settings may differ
//! from one call to the next, so they come with each look: a [`SkillStore`] is the library as one call sees it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::Value;

use crate::bundled::{self, Stock, SyncReport};
use crate::declined::DeclinedVariables;
use crate::index::{SkillIndex, SkillTable};
use crate::layout::SkillsHome;
use crate::listing::KeptAnswers;
use crate::offer::OfferContext;
use crate::plugin_skills::PluginSkills;
use crate::roots::{SkillRoot, roots};
use crate::settings::SkillsSettings;
use crate::viewed::ViewedSkills;

/// One home and what this process knows of its skills.
#[derive(Debug)]
pub struct SkillLibrary {
    home: SkillsHome,
    index: Mutex<SkillIndex>,
    answers: Mutex<KeptAnswers>,
    viewed: ViewedSkills,
    declined: DeclinedVariables,
    plugins: OnceLock<Arc<dyn PluginSkills>>,
}

impl SkillLibrary {
    /// The skills of a home. Touches nothing.
    #[must_use]
    pub fn new(home: &Home) -> Self {
        Self {
            home: SkillsHome::new(home),
            index: Mutex::default(),
            answers: Mutex::default(),
            viewed: ViewedSkills::default(),
            declined: DeclinedVariables::default(),
            plugins: OnceLock::new(),
        }
    }

    /// Where everything lies.
    #[must_use]
    pub fn home(&self) -> &SkillsHome {
        &self.home
    }

    /// The library as a call with this configuration and these variables sees it.
    #[must_use]
    pub fn store<'a>(&'a self, config: &Value, vars: &'a Vars) -> SkillStore<'a> {
        let settings = SkillsSettings::from_config(config);
        let roots = roots(&self.home, &settings, vars);
        SkillStore { library: self, settings, vars, roots }
    }

    /// Has the skills of these plugins listed and served, too. Only the first call counts.
    pub fn set_plugin_skills(&self, plugins: Arc<dyn PluginSkills>) {
        let _ = self.plugins.set(plugins);
    }

    pub(crate) fn plugin_skills(&self) -> Option<&Arc<dyn PluginSkills>> {
        self.plugins.get()
    }

    /// Which files were viewed, in which turn.
    #[must_use]
    pub fn viewed(&self) -> &ViewedSkills {
        &self.viewed
    }

    /// Which variables people were asked for and left out.
    #[must_use]
    pub fn declined(&self) -> &DeclinedVariables {
        &self.declined
    }

    /// Puts the skills we ship into the home, where that is wanted and not done. Cheap when there is nothing to do.
    pub fn seed(&self, config: &Value, vars: &Vars) -> SyncReport {
        let report = {
            let store = self.store(config, vars);
            let needs_table = store.roots().len() > 1;
            let table = if needs_table { store.table() } else { Arc::default() };
            bundled::sync(&self.home, &Stock::of(vars), &table)
        };
        if report != SyncReport::default() {
            tracing::debug!(?report, "bundled skills");
            self.touch();
        }
        report
    }

    /// Something was written: the next look sees it, whatever the clocks say.
    pub fn touch(&self) {
        self.index().touch();
    }

    fn answers(&self) -> MutexGuard<'_, KeptAnswers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn index(&self) -> MutexGuard<'_, SkillIndex> {
        // What is behind the lock is rebuilt from the disk anyway.
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The library as one call sees it.
#[derive(Debug)]
pub struct SkillStore<'a> {
    library: &'a SkillLibrary,
    settings: SkillsSettings,
    vars: &'a Vars,
    roots: Vec<SkillRoot>,
}

impl<'a> SkillStore<'a> {
    /// Where everything lies.
    #[must_use]
    pub fn home(&self) -> &'a SkillsHome {
        &self.library.home
    }

    /// The library behind it.
    #[must_use]
    pub fn library(&self) -> &'a SkillLibrary {
        self.library
    }

    /// What the user decided.
    #[must_use]
    pub fn settings(&self) -> &SkillsSettings {
        &self.settings
    }

    /// Variables of the call.
    #[must_use]
    pub fn vars(&self) -> &'a Vars {
        self.vars
    }

    /// Folders with skills, the home's own first.
    #[must_use]
    pub fn roots(&self) -> &[SkillRoot] {
        &self.roots
    }

    /// The folder new skills go to.
    #[must_use]
    pub fn local_root(&self) -> PathBuf {
        self.library.home.root()
    }

    /// The skills as they are now.
    #[must_use]
    pub fn table(&self) -> Arc<SkillTable> {
        self.library.index().refresh(&self.roots, &self.library.home.snapshot_file())
    }

    /// The skills as lists show them: those of the folders, then those of plugins.
    #[must_use]
    pub fn listed_table(&self) -> Arc<SkillTable> {
        let brought = self.library.plugins.get().map(|plugins| plugins.all()).unwrap_or_default();
        let snapshot = self.library.home.snapshot_file();
        self.library.index().refresh_with(&self.roots, &snapshot, brought)
    }

    /// What a model is told that asks which skills there are, in one category or all. An answer is kept as long as
    /// the skills are the same and the same may be offered.
    #[must_use]
    pub fn list(&self, offers: OfferContext, category: Option<&str>) -> Value {
        self.library.answers().get(&self.listed_table(), offers, category)
    }

    /// What decides about offers on a platform.
    #[must_use]
    pub fn offers(&self, platform: Option<&str>) -> OfferContext {
        OfferContext::new(&self.settings, self.vars, platform)
    }
}
