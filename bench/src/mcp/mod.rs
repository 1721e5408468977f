//! Calls of tools that other programs offer by the Model Context Protocol.
//!
//! All sides call one and the same server, the protocol's own example for everything, each a process
//! of its own. What nobody can beat are two bare pipes: a line is written and a line is read. They take
//! turns with ours in one process; the median of all calls counts.

mod ours;
mod raw;
mod rows;

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::npm::Package;
use crate::process::Sandbox;
use crate::reference::Reference;
use crate::timing::median;
use ours::Ours;
use raw::Raw;

pub(crate) use rows::rows;

const SERVER: Package = Package {
    name: "@modelcontextprotocol/server-everything@2026.8.31",
    program: "@modelcontextprotocol/server-everything/dist/index.js",
};
const NODE: &str = "node";
const WARM_UP: usize = 50;
/// Turns, and calls in each.
const TURNS: usize = 20;
const CALLS: usize = 25;

/// What was measured, in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Numbers {
    raw_echo: f64,
    echo: f64,
    four: f64,
    reference: Option<Theirs>,
}

/// The same of the reference.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Theirs {
    echo: f64,
    four: f64,
}

/// Measures every side.
pub(crate) fn measure(sandbox: &Sandbox, reference: Option<&Reference>) -> Result<Numbers> {
    let program = SERVER.find()?;
    let program = program.to_str().context("the server's path is not UTF-8")?;
    let args = [program, "stdio"];
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut raw = Raw::start(Path::new(NODE), &args)?;
    let ours = runtime.block_on(Ours::start(NODE, &args))?;
    for _ in 0..WARM_UP {
        raw.echo()?;
        runtime.block_on(ours.echo())?;
    }
    let (mut raw_times, mut our_times) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        for _ in 0..CALLS {
            raw_times.push(raw.echo()?);
        }
        for _ in 0..CALLS {
            our_times.push(runtime.block_on(ours.echo())?);
        }
    }
    let four = runtime.block_on(ours.four_seconds())?;
    runtime.block_on(ours.stop());
    let reference = reference.map(|reference| theirs(sandbox, reference, &args)).transpose()?;
    let middle = |times: Vec<f64>| median(times.into_iter()).context("no call was timed");
    Ok(Numbers { raw_echo: middle(raw_times)?, echo: middle(our_times)?, four, reference })
}

fn theirs(sandbox: &Sandbox, reference: &Reference, args: &[&str]) -> Result<Theirs> {
    let script = reference.mcp_script.to_str().context("the script's path is not UTF-8")?;
    let words = [&[script, NODE], args].concat();
    sandbox.read_json(&reference.python(), &words).context("measuring the reference's client")
}
