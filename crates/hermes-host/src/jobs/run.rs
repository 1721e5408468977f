//! One run of a job, from its script to the last word of its agent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_agent::system_prompt::ProjectRules;
use hermes_agent::{AgentEvent, FrontEnd, TurnResult};
use hermes_approval::Audience;
use hermes_cron::{
    ContextText, CronSettings, Job, JobOutcome, JobPrompt, JobStore, last_output, wake_agent,
};
use hermes_llm::model::BoxFuture;
use hermes_tools::messaging::DELIVERED_ANYWAY;
use hermes_tools::product::{SCHEDULING_TOOLSETS, WITHHELD_FROM_JOBS};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::script;
use crate::session::{AgentSession, SessionNotes, SessionOptions};
use crate::{Host, Interaction, NOBODY_ANSWERS};

/// The platform of scheduled jobs, and the source of their sessions.
const CRON: &str = "cron";
/// How long an agent that is stopped has to end.
const FAREWELL: Duration = Duration::from_secs(20);

/// A run, about to begin.
pub(super) struct JobRun<'a> {
    host: Host,
    job: &'a Job,
    store: JobStore,
    settings: CronSettings,
}

impl<'a> JobRun<'a> {
    pub(super) fn new(host: Host, job: &'a Job) -> Result<Self, String> {
        host.require_sound_config().map_err(|problem| problem.to_string())?;
        let store = host.job_store().map_err(|problem| problem.to_string())?;
        let settings = host.cron_settings();
        Ok(Self { host, job, store, settings })
    }

    pub(super) async fn carry_out(&self, stop: &CancellationToken) -> Result<JobOutcome, String> {
        let found = self.script_output(stop).await?;
        let is_woken = found.as_deref().is_none_or(wake_agent);
        if self.job.no_agent || !is_woken {
            let text = found.unwrap_or_default();
            let quiet = !is_woken || text.trim().is_empty();
            return Ok(JobOutcome { text, quiet, ..JobOutcome::default() });
        }
        let context: Vec<ContextText> = self
            .job
            .context_from
            .iter()
            .filter_map(|id| {
                let job = self.store.find(id).map_or_else(|_| id.clone(), |job| job.name);
                Some(ContextText { job, text: last_output(&self.store, id)? })
            })
            .collect();
        let JobPrompt(asked) = JobPrompt::build(self.job, found.as_deref(), &context)
            .map_err(|problem| problem.to_string())?;
        self.ask(&asked, stop).await
    }

    async fn script_output(&self, stop: &CancellationToken) -> Result<Option<String>, String> {
        let Some(name) = &self.job.script else { return Ok(None) };
        let file = self.store.script_path(name).map_err(|problem| problem.to_string())?;
        let limit = self.settings.script_limit();
        script::output(&self.host, self.job, &file, limit, stop).await.map(Some)
    }

    async fn ask(&self, asked: &str, stop: &CancellationToken) -> Result<JobOutcome, String> {
        let watch = Arc::new(Watch::default());
        let options = self.options();
        let events = Arc::clone(&watch) as Arc<dyn FrontEnd>;
        let nobody = Interaction::unattended();
        let session = self.host.agent_session(&options, events, &nobody).await;
        let mut session = session.map_err(|problem| problem.to_string())?;
        let stop = stop.child_token();
        let done = self.turn(&mut session, asked, &watch, &stop).await;
        let refused = session.tools().approvals().refused().into_iter();
        let refused = refused.map(|act| format!("{} ({})", act.what, act.by)).collect();
        if let Some(warning) = session.close("cron_complete").await {
            tracing::warn!(%warning, "a scheduled session is not all written down");
        }
        Ok(JobOutcome { refused, ..done? })
    }

    fn options(&self) -> SessionOptions {
        let job = self.job;
        let mut withheld: Vec<&str> = WITHHELD_FROM_JOBS.to_vec();
        if !self.settings.jobs_may_schedule {
            withheld.extend(SCHEDULING_TOOLSETS);
        }
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        SessionOptions {
            model: job.model.clone(),
            provider: job.provider.clone(),
            toolsets: job.enabled_toolsets.clone().unwrap_or_default(),
            skills: job.named_skills().into_iter().map(str::to_owned).collect(),
            // The rules of a project count where one is worked in.
            rules: match job.workdir {
                Some(_) => ProjectRules::Load,
                None => ProjectRules::Ignore,
            },
            source: Some(CRON.to_owned()),
            platform: CRON.to_owned(),
            withheld: withheld.into_iter().map(str::to_owned).collect(),
            cwd: job.workdir.clone().map(Into::into),
            notes: SessionNotes::None,
            audience: Some(Audience::Cron),
            vars: vec![
                set("HERMES_CRON_SESSION", "1"),
                set("HERMES_CRON_JOB_ID", &job.id),
                set("HERMES_INTERACTIVE", ""),
                set(DELIVERED_ANYWAY, &self.destinations()),
                set(
                    "HERMES_CRON_SCHEDULING",
                    if self.settings.jobs_may_schedule { "1" } else { "" },
                ),
            ],
            ..SessionOptions::default()
        }
    }

    /// Where what the job says at its end goes by itself.
    fn destinations(&self) -> String {
        let job = self.job;
        let found = self.host.deliveries().destinations(&job.deliver, job.origin.as_ref());
        let found: Vec<String> =
            found.unwrap_or_default().iter().map(ToString::to_string).collect();
        found.join(",")
    }

    /// One turn, ended when nothing has happened for too long.
    async fn turn(
        &self,
        session: &mut AgentSession,
        asked: &str,
        watch: &Watch,
        stop: &CancellationToken,
    ) -> Result<JobOutcome, String> {
        let limit = self.settings.inactivity();
        let mut turn = std::pin::pin!(session.ask(asked, stop));
        loop {
            tokio::select! {
                result = &mut turn => return outcome(&result),
                () = tokio::time::sleep_until(watch.last() + limit) => {}
            }
            if watch.last().elapsed() >= limit {
                stop.cancel();
                let _ = tokio::time::timeout(FAREWELL, &mut turn).await;
                let seconds = limit.as_secs();
                return Err(format!(
                    "nothing happened for {seconds}s, so it was stopped (cron.inactivity_timeout)"
                ));
            }
        }
    }
}

fn outcome(result: &TurnResult) -> Result<JobOutcome, String> {
    let text = result.final_response.clone();
    if result.exit.is_complete() || (result.exit.is_partial() && !text.trim().is_empty()) {
        return Ok(JobOutcome::said(text));
    }
    let why = result.error.clone().unwrap_or_else(|| result.exit.name().to_owned());
    let advice = result.advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
    Err(format!("{why}{advice}"))
}

/// Knows when something last happened; answers nobody's questions.
struct Watch(Mutex<Instant>);

impl Default for Watch {
    fn default() -> Self {
        Self(Mutex::new(Instant::now()))
    }
}

impl Watch {
    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrontEnd for Watch {
    fn on_event(&self, _: AgentEvent) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(NOBODY_ANSWERS.to_owned())))
    }
}
