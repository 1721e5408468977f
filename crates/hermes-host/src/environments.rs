//! The environments where commands of a session run, built from the user's settings.

use std::sync::Arc;
use std::time::Duration;

use hermes_exec::background::Processes;
use hermes_exec::manager::{Blueprint, Environments};

use crate::Host;

impl Host {
    /// The environments of a session. None is started before a command needs it.
    #[must_use]
    pub fn environments(&self) -> Arc<Environments> {
        let grace = self.config().get("terminal.daemon_term_grace_seconds");
        let grace = grace
            .and_then(serde_json::Value::as_f64)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .unwrap_or(Processes::DEFAULT_GRACE);
        let processes = Processes::new(Some(self.home().root().join("processes.json")), grace);
        let blueprint = Blueprint {
            config: self.config_value(),
            vars: self.vars().clone(),
            process_vars: self.process_vars().clone(),
            home: self.home().root().to_owned(),
            process_cwd: std::env::current_dir().unwrap_or_default(),
        };
        Environments::new(blueprint, processes)
    }
}
