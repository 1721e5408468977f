//! Verbs that only look.

use hermes_skills::report::{ReportTable, VerbReport, VerbStatus};
use jiff::Timestamp;
use serde_json::json;

use super::CronContext;
use crate::blueprints::BLUEPRINTS;
use crate::error::CronError;
use crate::job::Job;
use crate::ledger::Ledger;
use crate::schedule::{Schedule, ScheduleError, in_words, moment, named_zone, stored};
use crate::store::JobStore;
use crate::ticker::ticker_health;

pub(super) fn list(place: &CronContext, all: bool, json: bool) -> Result<VerbReport, CronError> {
    let jobs: Vec<Job> = place.store.jobs()?.into_iter().filter(|job| all || job.enabled).collect();
    if json {
        return Ok(VerbReport::json(&jobs));
    }
    if jobs.is_empty() {
        return Ok(VerbReport::text(
            "No jobs. `hermes cron create '0 9 * * *' 'What is new?'` makes one.",
        ));
    }
    let mut table =
        ReportTable::new(["id", "name", "schedule", "next", "state", "last", "deliver"]);
    for job in &jobs {
        let last = match (&job.last_status, &job.last_delivery_error) {
            (Some(status), Some(_)) => format!("{status}, not delivered"),
            (Some(status), None) => status.clone(),
            (None, _) => "-".to_owned(),
        };
        table.row([
            job.id.clone(),
            job.name.clone(),
            job.schedule_display.clone(),
            job.next_run_at.clone().unwrap_or_else(|| "-".into()),
            job.state.word().to_owned(),
            last,
            job.deliver.clone(),
        ]);
    }
    let report = VerbReport::table(table);
    Ok(match jobs.iter().any(|job| job.enabled) {
        true => report.noted(who_ticks(&place.store)).warned(nobody_ticks(&place.store)),
        false => report,
    })
}

pub(super) fn runs(
    place: &CronContext,
    asked: Option<&str>,
    limit: usize,
    json: bool,
) -> Result<VerbReport, CronError> {
    // Runs of a job that was removed are still there, by its whole id.
    let found = asked.map(|asked| place.store.find(asked));
    let id = match &found {
        Some(Ok(job)) => Some(job.id.as_str()),
        Some(Err(_)) => asked,
        None => None,
    };
    let runs = match place.store.folder().is_dir() {
        true => Ledger::open(place.store.folder())?.runs(id, limit)?,
        false => Vec::new(),
    };
    if let (Some(Err(unknown)), true) = (found, runs.is_empty()) {
        return Err(unknown);
    }
    if json {
        return Ok(VerbReport::json(&runs));
    }
    let mut table = ReportTable::new(["job", "status", "source", "claimed", "finished", "error"]);
    for run in runs {
        table.row([
            run.job_id,
            run.status.word().to_owned(),
            run.source,
            run.claimed_at,
            run.finished_at.unwrap_or_else(|| "-".into()),
            run.error.unwrap_or_default().lines().next().unwrap_or_default().to_owned(),
        ]);
    }
    Ok(VerbReport::table(table))
}

pub(super) fn status(place: &CronContext, json: bool) -> Result<VerbReport, CronError> {
    let (jobs, health) = (place.store.jobs()?, ticker_health(&place.store));
    let enabled = jobs.iter().filter(|job| job.enabled).count();
    let zone = place.store.zone();
    let next = jobs.iter().filter_map(|job| job.due(zone)).min().map(|next| stored(next, zone));
    let ends = if health.is_stalled() { VerbStatus::Failed } else { VerbStatus::Done };
    if json {
        return Ok(VerbReport::json(&json!({
            "ticking": health.is_held,
            "pid": health.holder,
            "stalled": health.is_stalled(),
            "heartbeat_seconds": health.silent_for.filter(|_| health.is_held).map(|since| since.as_secs()),
            "jobs": jobs.len(),
            "enabled": enabled,
            "next_run_at": next,
        }))
        .ending(ends));
    }
    let next = next.map_or_else(String::new, |next| format!("; the next runs at {next}"));
    let report = VerbReport::text(format!("{enabled} of {} jobs run{next}.", jobs.len()));
    let report = report.with(hermes_skills::report::ReportPart::Text(
        who_ticks(&place.store).unwrap_or_else(|| "Nobody runs them.".to_owned()),
    ));
    Ok(report.warned(nobody_ticks(&place.store)).ending(ends))
}

pub(super) fn next(
    place: &CronContext,
    text: &str,
    count: u16,
    zone: Option<&str>,
    from: Option<&str>,
    json: bool,
) -> Result<VerbReport, CronError> {
    let zone = zone.map_or_else(|| Ok(place.store.zone().clone()), named_zone)?;
    let from = match from {
        None => Timestamp::now(),
        Some(from) => {
            moment(from, &zone).ok_or_else(|| ScheduleError::Moment { text: from.to_owned() })?
        }
    };
    let schedule = Schedule::parse(text, from, &zone)?;
    let mut times = Vec::new();
    let mut next = schedule.first(from, &zone);
    while let Some(time) = next.filter(|_| times.len() < usize::from(count)) {
        times.push(stored(time, &zone));
        next = schedule.next_after(time, &zone);
    }
    Ok(match json {
        true => VerbReport::json(&json!({
            "schedule": schedule.record(&zone),
            "zone": zone.iana_name(),
            "from": stored(from, &zone),
            "times": times,
        })),
        false => VerbReport::text(times.join("\n")),
    })
}

pub(super) fn blueprints(json: bool) -> VerbReport {
    if json {
        let all = BLUEPRINTS.iter().map(|blueprint| {
            let slots: Vec<String> = blueprint.slots.iter().map(ToString::to_string).collect();
            json!({"name": blueprint.name, "about": blueprint.about, "schedule": blueprint.schedule,
                "prompt": blueprint.prompt, "slots": slots})
        });
        return VerbReport::json(&all.collect::<Vec<_>>());
    }
    let mut table = ReportTable::new(["name", "what", "slots"]);
    for blueprint in BLUEPRINTS {
        let slots: Vec<String> = blueprint.slots.iter().map(ToString::to_string).collect();
        table.row([blueprint.name.to_owned(), blueprint.about.to_owned(), slots.join(" ")]);
    }
    VerbReport::table(table)
}

fn who_ticks(store: &JobStore) -> Option<String> {
    let health = ticker_health(store);
    let pid =
        health.holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
    let since = health
        .silent_for
        .map(|since| in_words(jiff::SignedDuration::try_from(since).unwrap_or_default()));
    let since = since.map_or_else(String::new, |since| format!(", last sign of life {since} ago"));
    health.is_held.then(|| format!("{pid} runs them{since}."))
}

/// What is wrong with whoever should run the jobs.
pub(super) fn nobody_ticks(store: &JobStore) -> Option<String> {
    let health = ticker_health(store);
    if !health.is_held {
        return Some("nobody runs the jobs of this home; `hermes cron daemon` does".to_owned());
    }
    let pid = health.holder.map_or_else(String::new, |pid| format!(" (process {pid})"));
    health
        .is_stalled()
        .then(|| format!("whoever runs the jobs{pid} gives no sign of life; start it again"))
}
