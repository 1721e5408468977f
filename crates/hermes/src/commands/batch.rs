//! `hermes batch`: everything is done by `hermes-batch`; this lays out what it says.

use hermes_batch::verbs::{self, BatchEnd, BatchReport, BatchVerb};

use super::skills::print;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::block_on;

/// Does what one of the verbs says.
pub(crate) fn run(verb: &BatchVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let report = block_on(verbs::run_here(host, verb))?;
    ended(report, ui)
}

/// Prints what a run has to say, and gives its exit code.
pub(crate) fn ended(report: BatchReport, ui: &mut Ui) -> anyhow::Result<Exit> {
    let exit = print(report.said, ui)?;
    Ok(match report.end {
        BatchEnd::Locked => Exit::TimedOut,
        BatchEnd::Interrupted => Exit::Interrupted,
        _ => exit,
    })
}
