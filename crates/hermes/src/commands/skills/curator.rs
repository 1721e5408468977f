//! `hermes curator`: what happens to skills that nobody uses.

use std::collections::HashSet;

use hermes_skills::curator::{self, CuratorMode};
use hermes_skills::settings::CuratorSettings;
use hermes_skills::{SkillLibrary, archive};
use serde_json::json;

use super::args::CuratorCommand;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui};

/// Runs one of the subcommands.
pub(crate) fn run(command: &CuratorCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let library = SkillLibrary::new(host.home());
    let (home, store) = (library.home(), library.store(host.config().value(), host.vars()));
    let settings = CuratorSettings::from_config(host.config().value());
    let jobs = HashSet::new();
    match command {
        CuratorCommand::Status { json } => {
            let (all, state) = (curator::status(&store, &settings, &jobs), curator::state(home));
            if *json {
                ui.json(&json!({"enabled": settings.enabled, "state": state, "skills": all}))?;
                return Ok(Exit::Done);
            }
            let mut table =
                Table::new(["name", "source", "state", "used", "idle days", "looked after"])
                    .right(&[3, 4]);
            for skill in all {
                let state = if skill.usage.pinned {
                    "pinned".to_owned()
                } else {
                    format!("{:?}", skill.usage.state).to_lowercase()
                };
                let idle = skill.idle_days.map(|days| format!("{days:.0}")).unwrap_or_default();
                let looked_after = if skill.looked_after { "yes" } else { "no" };
                let used = skill.usage.use_count.to_string();
                table.row([
                    skill.name.into(),
                    Cell::dim(skill.source),
                    state.into(),
                    used.into(),
                    idle.into(),
                    looked_after.into(),
                ]);
            }
            ui.table(&table)?;
            let last = state.last_run_at.unwrap_or_else(|| "never".to_owned());
            let mode = if settings.enabled && !state.paused { "on" } else { "off" };
            ui.note(format_args!(
                "{mode}; last run: {last}; stale after {} days, put away after {}",
                settings.stale_after_days, settings.archive_after_days
            ))?;
        }
        CuratorCommand::Run { dry_run } => {
            let mode = if *dry_run { CuratorMode::DryRun } else { CuratorMode::Run };
            let report = curator::run(&store, &settings, &jobs, mode);
            let words = [
                ("stale", &report.stale),
                ("put away", &report.archived),
                ("in use again", &report.reactivated),
                ("seen for the first time", &report.first_seen),
            ];
            for (word, names) in words.iter().filter(|(_, names)| !names.is_empty()) {
                ui.line(format_args!("{word}: {}", names.join(", ")))?;
            }
            if words.iter().all(|(_, names)| names.is_empty()) {
                ui.line("Nothing to do")?;
            }
            if let Some(backup) = &report.backup {
                ui.note(format_args!("A copy of everything is in {}", backup.display()))?;
            }
            ui.warn_all(&report.problems)?;
            return Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Failed });
        }
        CuratorCommand::Pin { name } | CuratorCommand::Unpin { name } => {
            let name = store.find(name)?.name();
            let pinned = matches!(command, CuratorCommand::Pin { .. });
            curator::set_pinned(home, &name, pinned)?;
            ui.line(format_args!("{name} is {}pinned", if pinned { "" } else { "no longer " }))?;
        }
        CuratorCommand::Archive { name } => {
            ui.line(format_args!("Put away: {}", curator::archive_one(&store, name)?.display()))?;
        }
        CuratorCommand::ListArchived => {
            archive::list(home).iter().try_for_each(|name| ui.line(name))?;
        }
        CuratorCommand::Restore { name } => {
            ui.line(format_args!("Back: {}", curator::restore(&store, name)?.display()))?;
        }
        CuratorCommand::Backup => ui.line(curator::back_up(home)?.display())?,
        CuratorCommand::Pause => {
            curator::set_paused(home, true)?;
            ui.line("Skills are left alone until `hermes curator resume`")?;
        }
        CuratorCommand::Resume => {
            curator::set_paused(home, false)?;
            ui.line("Skills are looked after again")?;
        }
    }
    Ok(Exit::Done)
}
