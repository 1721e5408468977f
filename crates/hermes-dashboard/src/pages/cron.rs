//! Scheduled jobs.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use hermes_cron::schedule::moment;
use hermes_cron::{Job, JobDraft, JobState, Ledger, last_output, ticker_health};
use hermes_host::{Host, ModelSources};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::app::App;
use crate::chat::cut;
use crate::form::Fields;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// Runs that are shown.
const MOST_RUNS: usize = 30;
/// Characters of an output.
const MAX_OUTPUT: usize = 40_000;

/// The jobs of a home, as shown.
pub(super) fn jobs(host: &Host) -> Result<Vec<Value>, String> {
    let store = host.job_store().map_err(|problem| problem.to_string())?;
    let jobs = store.jobs().map_err(|problem| problem.to_string())?;
    Ok(jobs.iter().map(|job| shown(job, store.zone())).collect())
}

fn shown(job: &Job, zone: &jiff::tz::TimeZone) -> Value {
    let seconds = |text: Option<&str>| moment(text?, zone).map(|time| time.as_second() as f64);
    json!({
        "id": job.id, "name": job.name, "prompt": job.prompt, "schedule": job.schedule_display,
        "state": job.state.word(), "paused": job.state == JobState::Paused || !job.enabled,
        "next": job.due(zone).map(|time| time.as_second() as f64),
        "last": seconds(job.last_run_at.as_deref()), "last_status": job.last_status,
        "last_error": job.last_error, "deliver": job.deliver, "model": job.model,
        "provider": job.provider, "skills": job.named_skills(), "script": job.script,
    })
}

fn runs(host: &Host, job: Option<&str>) -> Vec<Value> {
    let Ok(store) = host.job_store() else { return Vec::new() };
    // Looking makes no file.
    if !store.folder().is_dir() {
        return Vec::new();
    }
    let runs = Ledger::open(store.folder()).and_then(|ledger| ledger.runs(job, MOST_RUNS));
    let jobs = store.jobs().unwrap_or_default();
    let seconds = |text: &Option<String>| {
        moment(text.as_deref()?, store.zone()).map(|at| at.as_second() as f64)
    };
    runs.unwrap_or_default()
        .iter()
        .map(|run| {
            let name = jobs.iter().find(|job| job.id == run.job_id).map(|job| &job.name);
            json!({"job": run.job_id, "name": name, "status": run.status.word(), "source": run.source,
                "at": seconds(&Some(run.claimed_at.clone())), "ended": seconds(&run.finished_at),
                "error": run.error})
        })
        .collect()
}

pub(crate) async fn list(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let data = app
        .look(|host| {
            let (jobs, problem) = match jobs(host) {
                Ok(jobs) => (jobs, None),
                Err(problem) => (Vec::new(), Some(problem)),
            };
            let ticker = host.job_store().ok().map(|store| {
                let health = ticker_health(&store);
                json!({"held": health.is_held, "stalled": health.is_stalled()})
            });
            let targets: Vec<&str> =
                host.deliveries().targets().iter().map(|target| target.platform()).collect();
            json!({"jobs": jobs, "problem": problem, "ticker": ticker, "runs": runs(host, None),
                "targets": targets})
        })
        .await?;
    Ok(Page { template: "page_cron", title: "Jobs", here: "/cron", data }.show(&visitor))
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> PageResult {
    let data = app
        .look(move |host| {
            let store = host.job_store().map_err(|problem| problem.to_string())?;
            let job = store.find(&id).map_err(|problem| problem.to_string())?;
            let output = last_output(&store, &job.id).map(|text| cut(&text, MAX_OUTPUT));
            Ok::<_, String>(
                json!({"job": shown(&job, store.zone()), "runs": runs(host, Some(&job.id)),
                "output": output}),
            )
        })
        .await?
        .map_err(PageProblem::missing)?;
    Ok(Page { template: "page_job", title: "Job", here: "/cron", data }.show(&visitor))
}

pub(crate) async fn create(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    let draft = JobDraft {
        schedule: fields.some("schedule"),
        prompt: fields.some("prompt"),
        name: fields.some("name"),
        deliver: fields.some("deliver"),
        ..JobDraft::default()
    };
    let job = app
        .look(move |host| {
            let store = host.job_store().map_err(|problem| problem.to_string())?;
            let draft = draft.pinned(ModelSources::of(host).pinned().as_ref());
            store.create(&draft, Timestamp::now()).map_err(|problem| problem.to_string())
        })
        .await?
        .map_err(PageProblem::refused)?;
    app.note(&visitor, "create job", &job.id);
    Ok(visitor.to_saying("/cron", format!("Created {}: {}", job.name, job.schedule_display)))
}

pub(crate) async fn act(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path((id, act)): Path<(String, String)>,
) -> PageResult {
    let (asked, wanted) = (id.clone(), act.clone());
    let said = app
        .look(move |host| {
            let store = host.job_store().map_err(|problem| problem.to_string())?;
            let now = Timestamp::now();
            let done = match wanted.as_str() {
                "pause" => store.pause(&asked).map(|job| format!("Paused {}.", job.name)),
                "resume" => store.resume(&asked, now).map(|job| format!("Resumed {}.", job.name)),
                "remove" => store.remove(&asked).map(|job| format!("Removed {}.", job.name)),
                "run" => store.make_due(&asked, now).map(|job| match ticker_health(&store).is_held {
                    true => format!("{} runs within a minute.", job.name),
                    false => format!(
                        "{} is due, and nobody runs jobs: start `hermes gateway` or `hermes cron daemon`.",
                        job.name
                    ),
                }),
                _ => return Err("There is no such act.".to_owned()),
            };
            done.map_err(|problem| problem.to_string())
        })
        .await?
        .map_err(PageProblem::refused)?;
    app.note(&visitor, &format!("{act} job"), &id);
    Ok(visitor.to_saying("/cron", said))
}
