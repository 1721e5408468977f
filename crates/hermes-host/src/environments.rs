//! The environments where commands of a session run, built from the user's settings.

use std::path::Path;
use std::sync::Arc;

use hermes_exec::background::Processes;
use hermes_exec::manager::{Blueprint, Environments};
use hermes_exec::settings::configured_grace;

use crate::Host;

impl Host {
    /// The environments of a session. None is started before a command needs it.
    #[must_use]
    pub fn environments(&self) -> Arc<Environments> {
        self.environments_in(None)
    }

    /// The same, beginning in this folder where the settings name none.
    pub(crate) fn environments_in(&self, cwd: Option<&Path>) -> Arc<Environments> {
        let cwd = cwd.map(Path::to_owned);
        let grace = configured_grace(self.config().value(), self.vars());
        let processes = Processes::new(Some(self.home().root().join("processes.json")), grace);
        let blueprint = Blueprint {
            config: self.config_value(),
            vars: self.vars().clone(),
            process_vars: self.process_vars().clone(),
            home: self.home().root().to_owned(),
            process_cwd: cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_default(),
        };
        Environments::new(blueprint, processes)
    }
}
