//! What happens to skills that nobody uses.

use std::collections::HashSet;

use serde_json::json;

use super::{CuratorVerb, VerbContext, VerbError};
use crate::archive;
use crate::curator::{self, CuratedSkill, CuratorMode, CuratorReport};
use crate::report::{ReportPart, ReportTable, VerbReport, VerbStatus};
use crate::settings::CuratorSettings;

pub(super) async fn run(
    place: &VerbContext<'_>,
    verb: &CuratorVerb,
) -> Result<VerbReport, VerbError> {
    let (home, store) = (place.library.home(), place.store());
    let settings = CuratorSettings::from_config(place.config);
    let jobs = HashSet::new();
    Ok(match verb {
        CuratorVerb::Status { json } => {
            let all = curator::status(&store, &settings, &jobs);
            let state = curator::state(home);
            if *json {
                let value = json!({"enabled": settings.enabled, "state": state, "skills": all});
                return Ok(VerbReport::json(&value));
            }
            let last = state.last_run_at.unwrap_or_else(|| "never".to_owned());
            let mode = if settings.enabled && !state.paused { "on" } else { "off" };
            VerbReport::table(usage_table(all)).noted([format!(
                "{mode}; last run: {last}; stale after {} days, put away after {}",
                settings.stale_after_days, settings.archive_after_days
            )])
        }
        CuratorVerb::Run { dry_run, consolidate } => {
            let report = told(curator::run(&store, &settings, &jobs, mode(*dry_run)));
            if !*consolidate && (*dry_run || !settings.consolidate) {
                return Ok(report);
            }
            let Some(model) = place.auditor.as_deref() else {
                return Ok(report.warned(["skills were not merged: no model can be asked"]));
            };
            let merged = curator::consolidate(&store, &settings, &jobs, model).await?;
            let lines =
                merged.absorbed.iter().map(|(from, into)| format!("merged: {from} into {into}"));
            let failed = !merged.problems.is_empty();
            let report = report
                .with(ReportPart::Text(lines.collect::<Vec<_>>().join("\n")))
                .warned(merged.problems);
            if failed { report.ending(VerbStatus::Partly) } else { report }
        }
        CuratorVerb::Prune { days, dry_run } => {
            let days = f64::from(*days);
            let stale_after_days = settings.stale_after_days.min(days);
            let sooner = CuratorSettings { archive_after_days: days, stale_after_days, ..settings };
            told(curator::run(&store, &sooner, &jobs, mode(*dry_run)))
        }
        CuratorVerb::Rollback { file } => {
            let (used, before) = curator::roll_back(&store, file.as_deref())?;
            VerbReport::text(format!("Skills are as they were in {}", used.display()))
                .noted([format!("What was there is in {}", before.display())])
        }
        CuratorVerb::Pin { name } | CuratorVerb::Unpin { name } => {
            let name = store.find(name)?.name();
            let pinned = matches!(verb, CuratorVerb::Pin { .. });
            curator::set_pinned(home, &name, pinned)?;
            VerbReport::text(format!("{name} is {}pinned", if pinned { "" } else { "no longer " }))
        }
        CuratorVerb::Archive { name } => {
            VerbReport::text(format!("Put away: {}", curator::archive_one(&store, name)?.display()))
        }
        CuratorVerb::ListArchived { json: true } => VerbReport::json(&archive::list(home)),
        CuratorVerb::ListArchived { json: false } => {
            VerbReport::text(archive::list(home).join("\n"))
        }
        CuratorVerb::Restore { name } => {
            VerbReport::text(format!("Back: {}", curator::restore(&store, name)?.display()))
        }
        CuratorVerb::Backup => VerbReport::text(curator::back_up(home)?.display().to_string()),
        CuratorVerb::Pause => {
            curator::set_paused(home, true)?;
            VerbReport::text("Skills are left alone until `hermes curator resume`")
        }
        CuratorVerb::Resume => {
            curator::set_paused(home, false)?;
            VerbReport::text("Skills are looked after again")
        }
    })
}

fn mode(dry_run: bool) -> CuratorMode {
    if dry_run { CuratorMode::DryRun } else { CuratorMode::Run }
}

fn usage_table(skills: Vec<CuratedSkill>) -> ReportTable {
    let mut table =
        ReportTable::new(["name", "source", "state", "used", "idle days", "looked after"]);
    table.numbers = vec![3, 4];
    for skill in skills {
        let state = match skill.usage.pinned {
            true => "pinned".to_owned(),
            false => format!("{:?}", skill.usage.state).to_lowercase(),
        };
        table.row([
            skill.name,
            skill.source.to_owned(),
            state,
            skill.usage.use_count.to_string(),
            skill.idle_days.map(|days| format!("{days:.0}")).unwrap_or_default(),
            (if skill.looked_after { "yes" } else { "no" }).to_owned(),
        ]);
    }
    table
}

fn told(report: CuratorReport) -> VerbReport {
    let words = [
        ("stale", &report.stale),
        ("put away", &report.archived),
        ("in use again", &report.reactivated),
        ("seen for the first time", &report.first_seen),
    ];
    let lines: Vec<String> = words
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(word, names)| format!("{word}: {}", names.join(", ")))
        .collect();
    let text = if lines.is_empty() { "Nothing to do".to_owned() } else { lines.join("\n") };
    let backup = report.backup.as_ref();
    let status = if report.problems.is_empty() { VerbStatus::Done } else { VerbStatus::Failed };
    VerbReport::text(text)
        .noted(backup.map(|file| format!("A copy of everything is in {}", file.display())))
        .warned(report.problems)
        .ending(status)
}
