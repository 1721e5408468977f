//! What plugins are loaded from, and which of them are.

use std::path::PathBuf;

use hermes_runtime::bridge::block_on;
use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::Value;

use crate::PluginSettingProblem;
use crate::discover::entry_points::EntryPoints;
use crate::discover::{BUNDLED_VARIABLE, Discovery, FoundPlugin, LoadChoice, PluginFolders};
use crate::python;
use crate::settings::PluginSettings;
use crate::shell_hooks::SAFE_MODE_VARIABLE;

/// What plugins are loaded from.
#[derive(Clone, Debug)]
pub struct PluginOptions {
    /// The state folder.
    pub home: Home,
    /// The variables, of which a plugin sees a few.
    pub vars: Vars,
    /// What the user decided.
    pub settings: PluginSettings,
    /// Where a project's plugins would be.
    pub cwd: Option<PathBuf>,
    /// The profile's name.
    pub profile: String,
    /// Slash commands that are taken.
    pub reserved_commands: Vec<String>,
}

impl PluginOptions {
    /// With the usual settings, in the current folder.
    #[must_use]
    pub fn new(home: Home, vars: Vars, config: &Value) -> Self {
        Self {
            home,
            vars,
            settings: PluginSettings::read(config),
            cwd: std::env::current_dir().ok(),
            profile: "default".to_owned(),
            reserved_commands: Vec::new(),
        }
    }

    /// The Python for plugins.
    pub(crate) fn interpreter(&self) -> PathBuf {
        python::interpreter(self.settings.python.as_deref(), &self.vars)
    }

    /// Everything there is, asking Python about packages if that is not known.
    /// What cannot be looked at is among the problems.
    pub async fn discover(&self) -> Discovery {
        let mut discovery = self.folders();
        let points = EntryPoints::of(&self.home, &self.vars, &self.interpreter());
        let found = match points.known() {
            Some(found) => Ok(found),
            None => points.ask().await,
        };
        match found {
            Ok(found) => found.into_iter().for_each(|plugin| discovery.put(plugin)),
            Err(problem) => {
                discovery.problems.push(PluginSettingProblem::new("packages", problem.to_string()));
            }
        }
        discovery
    }

    pub(crate) fn folders(&self) -> Discovery {
        PluginFolders::usual(&self.home, &self.vars, self.cwd.as_deref()).look()
    }

    /// Whether there can be anything to load.
    pub(crate) fn wants_none(&self) -> bool {
        self.vars.is_on(SAFE_MODE_VARIABLE)
            || (self.settings.enabled.is_empty() && self.vars.non_blank(BUNDLED_VARIABLE).is_none())
    }

    /// The plugins to load.
    pub(crate) fn chosen(&self, problems: &mut Vec<String>) -> Vec<FoundPlugin> {
        let asked = self.clone();
        let discovery = block_on(async move { asked.discover().await }).unwrap_or_default();
        let is_named = |name: &String| discovery.found.iter().any(|plugin| plugin.is_called(name));
        for name in self.settings.enabled.iter().filter(|name| !is_named(name)) {
            problems.push(format!(
                "plugin `{name}` is enabled and was not found; `hermes plugins list` shows those that \
                 are there, `hermes plugins disable {name}` forgets it"
            ));
        }
        for problem in &discovery.problems {
            tracing::info!("{problem}");
            if problem.place == "packages" && problems.is_empty() {
                continue; // nothing that is enabled is missed
            }
            problems.push(problem.to_string());
        }
        discovery
            .found
            .into_iter()
            .filter(|plugin| plugin.choice(&self.settings) == LoadChoice::Load)
            .collect()
    }
}
