//! `hermes rl`: everything is done by `hermes-batch`; this lays out what it says.

use hermes_batch::rollouts::{RlVerb, run_rl_here};

use super::batch;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::block_on;

/// Does what one of the verbs says.
pub(crate) fn run(verb: &RlVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let report = block_on(run_rl_here(host, verb))?;
    batch::ended(report, ui)
}
