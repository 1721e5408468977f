//! Verbs that change jobs.

use hermes_skills::report::VerbReport;
use jiff::Timestamp;
use serde_json::json;

use super::CronContext;
use super::listed::nobody_ticks;
use crate::blueprints;
use crate::error::CronError;
use crate::job::Job;
use crate::store::JobDraft;

pub(super) fn create(
    place: &CronContext,
    draft: &JobDraft,
    json: bool,
) -> Result<VerbReport, CronError> {
    let draft = JobDraft { origin: place.origin.clone(), ..draft.clone() };
    let draft = draft.pinned(place.pinned.as_ref());
    let job = place.store.create(&draft, Timestamp::now())?;
    Ok(job_report("Created", &job, json).warned(nobody_ticks(&place.store)))
}

pub(super) fn edit(
    place: &CronContext,
    asked: &str,
    draft: &JobDraft,
    json: bool,
) -> Result<VerbReport, CronError> {
    if *draft == JobDraft::default() {
        return Err(CronError::BadJob(
            "say what to change: --schedule, --prompt, --name, --deliver … (--help lists them)"
                .into(),
        ));
    }
    Ok(job_report("Changed", &place.store.edit(asked, draft, Timestamp::now())?, json))
}

pub(super) fn pause(place: &CronContext, asked: &str, json: bool) -> Result<VerbReport, CronError> {
    Ok(job_report("Paused", &place.store.pause(asked)?, json))
}

pub(super) fn resume(
    place: &CronContext,
    asked: &str,
    json: bool,
) -> Result<VerbReport, CronError> {
    let job = place.store.resume(asked, Timestamp::now())?;
    Ok(job_report("Resumed", &job, json).warned(nobody_ticks(&place.store)))
}

pub(super) fn remove(
    place: &CronContext,
    asked: &str,
    json: bool,
) -> Result<VerbReport, CronError> {
    Ok(job_report("Removed", &place.store.remove(asked)?, json))
}

pub(super) fn blueprint(
    place: &CronContext,
    name: &str,
    values: &[String],
    dry_run: bool,
    json: bool,
) -> Result<VerbReport, CronError> {
    let draft = blueprints::fill(name, values)?;
    if dry_run {
        let schedule = draft.schedule.as_deref().unwrap_or_default();
        let prompt = draft.prompt.as_deref().unwrap_or_default();
        return Ok(match json {
            true => VerbReport::json(&json!({"schedule": schedule, "prompt": prompt})),
            false => VerbReport::text(format!("{schedule}\n{prompt}")),
        });
    }
    create(place, &draft, json)
}

/// What was done to a job, and how it is now.
pub(super) fn job_report(what: &str, job: &Job, json: bool) -> VerbReport {
    match json {
        true => VerbReport::json(job),
        false => VerbReport::text(format!("{what} {}", line(job))),
    }
}

fn line(job: &Job) -> String {
    let next = job.next_run_at.as_deref().map_or_else(String::new, |next| format!(", next {next}"));
    let model = job.model.as_deref().map_or_else(String::new, |model| format!(", by {model}"));
    format!("{} ({}): {}{next}{model}", job.name, job.id, job.schedule_display)
}
