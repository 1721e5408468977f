//! Scheduled jobs on this host: where they are kept, and who runs them.
//!
//! `hermes-cron` knows when something is due and that it is run once; what a run *is* stands here. Each has an agent of
//! its own, in a session of its own, that nobody watches: what needs a person's word is refused
//! (`approvals.cron_mode`), and the run's record says so.

mod run;
mod script;

use std::sync::Arc;

use hermes_cron::schedule::{ScheduleError, ZoneSettings};
use hermes_cron::verbs::CronContext;
use hermes_cron::{CronSettings, JobOutcome, JobRunner, JobStore, RunFuture};
use hermes_tools::cronjob::CronJobs;
use tokio_util::sync::CancellationToken;

use crate::models::ModelSources;
use crate::{Host, HostError};

/// Runs jobs with agents of a host. What is configured is read anew for each run.
#[derive(Clone)]
pub struct HostJobRunner {
    host: Host,
}

impl HostJobRunner {
    /// With agents of this host.
    #[must_use]
    pub fn new(host: Host) -> Self {
        Self { host }
    }
}

impl JobRunner for HostJobRunner {
    fn run<'a>(&'a self, job: &'a hermes_cron::Job, stop: &'a CancellationToken) -> RunFuture<'a> {
        Box::pin(async move {
            match run::JobRun::new(self.host.reread(), job) {
                Ok(run) => run.carry_out(stop).await.unwrap_or_else(JobOutcome::failed),
                Err(problem) => JobOutcome::failed(problem),
            }
        })
    }
}

impl Host {
    /// The jobs of this home, on the clock of the configured zone.
    ///
    /// # Errors
    /// If the configured zone is none.
    pub fn job_store(&self) -> Result<JobStore, ScheduleError> {
        let zone = ZoneSettings::zone(self.config().value(), self.vars())?;
        Ok(JobStore::new(self.home(), zone).with_deliveries(self.deliveries().clone()))
    }

    /// What the user decided about jobs.
    #[must_use]
    pub fn cron_settings(&self) -> CronSettings {
        CronSettings::from_config(self.config().value(), self.vars())
    }

    /// Where the verbs of `hermes cron` work. Ended by `stop`; `progress` hears what happens on the way.
    ///
    /// # Errors
    /// If the configured zone is none.
    pub fn cron_place(
        &self,
        stop: CancellationToken,
        progress: Arc<dyn Fn(&str) + Send + Sync>,
    ) -> Result<CronContext, HostError> {
        Ok(CronContext {
            store: self.job_store()?,
            settings: self.cron_settings(),
            redactor: self.redactor(),
            pinned: ModelSources::of(self).pinned(),
            origin: None,
            runner: Arc::new(HostJobRunner::new(self.clone())),
            stop,
            progress,
        })
    }

    /// The jobs as the tools of a session work on them.
    pub(crate) fn cron_jobs(&self) -> CronJobs {
        CronJobs {
            store: self.job_store().map_err(|problem| problem.to_string()),
            pinned: ModelSources::of(self).pinned(),
            may_change: true,
        }
    }

    /// The same for a session that was scheduled itself.
    pub(crate) fn cron_jobs_of_a_job(&self) -> CronJobs {
        CronJobs { may_change: self.cron_settings().jobs_may_schedule, ..self.cron_jobs() }
    }
}
