//! The file tools, on files and trees that the benchmark makes itself.
//!
//! Each row is one [`Job`]: a call with its arguments, as data. Both sides read the same job from
//! the same file, so that neither can do other work than the other: ours in `ours.rs`, the
//! reference in `reference_files.py`. For searches `rg` is a third side, started as a user would
//! start it. A round measures the sides one after the other, each in a process of its own; a round
//! counts by the median of its calls, and the best round of each side is compared.

mod fixtures;
mod job;
mod ours;
mod rows;
mod text;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::process::{Ended, Sandbox};
use crate::reference::Reference;
use crate::timing::median;
use fixtures::Fixtures;
use job::{Job, Lines, Work};

pub(crate) use ours::print;
pub(crate) use rows::rows;

const ROUNDS: usize = 5;
/// A reference that needs longer than this for a call is measured in one round only.
const SLOW_NS: f64 = 2e9;

/// The three sides, and where they run.
pub(crate) struct Contest<'a> {
    /// The surroundings of all.
    pub(crate) sandbox: &'a Sandbox,
    /// The program that measures ours when asked with `--job`.
    pub(crate) ours: &'a Path,
    /// The other side, unless left out.
    pub(crate) reference: Option<&'a Reference>,
}

/// What one call of the reference takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Theirs {
    /// Nanoseconds.
    Took(f64),
    /// It was stopped after so many nanoseconds.
    StoppedAfter(f64),
}

/// What one job takes each side, in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Times {
    /// Which job.
    pub(crate) work: Work,
    /// Ours.
    pub(crate) ours: f64,
    /// The reference's; none when it is left out.
    pub(crate) reference: Option<Theirs>,
    /// Ripgrep's; none when the job is no search, or when it is not installed.
    pub(crate) ripgrep: Option<f64>,
}

impl Contest<'_> {
    /// Makes the files, measures every job, and removes the files.
    pub(crate) fn measure(&self) -> Result<Vec<Times>> {
        let fixtures = Fixtures::make().context("making the files of the benchmark")?;
        Work::ALL
            .iter()
            .map(|work| {
                let job = fixtures.job(*work)?;
                self.times(*work, &job, &fixtures)
                    .with_context(|| format!("measuring {}", work.name()))
            })
            .collect()
    }

    fn times(&self, work: Work, job: &Job, fixtures: &Fixtures) -> Result<Times> {
        let file = fixtures.save(work, job)?;
        let (mut ours, mut reference, mut ripgrep) = (f64::INFINITY, None, None);
        for _ in 0..ROUNDS {
            if let Some(program) = self.reference
                && !is_slow(reference)
            {
                let round = self.reference_round(program, job, &file)?;
                reference = Some(reference.map_or(round, |best| better(best, round)));
            }
            ours = ours.min(self.our_round(&file)?);
            if let Some(lines) = &job.lines
                && let Some(round) = self.ripgrep_round(lines, job.calls.len())?
            {
                ripgrep = Some(ripgrep.map_or(round, |best: f64| best.min(round)));
            }
        }
        Ok(Times { work, ours, reference, ripgrep })
    }

    fn our_round(&self, file: &str) -> Result<f64> {
        let ended =
            self.sandbox.read_json(self.ours, &["--job", file]).context("measuring ours")?;
        typical(ended)
    }

    fn reference_round(&self, reference: &Reference, job: &Job, file: &str) -> Result<Theirs> {
        let script =
            reference.files_script.to_str().context("the script's path is not UTF-8")?.to_owned();
        let ended = self
            .sandbox
            .read_json_in_time(&reference.python(), &[&script, file])
            .context("measuring the reference")?;
        Ok(match ended {
            Ended::Printed(runs) => Theirs::Took(typical(runs)?),
            Ended::OutOfTime => Theirs::StoppedAfter(job.seconds as f64 * 1e9),
        })
    }

    /// The same search with ripgrep, which has to list every line and is read to its end.
    fn ripgrep_round(&self, lines: &Lines, times: usize) -> Result<Option<f64>> {
        let tree = lines.tree.to_str().context("the tree's path is not UTF-8")?;
        let words = ["--line-number", "--no-heading", "--color=never", "--regexp", lines.pattern];
        let words = [&words[..], &[tree]].concat();
        let mut runs = Vec::new();
        for _ in 0..times {
            let Some((wall_ns, listed)) = self.sandbox.time_listing("rg".as_ref(), &words)? else {
                return Ok(None);
            };
            let count = listed.iter().filter(|byte| **byte == b'\n').count();
            ensure!(count == lines.count, "rg found {count} lines, not {}", lines.count);
            runs.push(wall_ns);
        }
        typical(runs).map(Some)
    }
}

fn typical(runs: Vec<f64>) -> Result<f64> {
    median(runs.into_iter()).context("no call was measured")
}

fn is_slow(round: Option<Theirs>) -> bool {
    match round {
        None => false,
        Some(Theirs::Took(ns)) => ns > SLOW_NS,
        Some(Theirs::StoppedAfter(_)) => true,
    }
}

/// A round that was finished is better than one that was not.
fn better(best: Theirs, round: Theirs) -> Theirs {
    match (best, round) {
        (Theirs::Took(best), Theirs::Took(round)) => Theirs::Took(best.min(round)),
        (Theirs::StoppedAfter(_), other) | (other, Theirs::StoppedAfter(_)) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_round_beats_a_stopped_one() {
        let (took, stopped) = (Theirs::Took(9e9), Theirs::StoppedAfter(6e10));
        assert_eq!(better(stopped, took), took);
        assert_eq!(better(took, stopped), took);
        assert_eq!(better(took, Theirs::Took(8e9)), Theirs::Took(8e9));
        assert!(is_slow(Some(stopped)) && is_slow(Some(took)));
        assert!(!is_slow(None) && !is_slow(Some(Theirs::Took(1e9))));
    }
}
