//! `hermes sessions`: what was said, to look at, search, export and tidy.
//!
//! Looking never changes anything, not even the form of an old database, but for taking in what could
//! not be written while another program held it locked; if the home cannot be written to, it is read as
//! it is. What removes for good shows first what it will remove and asks.

pub(crate) mod args;
mod export;
mod filter;
mod look;
mod maintenance;
mod remove;

use hermes_sessions::SessionDatabase;
use hermes_tool::settings::Settings;

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use args::SessionsCommand;

/// Runs one of the subcommands.
pub(crate) fn run(command: &SessionsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let store = SessionDatabase::at(host.home().state_db());
    // What another process could not write belongs to what is looked at.
    hermes_sessions::recover(store.path());
    match command {
        // A conversation, which is not this module's to begin.
        SessionsCommand::Browse => Ok(Exit::Done),
        SessionsCommand::List(args) => look::list(&for_looking(host), args, ui),
        SessionsCommand::Show { session, json } => {
            look::show(&for_looking(host), session, *json, ui)
        }
        SessionsCommand::Search(args) => look::search(&for_looking(host), args, ui),
        SessionsCommand::Export(args) => export::run(&for_looking(host), args, ui),
        SessionsCommand::Rename { session, title } => {
            maintenance::rename(&store, session, &title.join(" "), ui)
        }
        SessionsCommand::Delete { session, yes } => {
            remove::delete(&store, session, remove::Consent::given(*yes), ui)
        }
        SessionsCommand::Prune { filter, dry_run, yes, json } => {
            let how = remove::Prune {
                filter: filter::read(
                    filter,
                    Some(SessionSettings::read(host.config().value(), host.vars()).retention_days),
                )?,
                is_dry: *dry_run,
                consent: remove::Consent::given(*yes),
                as_json: *json,
            };
            remove::prune(&store, &how, ui)
        }
        SessionsCommand::Archive { session: Some(session), undo, .. } => {
            maintenance::archive(&store, session, *undo, ui)
        }
        SessionsCommand::Archive { session: None, filter, dry_run, .. } => {
            maintenance::archive_all(&store, filter, *dry_run, ui)
        }
        SessionsCommand::Stats { json } => maintenance::stats(&for_looking(host), *json, ui),
        SessionsCommand::Optimize => maintenance::optimize(&store, ui),
        SessionsCommand::Repair { check, json } => maintenance::repair(&store, *check, *json, ui),
    }
}

/// The database for commands that only look: an old or protected file is read as far as it can be.
fn for_looking(host: &Host) -> SessionDatabase {
    let writing = SessionDatabase::at(host.home().state_db());
    if !writing.path().exists() {
        return writing;
    }
    let reading = SessionDatabase::read_only(host.home().state_db());
    match reading.open() {
        Ok(()) => reading,
        // It lacks something that only writing can add, or is damaged: the other way says so.
        Err(_) => writing,
    }
}

/// How long sessions are kept.
#[derive(Settings)]
#[settings(path = "sessions", about = "Stored conversations", open)]
struct SessionSettings {
    /// How old they get before `hermes sessions prune` removes them, in days.
    #[setting(default = 90.0, range = 0.0..)]
    retention_days: f64,
}
