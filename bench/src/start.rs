//! How long `--version` takes: ours, ripgrep's (a program known to start fast) and the
//! reference's, in turns.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::measurements::Cost;
use crate::process::Sandbox;
use crate::timing::median;

const ROUNDS: usize = 300;
/// The reference takes hundreds of milliseconds: one of its runs per so many rounds.
const ROUNDS_PER_REFERENCE: usize = 30;
const VERSION: &[&str] = &["--version"];

/// The typical (median) cost of each program's start.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Starts {
    /// Ours.
    pub(crate) ours: Cost,
    /// Ripgrep's; none when it is not installed.
    pub(crate) ripgrep: Option<Cost>,
    /// The reference's; none when it is left out.
    pub(crate) reference: Option<Cost>,
}

/// Times the programs in turns, so that a slow spell of the machine meets all of them.
pub(crate) fn measure(sandbox: &Sandbox, ours: &Path, reference: Option<&Path>) -> Result<Starts> {
    let ours = ours.as_os_str();
    let ripgrep = OsStr::new("rg");
    let reference = reference.map(Path::as_os_str);

    // The first run of each reads from disk and fills caches; it does not count.
    required(sandbox, ours)?;
    let has_ripgrep = sandbox.time(ripgrep, VERSION)?.is_some();
    if let Some(program) = reference {
        required(sandbox, program)?;
    }

    let (mut our_runs, mut ripgrep_runs, mut reference_runs) = (vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        our_runs.push(required(sandbox, ours)?);
        if has_ripgrep {
            ripgrep_runs.push(required(sandbox, ripgrep)?);
        }
        if let Some(program) = reference
            && round % ROUNDS_PER_REFERENCE == 0
        {
            reference_runs.push(required(sandbox, program)?);
        }
    }
    Ok(Starts {
        ours: typical(&our_runs).context("no run of ours")?,
        ripgrep: typical(&ripgrep_runs),
        reference: typical(&reference_runs),
    })
}

fn required(sandbox: &Sandbox, program: &OsStr) -> Result<Cost> {
    sandbox.time(program, VERSION)?.with_context(|| format!("{} is not there", program.display()))
}

fn typical(runs: &[Cost]) -> Option<Cost> {
    Some(Cost {
        wall_ns: median(runs.iter().map(|run| run.wall_ns))?,
        cpu_ns: median(runs.iter().map(|run| run.cpu_ns))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_does_not_move_the_typical_cost() {
        let run = |ns: f64| Cost { wall_ns: ns, cpu_ns: ns / 2.0 };
        let runs = [run(10.0), run(9_000.0), run(12.0)];
        assert_eq!(typical(&runs), Some(Cost { wall_ns: 12.0, cpu_ns: 6.0 }));
        assert_eq!(typical(&[]), None);
    }
}
