//! `hermes skills`: documents of know-how, and other people's.

mod hub;

use clap::Subcommand;
use hermes_skills::hub::verbs::HubVerb;

use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;

/// What can be done with skills.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    #[command(flatten)]
    Hub(HubVerb),
}

/// Runs one of the subcommands.
pub(crate) fn run(command: &SkillsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match command {
        SkillsCommand::Hub(verb) => hub::run(verb, host, ui),
    }
}
