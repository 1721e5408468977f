//! Verbs that run jobs.

use std::sync::Arc;

use hermes_skills::report::{VerbReport, VerbStatus};
use serde_json::json;

use super::CronContext;
use crate::error::CronError;
use crate::finish::{finish, told};
use crate::ledger::{Ledger, LedgerOwner};
use crate::ticker::{TickEvent, Ticked, Ticker};

pub(super) async fn run_now(
    place: &CronContext,
    asked: &str,
    json: bool,
) -> Result<VerbReport, CronError> {
    let mut ledger = Ledger::open(place.store.folder())?;
    place.store.recover(&ledger, jiff::Timestamp::now())?;
    let run = place.store.claim_now(&mut ledger, &LedgerOwner::this_process(), asked)?;
    ledger.started(&run.execution)?;
    (place.progress)(&format!("{} ({}) runs", run.job.name, run.job.id));
    let outcome = place.runner.run(&run.job, &place.stop).await;
    let undelivered = told(&place.store, &run.job, &outcome, &place.settings, place.redactor).await;
    let text =
        place.redactor.redact(&outcome.text, hermes_guard::redact::RedactMode::Full).into_owned();
    let report = match json {
        true => VerbReport::json(&json!({
            "job_id": run.job.id,
            "execution": run.execution,
            "text": text,
            "error": outcome.error,
            "refused": outcome.refused,
            "delivery_error": undelivered,
        })),
        false => VerbReport::text(text),
    };
    let report = match outcome.error.clone() {
        None => report,
        Some(error) => report.warned([error]).ending(VerbStatus::Failed),
    };
    let refused = outcome.refused.iter().map(|line| format!("refused: {line}"));
    let report = report.warned(refused.collect::<Vec<_>>());
    let report = report.warned(undelivered.clone().map(|why| format!("not delivered: {why}")));
    finish(&place.store, &ledger, &[(run, outcome, undelivered)])?;
    Ok(report)
}

pub(super) async fn tick(place: &CronContext, json: bool) -> Result<VerbReport, CronError> {
    let ticked = ticker(place).tick(&place.stop).await?;
    if json {
        return Ok(match ticked {
            Ticked::NotOurs { holder } => {
                VerbReport::json(&json!({"ticked": false, "pid": holder}))
            }
            Ticked::Done { runs, failed } => {
                let ends = if failed == 0 { VerbStatus::Done } else { VerbStatus::Partly };
                let done = json!({"ticked": true, "runs": runs, "failed": failed});
                VerbReport::json(&done).ending(ends)
            }
        });
    }
    Ok(match ticked {
        Ticked::NotOurs { holder } => {
            let who =
                holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            VerbReport::text(format!("Nothing was done: {who} runs the jobs of this home."))
        }
        Ticked::Done { runs: 0, .. } => VerbReport::text("Nothing is due."),
        Ticked::Done { runs, failed } => {
            let ends = if failed == 0 { VerbStatus::Done } else { VerbStatus::Partly };
            VerbReport::text(format!("{runs} ran, {failed} failed.")).ending(ends)
        }
    })
}

pub(super) async fn daemon(place: &CronContext) -> Result<VerbReport, CronError> {
    ticker(place).run(&place.stop).await?;
    Ok(VerbReport::ended(VerbStatus::Done))
}

fn ticker(place: &CronContext) -> Ticker {
    let progress = Arc::clone(&place.progress);
    Ticker::new(
        place.store.clone(),
        place.settings.clone(),
        place.redactor,
        Arc::clone(&place.runner),
    )
    .telling(move |event| progress(&words(&event)))
}

fn words(event: &TickEvent) -> String {
    match event {
        TickEvent::Ticking => "this process runs the jobs".to_owned(),
        TickEvent::StandingBy { holder } => {
            let who =
                holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            format!("{who} runs the jobs; standing by")
        }
        TickEvent::Began(run) => format!("{} ({}) runs", run.job.name, run.job.id),
        TickEvent::Ended(run, outcome) => {
            let how = outcome
                .error
                .as_ref()
                .map_or_else(|| "done".to_owned(), |why| format!("failed: {why}"));
            format!("{} ({}) {how}", run.job.name, run.job.id)
        }
        TickEvent::Lost(lost) => format!("{} ({}): {}", lost.job.name, lost.job.id, lost.error),
        TickEvent::Trouble(problem) => format!("{problem}; trying again"),
    }
}
