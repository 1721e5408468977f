//! Verbs that change jobs.

use hermes_skills::report::VerbReport;
use jiff::Timestamp;

use super::CronPlace;
use super::listed::nobody_ticks;
use crate::blueprints;
use crate::error::CronError;
use crate::job::Job;
use crate::store::JobDraft;

pub(super) fn create(
    place: &CronPlace,
    draft: &JobDraft,
    json: bool,
) -> Result<VerbReport, CronError> {
    let job = place.store.create(draft, Timestamp::now())?;
    let report = match json {
        true => VerbReport::json(&job),
        false => VerbReport::text(format!("Created {}", line(&job))),
    };
    Ok(report.warned(nobody_ticks(&place.store)))
}

pub(super) fn edit(
    place: &CronPlace,
    asked: &str,
    draft: &JobDraft,
) -> Result<VerbReport, CronError> {
    Ok(said("Changed", &place.store.edit(asked, draft, Timestamp::now())?))
}

pub(super) fn pause(place: &CronPlace, asked: &str) -> Result<VerbReport, CronError> {
    Ok(said("Paused", &place.store.pause(asked)?))
}

pub(super) fn resume(place: &CronPlace, asked: &str) -> Result<VerbReport, CronError> {
    let job = place.store.resume(asked, Timestamp::now())?;
    Ok(said("Resumed", &job).warned(nobody_ticks(&place.store)))
}

pub(super) fn remove(place: &CronPlace, asked: &str) -> Result<VerbReport, CronError> {
    let job = place.store.remove(asked)?;
    Ok(VerbReport::text(format!("Removed {} ({})", job.name, job.id)))
}

pub(super) fn blueprint(
    place: &CronPlace,
    name: &str,
    values: &[String],
    dry_run: bool,
) -> Result<VerbReport, CronError> {
    let draft = blueprints::fill(name, values)?;
    if dry_run {
        let schedule = draft.schedule.as_deref().unwrap_or_default();
        let prompt = draft.prompt.as_deref().unwrap_or_default();
        return Ok(VerbReport::text(format!("{schedule}\n{prompt}")));
    }
    create(place, &draft, false)
}

fn said(what: &str, job: &Job) -> VerbReport {
    VerbReport::text(format!("{what} {}", line(job)))
}

fn line(job: &Job) -> String {
    let next = job.next_run_at.as_deref().map_or_else(String::new, |next| format!(", next {next}"));
    format!("{} ({}): {}{next}", job.name, job.id, job.schedule_display)
}
