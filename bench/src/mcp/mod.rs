//! Calls of tools that other programs offer by the Model Context Protocol.
//!
//! Two servers are called: the protocol's own example for everything, as real servers are, and one that
//! does nothing but echo. All sides call the same servers, each a process of its own. What nobody can
//! beat are two bare pipes: a line is written and a line is read. They take turns with ours in one
//! process, and both with the reference, in several rounds, so that a moment in which the machine has
//! other things to do falls on nobody alone; of the rounds' median calls the median counts.
//!
//! Against bare pipes we are held beside the real server; against the reference beside the other one. The
//! real server alone usually takes more than a fifth of the reference's whole call, so that most often not
//! even bare pipes would meet that target there; and the other one takes so little that every microsecond
//! of checking and reading counts as much as the call. Those rows are shown without a target.

mod ours;
mod raw;
mod rows;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime as Workers;

use crate::npm::Package;
use crate::process::{Sandbox, python};
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
const ROUNDS: usize = 5;
/// Turns in a round, and calls in each.
const TURNS: usize = 8;
const CALLS: usize = 25;

/// What was measured, in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Numbers {
    real: Echoes,
    small: Echoes,
    four: f64,
    reference_four: Option<f64>,
}

/// The median call of the tool that says what it is told.
#[derive(Clone, Copy, Debug, Serialize)]
struct Echoes {
    bare: f64,
    ours: f64,
    reference: Option<f64>,
}

/// What the reference's script tells.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Theirs {
    echo: f64,
    four: Option<f64>,
}

/// Measures every side.
pub(crate) fn measure(sandbox: &Sandbox, reference: Option<&Reference>) -> Result<Numbers> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let program = SERVER.find()?;
    let program = program.to_str().context("the server's path is not UTF-8")?;
    let theirs = |server: &[&str]| -> Result<Option<Theirs>> {
        reference.map(|reference| theirs(sandbox, reference, server)).transpose()
    };
    let python = python()?;
    let python = python.to_str().context("the path of python3 is not UTF-8")?;
    let server = [python, concat!(env!("CARGO_MANIFEST_DIR"), "/echo_server.py")];
    let ours = runtime.block_on(Ours::start(&server))?;
    let (small, _) = rounds(&runtime, &ours, &server, theirs)?;
    runtime.block_on(ours.stop());

    let server = [NODE, program, "stdio"];
    let ours = runtime.block_on(Ours::start(&server))?;
    let (real, reference_four) = rounds(&runtime, &ours, &server, theirs)?;
    let four = runtime.block_on(ours.four_seconds())?;
    runtime.block_on(ours.stop());
    Ok(Numbers { real, small, four, reference_four })
}

/// All sides in turns; the reference's four calls, too, from its last turn.
fn rounds(
    runtime: &Workers,
    ours: &Ours,
    server: &[&str],
    theirs: impl Fn(&[&str]) -> Result<Option<Theirs>>,
) -> Result<(Echoes, Option<f64>)> {
    let mut raw = Raw::start(server)?;
    let (mut raw_times, mut our_times, mut their_times) = (Vec::new(), Vec::new(), Vec::new());
    let mut four = None;
    for _ in 0..ROUNDS {
        if let Some(theirs) = theirs(server)? {
            their_times.push(theirs.echo);
            four = theirs.four;
        }
        let (bare, ours) = round(runtime, ours, &mut raw)?;
        raw_times.push(bare);
        our_times.push(ours);
    }
    let reference = median(their_times.into_iter());
    Ok((Echoes { bare: middle(raw_times)?, ours: middle(our_times)?, reference }, four))
}

/// The median call of bare pipes and of ours.
fn round(runtime: &Workers, ours: &Ours, raw: &mut Raw) -> Result<(f64, f64)> {
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
    Ok((middle(raw_times)?, middle(our_times)?))
}

fn middle(times: Vec<f64>) -> Result<f64> {
    median(times.into_iter()).context("no call was timed")
}

fn theirs(sandbox: &Sandbox, reference: &Reference, server: &[&str]) -> Result<Theirs> {
    let script = reference.mcp_script.to_str().context("the script's path is not UTF-8")?;
    let words = [&[script], server].concat();
    sandbox.read_json(&reference.python(), &words).context("measuring the reference's client")
}
