//! Our side of the file rows: the same jobs as `reference_files.py`, straight from the registry.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use hermes_tool::{ToolContext, ToolOutput};
use serde_json::{Value, json};

use super::job::Job;
use crate::ours::runtime;

/// Calls are repeated until they have taken this long together.
const ENOUGH: Duration = Duration::from_secs(2);

/// Measures a job and prints the nanoseconds of each call as JSON.
pub(crate) fn print(job: &Path) -> Result<()> {
    let runs = runs(&Job::read(job)?, job)?;
    let text = serde_json::to_string(&runs)?;
    writeln!(std::io::stdout(), "{text}").context("printing the measurements")
}

fn runs(job: &Job, file: &Path) -> Result<Vec<f64>> {
    let runtime = runtime();
    let cx = ToolContext::default();
    // The first call of a process sets things up on both sides.
    let warm_up = json!({"path": file.with_extension("warm-up.txt"), "content": "warm\n"});
    let warm_up = warm_up.as_object().cloned().unwrap_or_default();
    let made = runtime.dispatch_blocking("write_file", warm_up, &cx);
    if answer(&made.output)?.get("error").is_some() {
        bail!("the warm-up failed: {:?}", made.output);
    }

    let mut runs = Vec::new();
    let mut total = Duration::ZERO;
    for args in &job.calls {
        job.prepare()?;
        let args = args.clone();
        let start = Instant::now();
        let made = runtime.dispatch_blocking(&job.tool, args, &cx);
        let took = start.elapsed();
        job.check(&answer(&made.output)?)?;
        runs.push(took.as_nanos() as f64);
        total += took;
        if total > ENOUGH {
            break;
        }
    }
    Ok(runs)
}

fn answer(output: &ToolOutput) -> Result<Value> {
    let ToolOutput::Text(text) = output else { bail!("the answer is no text: {output:?}") };
    serde_json::from_str(text).with_context(|| format!("the answer is no JSON: {text:.500}"))
}
