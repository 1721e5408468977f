//! The user's plugins, in the runtime of this process.

use hermes_plugins::{Plugins, Setup};
use hermes_runtime::Runtime;

use super::Host;
use crate::chat::slash;
use crate::ui::Ui;

impl Host {
    /// What plugins are loaded from.
    pub(crate) fn plugin_setup(&self) -> Setup {
        let mut setup = Setup::new(self.home.clone(), self.vars.clone(), self.config.value());
        setup.reserved_commands = slash::reserved_names();
        if let Some(profile) = &self.flags.profile {
            setup.profile.clone_from(profile);
        }
        setup
    }

    /// Puts what is known of the enabled plugins into the runtime, and tells of those that are not
    /// there. Starts none of them; they work as long as the answer is kept.
    pub(crate) fn plugins(&self, runtime: &Runtime, ui: &mut Ui) -> anyhow::Result<Plugins> {
        let plugins = Plugins::open(self.plugin_setup(), runtime);
        for problem in plugins.problems() {
            ui.warn(problem)?;
        }
        Ok(plugins)
    }
}
