//! The files of an environment out of our reach: scripts of the file tools, run beside its
//! commands.

use std::sync::Arc;

use hermes_files::fs::FilesLocation;
use hermes_tool::BoxFuture;

use super::Environment;
use crate::backend::BackendKind;
use crate::error::ExecError;
use crate::remote_files::{RawRun, RemoteFiles, ScriptJob, ScriptRunner};

impl RemoteFiles {
    /// The files of an environment.
    #[must_use]
    pub fn of(environment: Arc<Environment>) -> Self {
        let location = location_of(environment.kind());
        Self::new(Arc::new(InEnvironment(environment)), location)
    }
}

/// Where the files of a kind of environment are, to the rules about paths.
fn location_of(kind: BackendKind) -> FilesLocation {
    match kind {
        BackendKind::Local => FilesLocation::Local,
        BackendKind::Ssh => FilesLocation::Remote,
        BackendKind::Docker
        | BackendKind::Singularity
        | BackendKind::Modal
        | BackendKind::Daytona
        | BackendKind::Vercel => FilesLocation::Container,
    }
}

/// Runs scripts in an environment, beside its commands and without a trace in its session.
struct InEnvironment(Arc<Environment>);

impl ScriptRunner for InEnvironment {
    fn run(&self, job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>> {
        let environment = Arc::clone(&self.0);
        Box::pin(async move { environment.run_job(&job).await })
    }
}
