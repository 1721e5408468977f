//! Jobs as words: the same for `hermes cron …` and for `/cron …` in a chat.
//!
//! [`run`] does one verb and gives back what to print; who calls it only lays it out. `tick` and `daemon` tell what
//! happens on the way.

mod args;
mod changed;
mod listed;
mod suggested;
mod ticking;

pub use args::{CronVerb, JobArgs, SuggestionVerb};

use std::sync::Arc;

use hermes_guard::redact::Redactor;
use hermes_skills::report::VerbReport;
use tokio_util::sync::CancellationToken;

use crate::error::CronError;
use crate::job::JobOrigin;
use crate::runner::JobRunner;
use crate::settings::CronSettings;
use crate::store::{JobStore, PinnedModel};

/// Where a verb works.
pub struct CronContext {
    /// The jobs.
    pub store: JobStore,
    /// What the user decided about them.
    pub settings: CronSettings,
    /// Hides secrets in what is kept and delivered.
    pub redactor: Redactor,
    /// The model and provider that new jobs are given, if they name none: what a job was made with it keeps.
    pub pinned: Option<PinnedModel>,
    /// The chat that asks, which hears of the jobs it makes unless they say otherwise.
    pub origin: Option<JobOrigin>,
    /// Whoever can run a job.
    pub runner: Arc<dyn JobRunner>,
    /// Ends what takes long.
    pub stop: CancellationToken,
    /// Is told what happens on the way, line by line.
    pub progress: Arc<dyn Fn(&str) + Send + Sync>,
}

/// Does what the words say.
///
/// # Errors
/// When it cannot be done.
pub async fn run(place: &CronContext, verb: &CronVerb) -> Result<VerbReport, CronError> {
    match verb {
        CronVerb::List { all, json } => listed::list(place, *all, *json),
        CronVerb::Create { schedule, prompt, options, json } => {
            changed::create(place, &options.draft(Some(schedule), prompt.as_deref()), *json)
        }
        CronVerb::Edit { job, schedule, prompt, options, json } => {
            let draft = options.draft(schedule.as_deref(), prompt.as_deref());
            changed::edit(place, job, &draft, *json)
        }
        CronVerb::Pause { job, json } => changed::pause(place, job, *json),
        CronVerb::Resume { job, json } => changed::resume(place, job, *json),
        CronVerb::Remove { job, json } => changed::remove(place, job, *json),
        CronVerb::JobBlueprint { name: None, json, .. } => Ok(listed::blueprints(*json)),
        CronVerb::JobBlueprint { name: Some(name), values, dry_run, json } => {
            changed::blueprint(place, name, values, *dry_run, *json)
        }
        CronVerb::Suggestions { verb, json } => suggested::suggestions(place, verb.as_ref(), *json),
        CronVerb::Status { json } => listed::status(place, *json),
        CronVerb::Runs { job, limit, json } => listed::runs(place, job.as_deref(), *limit, *json),
        CronVerb::Next { schedule, count, zone, from, json } => {
            listed::next(place, schedule, *count, zone.as_deref(), from.as_deref(), *json)
        }
        CronVerb::Run { job, json } => ticking::run_now(place, job, *json).await,
        CronVerb::Tick { json } => ticking::tick(place, *json).await,
        CronVerb::Daemon => ticking::daemon(place).await,
    }
}
