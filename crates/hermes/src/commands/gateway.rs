//! `hermes gateway`, `hermes pairing` and `hermes send`: everything is done by `hermes-gateway`.

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use hermes_gateway::verbs::{self, MessagingVerb};

pub(crate) fn run(verb: &MessagingVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let mut prompter = super::setup::TerminalPrompter;
    let ran = verbs::run(verb, host, &|line| anstream::eprintln!("{line}"), &mut prompter);
    let (report, code) = crate::workers::block_on(ran)?;
    let exit = super::skills::print(report, ui)?;
    Ok(match code {
        Some(3) => Exit::Partial,
        Some(75) => Exit::Restart,
        Some(78) => Exit::Config,
        _ => exit,
    })
}
