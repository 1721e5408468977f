//! Compares Hermes with the Python reference package, side by side in one run.
//!
//! Numbers of two machines, or of two days on one, cannot be compared; ratios taken in
//! one run can. So both sides are measured here in turns, each in processes of its own
//! with the same bare environment, and judged by ratio. `reference.py` measures the
//! reference, `--measure` measures ours, and both print the JSON that
//! `measurements.rs` describes. Nothing is judged that was not measured in this run.

mod measurements;
mod ours;
mod process;
mod reference;
mod report;
mod rows;
mod sides;
mod start;
mod timing;
mod units;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use serde::Serialize;

use crate::measurements::{Measurements, Phase};
use crate::process::Sandbox;
use crate::reference::Reference;
use crate::report::Report;
use crate::sides::Sides;
use crate::start::Starts;

/// Compare Hermes with the Python reference package.
///
/// Exit code: 0 when all judged targets are met, 1 when one is missed, 2 when something
/// could not be measured.
#[derive(Parser)]
struct Args {
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,

    /// Leave the reference out; its targets are then not judged.
    #[arg(long)]
    skip_reference: bool,

    /// The Python (3.11 or newer) that installs the reference on first use.
    #[arg(long, default_value = "python3", value_name = "PROGRAM")]
    python: OsString,

    /// Measure our side and print its JSON: how the benchmark calls itself.
    #[arg(long, hide = true)]
    measure: Option<Phase>,
}

/// Everything `--json` prints: the judged rows, and what they were made from.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    report: &'a Report,
    starts: &'a Starts,
    ours: &'a Measurements,
    reference: Option<&'a Measurements>,
}

// The allocator of the program that is compared.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(phase) = args.measure {
        return match ours::print(phase) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "hermes-bench: {error:#}");
                ExitCode::from(2)
            }
        };
    }
    match run(&args) {
        Ok(report) if report.misses_a_target() => ExitCode::from(1),
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "hermes-bench: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<Report> {
    if cfg!(debug_assertions) {
        bail!("a debug build says nothing about speed; run `cargo run --release -p hermes-bench`");
    }
    let this_program = std::env::current_exe().context("finding this program")?;
    let hermes = build_hermes(&this_program)?;
    let reference = match args.skip_reference {
        true => None,
        false => Some(Reference::install(&args.python)?),
    };

    let sandbox = Sandbox::new()?;
    let program = reference.as_ref().map(Reference::program);
    let starts = start::measure(&sandbox, &hermes, program.as_deref())?;
    let sides = Sides { sandbox: &sandbox, ours: &this_program, reference: reference.as_ref() };
    let (ours, theirs) = sides.measure()?;

    let report = Report { rows: rows::rows(&starts, &ours, theirs.as_ref()) };
    let text = if args.json {
        let output =
            Output { report: &report, starts: &starts, ours: &ours, reference: theirs.as_ref() };
        serde_json::to_string_pretty(&output)? + "\n"
    } else {
        report.table()
    };
    std::io::stdout().write_all(text.as_bytes()).context("printing the report")?;
    Ok(report)
}

/// Builds the program itself with the profile this benchmark was built with, so that no
/// stale one is measured, and tells where it is.
fn build_hermes(this_program: &Path) -> Result<PathBuf> {
    let folder = this_program.parent().context("this program has no folder")?;
    // Cargo names the folder after the profile.
    let profile = folder.file_name().context("this program's folder has no name")?;
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let words =
        ["build", "--quiet", "--manifest-path", manifest, "--package", "hermes", "--profile"];
    let words: Vec<_> = words.iter().map(OsStr::new).chain([profile]).collect();
    process::prepare(env!("CARGO").as_ref(), &words)?;
    Ok(folder.join("hermes"))
}
