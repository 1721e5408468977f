//! Jobs as words: the same for `hermes cron …` and for `/cron …` in a chat.
//!
//! [`run`] does one verb and gives back what to print; who calls it only lays it out. `tick` and `daemon` tell what
//! happens on the way.

mod args;
mod changed;
mod listed;
mod ticking;

pub use args::{CronVerb, JobArgs};

use std::sync::Arc;

use hermes_guard::redact::Redactor;
use hermes_skills::report::VerbReport;
use tokio_util::sync::CancellationToken;

use crate::error::CronError;
use crate::runner::JobRunner;
use crate::settings::CronSettings;
use crate::store::JobStore;

/// Where a verb works.
pub struct CronPlace {
    /// The jobs.
    pub store: JobStore,
    /// What the user decided about them.
    pub settings: CronSettings,
    /// Hides secrets in what is kept and delivered.
    pub redactor: Redactor,
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
pub async fn run(place: &CronPlace, verb: &CronVerb) -> Result<VerbReport, CronError> {
    match verb {
        CronVerb::List { all, json } => listed::list(place, *all, *json),
        CronVerb::Create { schedule, prompt, options, json } => {
            changed::create(place, &options.draft(Some(schedule), prompt.as_deref()), *json)
        }
        CronVerb::Edit { job, schedule, prompt, options } => {
            changed::edit(place, job, &options.draft(schedule.as_deref(), prompt.as_deref()))
        }
        CronVerb::Pause { job } => changed::pause(place, job),
        CronVerb::Resume { job } => changed::resume(place, job),
        CronVerb::Remove { job } => changed::remove(place, job),
        CronVerb::JobBlueprint { name: None, .. } => Ok(listed::blueprints()),
        CronVerb::JobBlueprint { name: Some(name), values, dry_run } => {
            changed::blueprint(place, name, values, *dry_run)
        }
        CronVerb::Status { json } => listed::status(place, *json),
        CronVerb::Runs { job, limit, json } => listed::runs(place, job.as_deref(), *limit, *json),
        CronVerb::Next { schedule, count, zone, from, json } => {
            listed::next(place, schedule, *count, zone.as_deref(), from.as_deref(), *json)
        }
        CronVerb::Run { job } => ticking::run_now(place, job).await,
        CronVerb::Tick => ticking::tick(place).await,
        CronVerb::Daemon => ticking::daemon(place).await,
    }
}
