//! The user's plugins, in the runtime of a session.

use std::time::Duration;

use hermes_plugins::{PluginOptions, Plugins, Wake};
use hermes_runtime::Runtime;

use crate::Host;

/// Which plugins are started before the first call, and how long those are waited for of which
/// nothing is known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginStart {
    /// All, since hooks of any may have a say; the unknown ones are waited for this long.
    All(Duration),
    /// All; the unknown ones are waited for as long as a plugin may take to start.
    AllReady,
    /// Only those that have never run, so that it is known which tools they bring. Others start with
    /// their first call.
    Unknown,
}

impl Default for PluginStart {
    fn default() -> Self {
        Self::All(Duration::from_secs(2))
    }
}

impl Host {
    /// What plugins are loaded from.
    #[must_use]
    pub fn plugin_setup(&self) -> PluginOptions {
        let mut setup =
            PluginOptions::new(self.home().clone(), self.vars().clone(), self.config().value());
        setup.reserved_commands.clone_from(&self.options().reserved_commands);
        if let Some(profile) = &self.options().profile {
            setup.profile.clone_from(profile);
        }
        setup
    }

    /// Puts what is known of the enabled plugins into the runtime. Starts none of them; they work as
    /// long as the answer is kept, and its `problems` tell of those that are not there.
    #[must_use]
    pub fn plugins(&self, runtime: &Runtime) -> Plugins {
        Plugins::open(self.plugin_setup(), runtime)
    }
}

/// Starts plugins and waits for them as told.
pub(crate) async fn start(plugins: &Plugins, start: PluginStart) {
    let longest = plugins.start_timeout() + Duration::from_secs(1);
    match start {
        PluginStart::All(wait) => plugins.wake(Wake::All, wait).await,
        PluginStart::AllReady => plugins.wake(Wake::All, longest).await,
        PluginStart::Unknown => plugins.wake(Wake::Unknown, longest).await,
    }
}
