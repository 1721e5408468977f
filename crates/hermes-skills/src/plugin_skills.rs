//! Skills that plugins bring.
//!
//! They stay in their plugin's folder and are called `plugin:skill`. They are listed and loaded like others as long as
//! their plugin is enabled, and nothing here ever writes them. Which plugins there are somebody else knows: the
//! library is given a [`PluginSkills`] to ask.

use std::fmt;
use std::path::PathBuf;

/// A skill as its plugin registered it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginSkill {
    /// The plugin's name, which is the skill's namespace and category.
    pub plugin: String,
    /// Its name within the plugin.
    pub name: String,
    /// The document.
    pub file: PathBuf,
    /// What it is for, where the document does not say it.
    pub description: String,
}

impl PluginSkill {
    /// What it is called everywhere outside its plugin.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}:{}", self.plugin, self.name)
    }
}

/// What stands behind the first part of a name like `plugin:skill`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginNamespace {
    /// No plugin of that name.
    Unknown,
    /// A plugin that is not loaded, and the skills it is known to have.
    NotEnabled(Vec<String>),
    /// A plugin that is, and its skills.
    Enabled(Vec<PluginSkill>),
}

/// Knows the skills of plugins. Both answers must come at once, from what is known.
pub trait PluginSkills: fmt::Debug + Send + Sync {
    /// What stands behind a namespace.
    fn namespace(&self, name: &str) -> PluginNamespace;

    /// The skills of every enabled plugin.
    fn all(&self) -> Vec<PluginSkill>;
}
