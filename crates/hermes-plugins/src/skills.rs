//! The skills that plugins bring: documents in their own folders.

use std::path::PathBuf;

use crate::discover::LoadChoice;
use crate::plugin::Plugin;
use crate::plugin::skill_files::{document, short_name};
use crate::plugins::Plugins;
use crate::protocol::SkillEntry;
use crate::record::RunRecord;
use crate::setup::PluginOptions;

/// Most skills of one plugin.
const MAX_SKILLS: usize = 100;

/// A skill that a loaded plugin brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BroughtSkill {
    /// The plugin's name.
    pub plugin: String,
    /// The skill's name, without the plugin's.
    pub name: String,
    /// The document.
    pub file: PathBuf,
    /// What the plugin says about it.
    pub description: String,
}

impl Plugins {
    /// The names of the loaded plugins, as skills carry them.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.all().iter().map(|plugin| plugin.found.manifest.name.clone()).collect()
    }

    /// The skills of the loaded plugins, as far as their documents are there.
    #[must_use]
    pub fn skills(&self) -> Vec<BroughtSkill> {
        self.all().iter().flat_map(|plugin| brought(plugin)).collect()
    }
}

impl PluginOptions {
    /// The skills a plugin had when it last ran, as `plugin:skill`, if it is there and not loaded. Nothing if it is loaded or
    /// not there. Starts nothing; installed packages are not asked for.
    #[must_use]
    pub fn skills_of_unloaded(&self, name: &str) -> Option<Vec<String>> {
        let found = self.folders();
        let plugin = found.named(name)?;
        let is_loaded = !self.wants_none() && plugin.choice(&self.settings) == LoadChoice::Load;
        let record = (!is_loaded).then(|| RunRecord::load(&self.home, &plugin.key))?;
        let entries = record.map(|record| record.brings.skills).unwrap_or_default();
        let there = entries.iter().filter(|entry| document(plugin, &entry.path).is_some());
        let names = there.filter_map(|entry| short_name(&entry.name)).take(MAX_SKILLS);
        Some(names.map(|name| format!("{}:{name}", plugin.manifest.name)).collect())
    }
}

fn brought(plugin: &Plugin) -> Vec<BroughtSkill> {
    let book = plugin.book();
    let name = &plugin.found.manifest.name;
    let skill = |entry: &SkillEntry| {
        Some(BroughtSkill {
            plugin: name.clone(),
            name: short_name(&entry.name)?.to_owned(),
            file: document(&plugin.found, &entry.path)?,
            description: entry.description.clone(),
        })
    };
    let mut skills: Vec<BroughtSkill> = Vec::new();
    for skill in book.brings.skills.iter().filter_map(skill).take(MAX_SKILLS) {
        // A later registration of the same name replaces the earlier.
        skills.retain(|known| known.name != skill.name);
        skills.push(skill);
    }
    skills
}
