//! What a command that does nothing costs, by three ways in turns: a bare shell, a session of
//! ours, and the whole tool.

use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hermes_exec::{Environment, ExecOptions};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime as Workers;

use super::rig::{Rig, check};
use crate::process::bare_shell;
use crate::timing::median;

const COMMAND: &str = "true";
/// Calls by each way; the first are not counted.
const CALLS: usize = 150;
const WARM_UP: usize = 10;

/// The median call by each way, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Commands {
    /// `bash -c true`, started and waited for.
    pub(crate) bare: f64,
    /// The same command in a session that keeps directory, variables, functions and aliases.
    pub(crate) environment: f64,
    /// A call of the tool: arguments, gate, session, redaction, JSON.
    pub(crate) tool: f64,
}

impl Commands {
    pub(super) fn best(self, other: Self) -> Self {
        Self {
            bare: self.bare.min(other.bare),
            environment: self.environment.min(other.environment),
            tool: self.tool.min(other.tool),
        }
    }
}

pub(super) fn measure() -> Result<Commands> {
    let workers = Workers::new().context("starting the workers")?;
    let rig = Rig::new()?;
    let environment = workers.block_on(rig.environment())?;
    let line = workers.block_on(rig.approved(COMMAND))?;

    let mut runs = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..WARM_UP + CALLS {
        let start = Instant::now();
        let status = bare_shell(COMMAND).stdout(Stdio::null()).status()?;
        runs[0].push(start.elapsed());
        ensure!(status.success(), "bash failed: {status}");

        let start = Instant::now();
        let ran =
            workers.block_on(Environment::execute(&environment, &line, ExecOptions::default()));
        runs[1].push(start.elapsed());
        ensure!(ran?.code == 0, "the environment's command failed");

        let start = Instant::now();
        let answer = workers.block_on(rig.call(COMMAND));
        runs[2].push(start.elapsed());
        check(&answer, "")?;
    }
    workers.block_on(rig.close());

    let typical = |way: usize| {
        let counted = runs[way].iter().skip(WARM_UP).map(|took| took.as_nanos() as f64);
        median(counted).context("no call was measured")
    };
    Ok(Commands { bare: typical(0)?, environment: typical(1)?, tool: typical(2)? })
}
