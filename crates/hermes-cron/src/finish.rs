//! What happens after a run: it is kept, told and written down.

use hermes_guard::redact::{RedactMode, Redactor};
use jiff::Timestamp;

use crate::claim::{ClaimSource, ClaimedRun};
use crate::error::CronError;
use crate::job::{Job, JobState};
use crate::job_text::is_silent;
use crate::ledger::{ExecutionStatus, Ledger};
use crate::output::save_output;
use crate::runner::JobOutcome;
use crate::schedule::stored;
use crate::settings::CronSettings;
use crate::store::JobStore;

/// Longest reason that is kept of a failure, in characters.
const REASON_CHARS: usize = 2_000;

/// Keeps what a run said and tells those who are to hear of it. What did not reach them, in words.
pub async fn told(
    store: &JobStore,
    job: &Job,
    outcome: &JobOutcome,
    settings: &CronSettings,
    redactor: Redactor,
) -> Option<String> {
    let mut problems = Vec::new();
    let outcome = JobOutcome {
        text: redactor.redact(&outcome.text, RedactMode::Full).into_owned(),
        error: outcome
            .error
            .as_deref()
            .map(|error| redactor.redact(error, RedactMode::Full).into_owned()),
        refused: outcome
            .refused
            .iter()
            .map(|line| redactor.redact(line, RedactMode::Full).into_owned())
            .collect(),
        ..outcome.clone()
    };
    if let Err(problem) =
        save_output(store, job, &outcome, settings.output_retention, Timestamp::now())
    {
        problems.push(problem.to_string());
    }
    let text = match &outcome.error {
        Some(error) => format!("The scheduled job `{}` failed: {error}", job.name),
        None if outcome.quiet || is_silent(&outcome.text) => return joined(&problems),
        None => outcome.text.clone(),
    };
    match store.deliveries().destinations(&job.deliver, job.origin.as_ref()) {
        Ok(destinations) => {
            let text = if settings.wrap_response { wrapped(job, &text) } else { text };
            problems.extend(store.deliveries().deliver(&destinations, &text).await);
        }
        Err(problem) => problems.push(problem.to_string()),
    }
    joined(&problems)
}

fn joined(problems: &[String]) -> Option<String> {
    (!problems.is_empty()).then(|| problems.join("; "))
}

fn wrapped(job: &Job, text: &str) -> String {
    format!(
        "⏰ {} ({})\n\n{text}\n\nTo stop it: `hermes cron remove {}`, or ask me to remove it.",
        job.name, job.id, job.id
    )
}

/// Writes down how runs ended, all at once: in the ledger, and in the jobs as they are now.
///
/// # Errors
/// When the file or the ledger cannot be used.
pub fn finish(
    store: &JobStore,
    ledger: &Ledger,
    runs: &[(ClaimedRun, JobOutcome, Option<String>)],
) -> Result<(), CronError> {
    let now = Timestamp::now();
    store.change(|jobs| {
        for (run, outcome, undelivered) in runs {
            let Some(job) = jobs.iter_mut().find(|job| job.id == run.job.id) else { continue };
            let error = outcome.error.as_deref().map(reason);
            job.last_run_at = Some(stored(now, store.zone()));
            job.last_status = Some(if error.is_none() { "ok" } else { "error" }.to_owned());
            job.last_error = error;
            job.last_delivery_error = undelivered.as_deref().map(reason);
            if run.source == ClaimSource::Schedule {
                job.repeat.completed += 1;
                let is_over = job.next_run_at.is_none() && job.state != JobState::Paused;
                if is_over {
                    job.enabled = false;
                    job.state = JobState::Completed;
                }
            }
        }
        Ok(())
    })?;
    for (run, outcome, _) in runs {
        let (status, error) = match &outcome.error {
            None => (ExecutionStatus::Completed, not_allowed(outcome)),
            Some(error) => (ExecutionStatus::Failed, Some(reason(error))),
        };
        ledger.finished(&run.execution, status, error.as_deref())?;
    }
    Ok(())
}

/// What a run was not allowed to do, as the ledger keeps it.
fn not_allowed(outcome: &JobOutcome) -> Option<String> {
    (!outcome.refused.is_empty())
        .then(|| reason(&format!("refused: {}", outcome.refused.join("; "))))
}

fn reason(text: &str) -> String {
    text.chars().take(REASON_CHARS).collect()
}
