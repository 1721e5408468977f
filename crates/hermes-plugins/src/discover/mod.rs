//! Which plugins there are, and which of them are to be loaded.
//!
//! Four places are looked at, in this order; of two plugins with the same key the later one counts:
//! the folder of plugins that come with Hermes ([`BUNDLED_VARIABLE`] names another), `plugins` in the
//! state folder, `.hermes/plugins` in the current folder (only if [`PROJECT_VARIABLE`] is on, for a
//! project one has just downloaded should not run code by itself), and installed Python packages
//! ([`entry_points`]).
//!
//! A plugin is a folder with a manifest, directly below such a place (its key is the manifest's
//! name) or one folder deeper (its key is `category/folder`).
//!
//! What never happens here: a plugin's code runs, or a plugin that cannot be read hides the others.

pub mod entry_points;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use hermes_store::home::{DOT_FOLDER, Home};
use hermes_tool::Vars;

use crate::PluginSettingProblem;
use crate::manifest::{Manifest, PluginKind};
use crate::settings::PluginSettings;

/// Names the folder of plugins that come with Hermes.
pub const BUNDLED_VARIABLE: &str = "HERMES_BUNDLED_PLUGINS";
/// Lets plugins of the current project take part.
pub const PROJECT_VARIABLE: &str = "HERMES_ENABLE_PROJECT_PLUGINS";
/// Where a project keeps its plugins, below its folder of ours.
const PROJECT_FOLDER: &str = "plugins";
/// Categories of bundled plugins that other parts of Hermes look after.
const LOADED_ELSEWHERE: [&str; 3] = ["memory", "context_engine", "model-providers"];
/// Most plugins read from one place: more is a mistake, such as a link to a whole disk.
const MAX_PLUGINS: usize = 500;

/// Where a plugin was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginSource {
    /// It comes with Hermes.
    Bundled,
    /// The user put it into the state folder.
    User,
    /// The current project has it.
    Project,
    /// An installed Python package brings it.
    Package,
}

impl fmt::Display for PluginSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bundled => "bundled",
            Self::User => "user",
            Self::Project => "project",
            Self::Package => "package",
        })
    }
}

/// What runs a plugin's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runs {
    /// The bundled Python host, on the folder's package.
    Python,
    /// The bundled Python host, on an installed package.
    EntryPoint(String),
    /// A program of the plugin's own, with its arguments.
    Command(Vec<String>),
    /// Nothing: neither `__init__.py` nor a command.
    Nothing,
}

/// A plugin that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPlugin {
    /// What it is called in the settings.
    pub key: String,
    /// Where it was found.
    pub source: PluginSource,
    /// Its folder; empty for an installed package.
    pub folder: PathBuf,
    /// What it says about itself.
    pub manifest: Manifest,
    /// The program its manifest names, or the one its files suggest.
    pub runs: Runs,
}

/// Whether a plugin is loaded, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadChoice {
    /// It is loaded.
    Load,
    /// Nobody has enabled it.
    NotEnabled,
    /// Somebody has disabled it.
    Disabled,
    /// It is taken note of; another part of Hermes would activate it.
    Recorded,
}

impl FoundPlugin {
    /// Whether the user means this plugin by a name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.key == name || self.manifest.name == name
    }

    /// Whether it is to be loaded.
    #[must_use]
    pub fn choice(&self, settings: &PluginSettings) -> LoadChoice {
        let is_among = |names: &[String]| names.iter().any(|name| self.is_called(name));
        if is_among(&settings.disabled) {
            return LoadChoice::Disabled;
        }
        match self.manifest.kind {
            PluginKind::Exclusive | PluginKind::ModelProvider => LoadChoice::Recorded,
            PluginKind::Platform if self.source == PluginSource::Bundled => LoadChoice::Recorded,
            PluginKind::Backend if self.source == PluginSource::Bundled => LoadChoice::Load,
            _ if is_among(&settings.enabled) => LoadChoice::Load,
            _ => LoadChoice::NotEnabled,
        }
    }
}

/// Everything that was found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The plugins, one a key, in the order in which they were found.
    pub found: Vec<FoundPlugin>,
    /// Folders that should have been plugins.
    pub problems: Vec<PluginSettingProblem>,
}

/// Where to look.
#[derive(Clone, Debug)]
pub struct PluginFolders {
    roots: Vec<(PluginSource, PathBuf)>,
}

impl PluginFolders {
    /// The usual places.
    #[must_use]
    pub fn usual(home: &Home, vars: &Vars, cwd: Option<&Path>) -> Self {
        let bundled = vars.non_blank(BUNDLED_VARIABLE);
        let mut roots: Vec<_> = bundled
            .map(|folder| (PluginSource::Bundled, PathBuf::from(folder)))
            .into_iter()
            .collect();
        roots.push((PluginSource::User, home.plugins()));
        if let Some(cwd) = cwd.filter(|_| vars.is_on(PROJECT_VARIABLE)) {
            roots.push((PluginSource::Project, cwd.join(DOT_FOLDER).join(PROJECT_FOLDER)));
        }
        Self { roots }
    }

    /// Looks at the folders.
    #[must_use]
    pub fn look(&self) -> Discovery {
        let mut discovery = Discovery::default();
        for (source, root) in &self.roots {
            for folder in folders(root) {
                let category = name_of(&folder);
                if discovery.add(*source, &folder, None) || is_loaded_elsewhere(*source, &category)
                {
                    continue;
                }
                for inner in folders(&folder) {
                    discovery.add(*source, &inner, Some(&category));
                }
            }
        }
        discovery
    }
}

impl Discovery {
    /// Adds a plugin; one found earlier under the same key gives way.
    pub fn put(&mut self, plugin: FoundPlugin) {
        self.found.retain(|known| known.key != plugin.key);
        self.found.push(plugin);
    }

    /// The plugin the user means.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&FoundPlugin> {
        let by_key = self.found.iter().find(|plugin| plugin.key == name);
        by_key.or_else(|| self.found.iter().find(|plugin| plugin.manifest.name == name))
    }

    /// Takes a folder for a plugin; says whether it has a manifest.
    fn add(&mut self, source: PluginSource, folder: &Path, category: Option<&str>) -> bool {
        let manifest = match Manifest::find(folder) {
            None => return false,
            Some(Ok(manifest)) => manifest,
            Some(Err(problem)) => {
                let place = folder.display().to_string();
                self.problems
                    .push(PluginSettingProblem::new(place, format!("not loaded: {problem}")));
                return true;
            }
        };
        let key = match category {
            None => manifest.name.clone(),
            Some(category) => format!("{category}/{}", name_of(folder)),
        };
        let runs = if !manifest.command.is_empty() {
            Runs::Command(manifest.command.clone())
        } else if folder.join("__init__.py").is_file() {
            Runs::Python
        } else {
            Runs::Nothing
        };
        self.put(FoundPlugin { key, source, folder: folder.to_owned(), manifest, runs });
        true
    }
}

fn is_loaded_elsewhere(source: PluginSource, category: &str) -> bool {
    source == PluginSource::Bundled && LOADED_ELSEWHERE.contains(&category)
}

fn name_of(folder: &Path) -> String {
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The folders in a folder, sorted; none if it cannot be read. Hidden ones are left out.
fn folders(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with(['.', '_']))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .take(MAX_PLUGINS)
        .collect();
    found.sort();
    found
}
