//! `hermes skills`: the know-how an agent loads, by hand.
//!
//! Everything here is done by `hermes-skills`; this says it in words. One file a group of subcommands.

mod args;
mod author;
mod bundled;
pub(crate) mod curator;
mod hub;
mod list;
mod pending;

use hermes_skills::SkillLibrary;
use hermes_skills::settings::SkillsSettings;
use hermes_store::config_edit::{self, parse_cli_value};
use hermes_store::key_path::KeyPath;

pub(crate) use args::{CuratorCommand, PendingCommand, SkillsCommand};

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;

/// Runs one of the subcommands.
pub(crate) fn run(command: &SkillsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let library = SkillLibrary::new(host.home());
    match command {
        SkillsCommand::New { name, description, path } => {
            author::new(name, description, path.as_deref(), &library, ui)
        }
        SkillsCommand::Lint { path, json } => author::lint(path, *json, ui),
        SkillsCommand::List(options) => list::list(options, &library, host, ui),
        SkillsCommand::View { name, file, json } => {
            list::view(name, file.as_deref(), *json, &library, host, ui)
        }
        SkillsCommand::Config { name, enable, disable: _, platform } => {
            toggle(name, *enable, platform.as_deref(), host, ui)
        }
        SkillsCommand::Hub(verb) => hub::run(verb, host, ui),
        SkillsCommand::Pending(command) => pending::run(command, &library, host, ui),
        SkillsCommand::Bundled(command) => bundled::run(command, &library, host, ui),
    }
}

/// Offers a skill again, or no longer, everywhere or on one platform.
fn toggle(
    name: &str,
    enable: bool,
    platform: Option<&str>,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let settings = SkillsSettings::from_config(host.config().value());
    let (key, mut names) = match platform {
        Some(platform) => {
            let names = settings.platform_disabled.get(platform).cloned().unwrap_or_default();
            (format!("skills.platform_disabled.{platform}"), names)
        }
        None => ("skills.disabled".to_owned(), settings.disabled),
    };
    names.retain(|known| known != name);
    if !enable {
        names.push(name.to_owned());
    }
    let list = serde_json::to_string(&names)?;
    config_edit::set(&host.home().config_file(), &KeyPath::parse(&key)?, parse_cli_value(&list))?;
    let on = platform.map(|platform| format!(" on {platform}")).unwrap_or_default();
    ui.line(format_args!(
        "{name} is {}{on}",
        if enable { "offered again" } else { "no longer offered" }
    ))?;
    Ok(Exit::Done)
}
