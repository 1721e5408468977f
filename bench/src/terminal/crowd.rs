//! A thousand commands at a time: all of them succeed, and our process stays small.

use std::io::Read as _;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime as Workers;
use tokio::task::JoinSet;

use super::rig::{Rig, check};
use crate::ours::memory;
use crate::process::bare_shell;

/// How many at a time.
const CROWD: usize = 1_000;
const COMMAND: &str = "sleep 0.2; echo x";

/// What the crowd costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Crowd {
    /// Nanoseconds from the first call to the last answer.
    pub(crate) tool: f64,
    /// The same for bare shells, with their output read.
    pub(crate) bare: f64,
    /// The most memory our process had at any time, above what it had before.
    pub(crate) growth_bytes: u64,
}

impl Crowd {
    /// Time varies with the machine, memory hardly: there the worst counts.
    pub(super) fn best(self, other: Self) -> Self {
        Self {
            tool: self.tool.min(other.tool),
            bare: self.bare.min(other.bare),
            growth_bytes: self.growth_bytes.max(other.growth_bytes),
        }
    }
}

pub(super) fn measure() -> Result<Crowd> {
    let workers = Workers::new().context("starting the workers")?;
    let rig = Arc::new(Rig::new()?);
    check(&workers.block_on(rig.call("echo x")), "x")?;

    let before = memory("VmRSS:")?;
    let start = Instant::now();
    workers.block_on(async {
        let mut crowd = JoinSet::new();
        for _ in 0..CROWD {
            let rig = Arc::clone(&rig);
            crowd.spawn(async move { rig.call(COMMAND).await });
        }
        while let Some(answer) = crowd.join_next().await {
            check(&answer.context("a call was lost")?, "x")?;
        }
        Ok::<(), anyhow::Error>(())
    })?;
    let tool = start.elapsed().as_nanos() as f64;
    let growth_bytes = memory("VmHWM:")?.saturating_sub(before);
    workers.block_on(rig.close());
    Ok(Crowd { tool, bare: bare()?, growth_bytes })
}

fn bare() -> Result<f64> {
    let start = Instant::now();
    let crowd: Vec<_> = (0..CROWD)
        .map(|_| bare_shell(COMMAND).stdout(Stdio::piped()).spawn())
        .collect::<Result<_, _>>()
        .context("starting a bare shell")?;
    for mut shell in crowd {
        let mut output = String::new();
        shell.stdout.take().context("no output")?.read_to_string(&mut output)?;
        ensure!(shell.wait()?.success() && output == "x\n", "a bare shell failed: {output:?}");
    }
    Ok(start.elapsed().as_nanos() as f64)
}
