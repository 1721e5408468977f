//! Scripts of our own that talk to us in bytes, beside the commands of a session. They leave no
//! trace in it, but its guard ends them like any other call.

use super::begin::SessionState;
use super::{EndRemoteCall, Environment};
use crate::backend::{BackendState, ClientInput, ClientTrouble, ShellCall, Variables};
use crate::error::ExecError;
use crate::remote_files::{RawRun, RunEnd, ScriptJob, run_client};

enum Attempt {
    Ran(RawRun),
    Gone(String),
}

impl Environment {
    /// Runs a job, once more if the environment was gone before it began.
    pub(crate) async fn run_job(&self, job: &ScriptJob) -> Result<RawRun, ExecError> {
        self.make_ready().await?;
        if let Attempt::Ran(run) = self.attempt_job(job).await? {
            return Ok(run);
        }
        self.revive(BackendState::AsBefore).await?;
        match self.attempt_job(job).await? {
            Attempt::Ran(run) => Ok(run),
            Attempt::Gone(why) => Err(ExecError::Gone { backend: self.kind(), why }),
        }
    }

    async fn attempt_job(&self, job: &ScriptJob) -> Result<Attempt, ExecError> {
        let SessionState { scripts, start, guard, .. } = self.view();
        let call = self.next_call();
        let client = self.backend.client(&ShellCall {
            script: &job.script,
            shell: start.shell(),
            variables: Variables::Inherited,
            granted: &[],
            input: ClientInput::Forwarded,
            tag: scripts.tag(&call),
        });
        let ender = EndRemoteCall { guard: guard.as_ref(), call: &call };
        let run = run_client(client, job).await?;
        let RunEnd::Exited(code) = run.end else {
            ender.end_now().await;
            return Ok(Attempt::Ran(run));
        };
        ender.not_needed();
        let backend = self.kind();
        match self.backend.trouble(code, &run.stderr) {
            None => Ok(Attempt::Ran(run)),
            Some(ClientTrouble::Gone(why)) => Ok(Attempt::Gone(why)),
            Some(ClientTrouble::Refused(why)) => Err(ExecError::NotStarted { backend, why }),
            Some(ClientTrouble::Unreachable(why)) => Err(ExecError::Unreachable { backend, why }),
        }
    }
}
