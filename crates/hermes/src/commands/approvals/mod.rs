//! `hermes approvals`: which commands run, are asked about or are refused.
//!
//! `test` says what would become of a command (`verdict`), or analyses those that come on stdin.
//! `list` shows the rules in force, `add` and `revoke` change those in config.yaml (`rules`).
//!
//! What never happens here: a command runs, somebody is asked, or a decision is logged.

mod list;
mod rules;
mod verdict;

use std::io;

use hermes_host::analyse_lines;

use crate::args::ApprovalsCommand;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;

/// Runs one of the subcommands.
pub(crate) fn run(command: &ApprovalsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match command {
        ApprovalsCommand::Test(args) if args.stdin => {
            analyse_lines(io::stdin().lock(), io::stdout().lock(), &host.host_facts())?;
            Ok(Exit::Done)
        }
        ApprovalsCommand::Test(args) => verdict::run(args, host, ui),
        ApprovalsCommand::List { json } => list::run(host, *json, ui),
        ApprovalsCommand::Add(args) => rules::add(args, host, ui),
        ApprovalsCommand::Revoke { key } => rules::revoke(key, host, ui),
    }
}

/// The settings in force, after telling what is wrong with them.
fn settings(host: &Host, ui: &mut Ui) -> anyhow::Result<hermes_approval::ApprovalSettings> {
    host::warn_about_files(host, ui)?;
    host::approval_settings(host, ui)
}
