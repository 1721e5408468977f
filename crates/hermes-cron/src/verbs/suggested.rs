//! Verbs about suggestions.

use hermes_skills::report::{ReportTable, VerbReport};
use jiff::Timestamp;
use serde_json::json;

use super::CronContext;
use super::args::SuggestionVerb;
use super::changed::job_report;
use super::listed::nobody_ticks;
use crate::error::CronError;
use crate::store::JobDraft;
use crate::suggestions::Suggestions;

pub(super) fn suggestions(
    place: &CronContext,
    verb: Option<&SuggestionVerb>,
    json: bool,
) -> Result<VerbReport, CronError> {
    let suggestions = Suggestions::of(&place.store);
    match verb {
        None => list(&suggestions, json),
        Some(SuggestionVerb::Accept { number }) => {
            let now = Timestamp::now();
            let mut job = suggestions.accept(*number, now)?;
            if job.deliver == "local" && place.origin.is_some() {
                let (origin, deliver) = (place.origin.clone(), Some("origin".to_owned()));
                let told = JobDraft { origin, deliver, ..JobDraft::default() };
                job = place.store.edit(&job.id, &told, now)?;
            }
            Ok(job_report("Created", &job, json).warned(nobody_ticks(&place.store)))
        }
        Some(SuggestionVerb::Dismiss { number }) => {
            let title = suggestions.dismiss(*number)?;
            Ok(match json {
                true => VerbReport::json(&json!({"dismissed": title})),
                false => VerbReport::text(format!("`{title}` is not suggested again.")),
            })
        }
        Some(SuggestionVerb::Catalog) => {
            suggestions.suggest_catalog()?;
            list(&suggestions, json)
        }
        Some(SuggestionVerb::Clear) => {
            let cleared = suggestions.clear()?;
            Ok(match json {
                true => VerbReport::json(&json!({"cleared": cleared})),
                false => VerbReport::text(format!("{cleared} taken back.")),
            })
        }
    }
}

fn list(suggestions: &Suggestions, json: bool) -> Result<VerbReport, CronError> {
    let pending = suggestions.pending()?;
    if json {
        return Ok(VerbReport::json(&pending));
    }
    if pending.is_empty() {
        return Ok(VerbReport::text(
            "Nothing is suggested. `hermes cron suggestions catalog` looks through the ready-made jobs.",
        ));
    }
    let mut table = ReportTable::new(["no", "what", "schedule", "why"]);
    for (place, one) in pending.into_iter().enumerate() {
        table.row([(place + 1).to_string(), one.title, one.job_spec.schedule, one.reason]);
    }
    Ok(VerbReport::table(table))
}
