//! `/api/jobs`: scheduled jobs, over the store that `hermes cron` works on.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use hermes_cron::verbs::{self, CronVerb};
use hermes_cron::{CronError, Job, JobDraft, JobStore};
use hermes_host::ModelSources;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::requests::object;
use crate::problem::Refusal;
use crate::server::App;

/// A job as it is wanted; what is not said stays, or is as usual.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WantedJob {
    schedule: Option<String>,
    prompt: Option<String>,
    name: Option<String>,
    repeat: Option<u64>,
    deliver: Option<String>,
    skills: Option<Vec<String>>,
    model: Option<String>,
    provider: Option<String>,
    toolsets: Option<Vec<String>>,
    workdir: Option<String>,
    context_from: Option<Vec<String>>,
}

impl WantedJob {
    fn read(body: &[u8]) -> Result<JobDraft, Refusal> {
        let wanted: Self = serde_json::from_value(Value::Object(object(body)?)).map_err(|why| {
            Refusal::bad("invalid_job", format!("The job is not understood: {why}"))
        })?;
        Ok(JobDraft {
            schedule: wanted.schedule,
            prompt: wanted.prompt,
            name: wanted.name,
            repeat: wanted.repeat,
            deliver: wanted.deliver,
            skills: wanted.skills,
            model: wanted.model,
            provider: wanted.provider,
            toolsets: wanted.toolsets,
            workdir: wanted.workdir,
            context_from: wanted.context_from,
            ..JobDraft::default()
        })
    }
}

fn store(app: &App) -> Result<JobStore, Refusal> {
    app.host.job_store().map_err(|problem| Refusal::broken(problem.to_string()))
}

/// Does something to the jobs, where the disk may be waited for.
async fn with<T: Send + 'static>(
    app: &App,
    act: impl FnOnce(&JobStore) -> Result<T, CronError> + Send + 'static,
) -> Result<T, Refusal> {
    let store = store(app)?;
    let done = tokio::task::spawn_blocking(move || act(&store)).await;
    let done = done.map_err(|problem| Refusal::broken(problem.to_string()))?;
    done.map_err(|problem| match &problem {
        CronError::NoSuchJob { .. } => Refusal::unknown("job_not_found", problem.to_string()),
        _ if problem.is_mistaken_request() => Refusal::bad("invalid_job", problem.to_string()),
        _ => Refusal::broken(problem.to_string()),
    })
}

fn shown(job: &Job) -> Value {
    serde_json::to_value(job).unwrap_or_default()
}

pub(crate) async fn list(State(app): State<App>) -> Result<Json<Value>, Refusal> {
    let jobs = with(&app, JobStore::jobs).await?;
    let data: Vec<Value> = jobs.iter().map(shown).collect();
    Ok(Json(json!({"object": "list", "data": data})))
}

pub(crate) async fn create(State(app): State<App>, body: Bytes) -> Result<Response, Refusal> {
    let draft = WantedJob::read(&body)?.pinned(ModelSources::of(&app.host).pinned().as_ref());
    let job = with(&app, move |jobs| jobs.create(&draft, Timestamp::now())).await?;
    Ok((StatusCode::CREATED, Json(shown(&job))).into_response())
}

pub(crate) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    Ok(Json(shown(&with(&app, move |jobs| jobs.find(&id)).await?)))
}

pub(crate) async fn change(
    State(app): State<App>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, Refusal> {
    let draft = WantedJob::read(&body)?;
    Ok(Json(shown(&with(&app, move |jobs| jobs.edit(&id, &draft, Timestamp::now())).await?)))
}

pub(crate) async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let job = with(&app, move |jobs| jobs.remove(&id)).await?;
    Ok(Json(json!({"id": job.id, "object": "hermes.job", "deleted": true})))
}

pub(crate) async fn pause(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    Ok(Json(shown(&with(&app, move |jobs| jobs.pause(&id)).await?)))
}

pub(crate) async fn resume(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    Ok(Json(shown(&with(&app, move |jobs| jobs.resume(&id, Timestamp::now())).await?)))
}

/// Runs a job now, in this process. How it went stands in the job itself.
pub(crate) async fn run(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let job = with(&app, move |jobs| jobs.find(&id)).await?;
    let place = app
        .host
        .cron_place(app.stop.clone(), Arc::new(|_| {}))
        .map_err(|problem| Refusal::broken(problem.to_string()))?;
    let verb = CronVerb::Run { job: job.id.clone(), json: true };
    tokio::spawn(async move {
        if let Err(problem) = verbs::run(&place, &verb).await {
            tracing::warn!(%problem, "a job that was asked for did not run");
        }
    });
    let answer = json!({"id": job.id, "object": "hermes.job", "status": "started"});
    Ok((StatusCode::ACCEPTED, Json(answer)).into_response())
}
