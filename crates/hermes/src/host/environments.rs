//! The places where commands of this process run, built from the user's settings.

use std::sync::Arc;
use std::time::Duration;

use hermes_exec::background::Processes;
use hermes_exec::manager::{Blueprint, Environments};

use super::Host;

impl Host {
    /// The environments of this process. None is started before a command needs it.
    pub(crate) fn environments(&self) -> Arc<Environments> {
        let grace = self.config.get("terminal.daemon_term_grace_seconds");
        let grace = grace
            .and_then(serde_json::Value::as_f64)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .unwrap_or(Processes::DEFAULT_GRACE);
        let processes = Processes::new(Some(self.home.root().join("processes.json")), grace);
        let blueprint = Blueprint {
            config: Arc::new(self.config.value().clone()),
            vars: self.vars.clone(),
            process_vars: self.process_vars.clone(),
            home: self.home.root().to_owned(),
            process_cwd: std::env::current_dir().unwrap_or_default(),
        };
        Environments::new(blueprint, processes)
    }
}
