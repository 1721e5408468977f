//! What a training starts passes the gate that every command passes: rules, the floor, a person's word, the record.
//!
//! The commands stand in the user's settings, but it is a model that has them run, with a file of settings it has
//! changed; and the environment is a Python file in a folder that a model may be able to write to. So both are judged
//! like a command the model wrote itself.

use std::path::Path;
use std::sync::Arc;

use hermes_approval::{ApprovalRefusal, Approvals, Approved, CommandRequest, ShellLine};

use super::quoted;

/// Asks whether the commands of a training may run, on behalf of one call.
#[derive(Clone)]
pub struct TrainingGate {
    approvals: Arc<Approvals>,
    asking: CommandRequest,
}

impl std::fmt::Debug for TrainingGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrainingGate")
            .field("session", &self.asking.session)
            .finish_non_exhaustive()
    }
}

impl TrainingGate {
    /// Every command is asked about as `asking` is; only its text differs.
    #[must_use]
    pub fn new(approvals: Arc<Approvals>, asking: CommandRequest) -> Self {
        Self { approvals, asking }
    }

    pub(super) async fn admit(
        &self,
        line: String,
        folder: Option<&str>,
    ) -> Result<Approved<ShellLine>, ApprovalRefusal> {
        let mut asking = self.asking.clone();
        asking.command = line;
        if let Some(folder) = folder {
            asking.host.cwd = Some(folder.to_owned());
        }
        self.approvals.admit(asking).await
    }

    /// An environment is a program: whether it may run is asked as if it were started by hand.
    pub(super) async fn admit_environment(
        &self,
        python: &str,
        file: &Path,
    ) -> Result<Approved<ShellLine>, ApprovalRefusal> {
        let line = format!("{} {}", quoted(python), quoted(&file.display().to_string()));
        self.admit(line, None).await
    }
}
