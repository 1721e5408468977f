//! The skills of a session's plugins, for its library of skills.

use std::fmt;
use std::sync::{Arc, Weak};

use hermes_plugins::{BroughtSkill, PluginOptions, Plugins};
use hermes_skills::SkillLibrary;
use hermes_skills::plugin_skills::{PluginNamespace, PluginSkill, PluginSkills};
use hermes_tool::Services;

use crate::Host;

/// Looks at what the plugins of a session have registered. The session owns them: calls of theirs hold its library, so
/// the library must not hold them.
struct SkillsOfPlugins {
    plugins: Weak<Plugins>,
    options: PluginOptions,
    /// The same, where nobody else keeps them.
    _kept: Option<Arc<Plugins>>,
}

impl Host {
    /// The skills of the enabled plugins as they were when each last ran, for whoever has no session; nothing
    /// if no plugin is enabled. Starts none.
    #[must_use]
    pub fn plugin_skills(&self) -> Option<Arc<dyn PluginSkills>> {
        let options = self.plugin_setup();
        if options.settings.enabled.is_empty() {
            return None;
        }
        let kept = Arc::new(self.plugins(&self.runtime()));
        let plugins = Arc::downgrade(&kept);
        Some(Arc::new(SkillsOfPlugins { plugins, options, _kept: Some(kept) }))
    }
}

/// Has the library among the services serve the plugins' skills.
pub(crate) fn serve(services: &Services, plugins: &Arc<Plugins>, options: PluginOptions) {
    if let Some(library) = services.get::<SkillLibrary>() {
        let plugins = Arc::downgrade(plugins);
        library.set_plugin_skills(Arc::new(SkillsOfPlugins { plugins, options, _kept: None }));
    }
}

impl PluginSkills for SkillsOfPlugins {
    fn namespace(&self, name: &str) -> PluginNamespace {
        let Some(plugins) = self.plugins.upgrade() else { return PluginNamespace::Unknown };
        if plugins.names().iter().any(|plugin| plugin == name) {
            let own = plugins.skills().into_iter().filter(|skill| skill.plugin == name);
            return PluginNamespace::Enabled(own.map(registered).collect());
        }
        match self.options.skills_of_unloaded(name) {
            Some(known) => PluginNamespace::NotEnabled(known),
            None => PluginNamespace::Unknown,
        }
    }

    fn all(&self) -> Vec<PluginSkill> {
        let plugins = self.plugins.upgrade();
        plugins.map(|plugins| plugins.skills()).into_iter().flatten().map(registered).collect()
    }
}

fn registered(skill: BroughtSkill) -> PluginSkill {
    let BroughtSkill { plugin, name, file, description } = skill;
    PluginSkill { plugin, name, file, description }
}

impl fmt::Debug for SkillsOfPlugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillsOfPlugins").finish_non_exhaustive()
    }
}
