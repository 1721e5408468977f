//! Scripts that call tools: Python, run where the commands of a task run.
//!
//! A [`ScriptBackend`] takes an approved script, the module through which it calls tools, and
//! somebody who answers the calls ([`AnswerCalls`]); [`ScriptBackend::run`] gives back what the
//! script wrote and how it ended. Which tools there are, and what becomes of a call, is not known
//! here.
//!
//! # Here and elsewhere
//!
//! On this machine the script is a program like any other that `hermes-process` starts: its whole
//! tree is ended with it, and it cannot look into other processes, so that our keys are out of its
//! reach. Its calls come over a Unix socket (`socket`). Elsewhere one process of ours stands beside
//! the script for as long as it runs (`remote`); it starts the script, hands its calls and its
//! output through the client's pipes, and ends it.
//!
//! | file | what it holds |
//! |---|---|
//! | `local`, `remote` | a run on this machine, a run elsewhere |
//! | `calls`, `token` | lines of JSON and the secret that goes with them |
//! | `socket` | who may connect, and several calls at once |
//! | `frames`, `helper.py` | what is said between us and the process elsewhere |
//! | `python` | which Python runs a script here |
//! | `launch.py` | what stands between the interpreter and a script: which modules are found first |
//! | `window` | output within its budget |
//!
//! # What never happens here
//!
//! A script runs that was not approved for this environment. A process of a script, or its folder,
//! outlives the run. Output is lost, or waited for, because something else holds the script's pipe
//! open.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_approval::{Approved, ExecutionTarget, ScriptConfinement, ScriptText};
use tokio_util::sync::CancellationToken;

use crate::backend::BackendKind;
use crate::error::ExecError;
use crate::lease::EnvironmentLease;

mod calls;
mod frames;
mod local;
mod python;
mod remote;
mod socket;
mod token;
mod window;

pub use calls::{AnswerCalls, CALL_LIMIT};
pub use local::ScriptsHere;
pub use window::{CutOutput, OutputBudget};

/// Bytes kept of what a script writes.
pub const STDOUT: OutputBudget = OutputBudget { head: 20_000, tail: 30_000 };
/// Bytes kept of a script's error output; an exception is at its end.
pub const STDERR: OutputBudget = OutputBudget { head: 3_000, tail: 7_000 };

/// The program that runs a script, here and elsewhere.
const LAUNCH: &str = include_str!("launch.py");

/// Time between SIGTERM and SIGKILL when a script is stopped.
const GRACE: Duration = Duration::from_secs(5);
/// How long output is read after a script has ended: something it started may hold the pipe open.
const DRAIN_LIMIT: Duration = Duration::from_millis(100);

/// Where and with which Python a script runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, hermes_tool::settings::SettingWords)]
pub enum ScriptMode {
    /// In the directory of the session, with the Python of the project.
    #[default]
    Project,
    /// In a directory of its own, with the Python of the system.
    Strict,
}

/// A script with its module, its limits and the calls it may make.
pub struct RunScript {
    /// The text of the module `hermes_tools`.
    pub module: String,
    /// Where and with which Python.
    pub mode: ScriptMode,
    /// Whose shell it finds the variables of.
    pub session: String,
    /// The directory of the session.
    pub cwd: String,
    /// The Python on this machine, if the user chose one.
    pub python: Option<PathBuf>,
    /// Variables beyond those of the environment.
    pub variables: Vec<(String, String)>,
    /// When it is stopped.
    pub timeout: Duration,
    /// Stops it.
    pub cancel: CancellationToken,
    /// Answers its calls.
    pub calls: Arc<dyn AnswerCalls>,
}

/// How a script ended. Codes below zero are signals; there is none where it was not to be learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptEnd {
    /// By itself.
    Finished(Option<i32>),
    /// By us, for it took too long.
    TimedOut(Option<i32>),
    /// By us, for somebody asked.
    Interrupted(Option<i32>),
}

/// A script that has been run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptRan {
    /// By itself, or stopped by time, size or a person.
    pub end: ScriptEnd,
    /// What it wrote.
    pub stdout: CutOutput,
    /// What it wrote to its error output.
    pub stderr: CutOutput,
    /// From start to end.
    pub duration: Duration,
}

/// Where the scripts of a task run.
pub enum ScriptBackend {
    /// On this machine.
    Here(ScriptsHere),
    /// In an environment out of our reach.
    Elsewhere(EnvironmentLease),
}

impl ScriptBackend {
    /// What kind of backend it is.
    #[must_use]
    pub fn kind(&self) -> BackendKind {
        match self {
            Self::Here(_) => BackendKind::Local,
            Self::Elsewhere(environment) => environment.kind(),
        }
    }

    /// What it is to the gate.
    #[must_use]
    pub fn target(&self) -> ExecutionTarget {
        match self {
            Self::Here(_) => ExecutionTarget::Local,
            Self::Elsewhere(environment) => environment.backend().target(),
        }
    }

    /// What keeps a script there from writing where it should not.
    #[must_use]
    pub fn confinement(&self) -> ScriptConfinement {
        match self {
            Self::Here(here) if here.is_sandboxed => ScriptConfinement::Sandbox,
            Self::Here(_) | Self::Elsewhere(_) => ScriptConfinement::None,
        }
    }

    /// Where scripts run in project mode, unless the session is elsewhere.
    #[must_use]
    pub fn cwd(&self) -> String {
        match self {
            Self::Here(here) => here.cwd.clone(),
            Self::Elsewhere(environment) => environment.cwd(),
        }
    }

    /// Runs an approved script to its end.
    pub async fn run(
        &self,
        script: &Approved<ScriptText>,
        how: RunScript,
    ) -> Result<ScriptRan, ExecError> {
        let code = script.code_for(self.target())?;
        match self {
            Self::Here(here) => here.run(code, how).await,
            Self::Elsewhere(environment) => remote::run(environment, code, how).await,
        }
    }
}
