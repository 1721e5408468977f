//! What there is: health, models, capabilities, skills, toolsets.

use axum::Json;
use axum::extract::{Path, State};
use hermes_cron::ticker_health;
use hermes_skills::SkillLibrary;
use serde_json::{Value, json};

use super::addresses::ADDRESSES;
use crate::problem::Refusal;
use crate::server::{App, PLATFORM};

/// The version of the program, which all crates share.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) async fn health() -> Json<Value> {
    Json(json!({"status": "ok", "version": VERSION}))
}

pub(crate) async fn detailed(State(app): State<App>) -> Json<Value> {
    let ticker = app.host.job_store().ok().map(|jobs| {
        let health = ticker_health(&jobs);
        json!({"stalled": health.is_stalled()})
    });
    Json(json!({
        "status": if app.stop.is_cancelled() { "draining" } else { "ok" },
        "version": VERSION,
        "uptime_seconds": app.since.elapsed().as_secs(),
        "turns": {"most": app.settings.max_concurrent_runs, "free": app.free_slots()},
        "runs": {"at_work": app.runs.at_work()},
        "ticker": ticker,
        "mcp_servers_waited_for": app.factory.tools().servers().map(|servers| servers.unanswered()),
    }))
}

fn model(name: &str, root: Option<&str>) -> Value {
    json!({"id": name, "object": "model", "created": 0, "owned_by": "hermes", "root": root.unwrap_or(name), "parent": null})
}

pub(crate) async fn models(State(app): State<App>) -> Json<Value> {
    let mut data = vec![model(&app.settings.model_name, None)];
    data.extend(
        app.settings.model_routes.iter().map(|(name, route)| model(name, route.model.as_deref())),
    );
    Json(json!({"object": "list", "data": data}))
}

pub(crate) async fn one_model(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let (name, route) = app.route(Some(&Value::String(id)))?;
    Ok(Json(model(&name, route.model.as_deref())))
}

pub(crate) async fn capabilities(State(app): State<App>) -> Json<Value> {
    Json(json!({
        "object": "hermes.api_server.capabilities",
        "platform": PLATFORM,
        "version": VERSION,
        "model": app.settings.model_name,
        "features": {
            "chat_completions": true, "chat_completions_streaming": true, "responses_api": true,
            "responses_streaming": true, "runs": true, "run_events_replay": true,
            "run_approvals": true, "run_stop": true, "sessions": true, "session_fork": true,
            "jobs": true, "idempotency": true, "images": true, "client_tools": false,
            "session_id_header": true, "session_key_header": true,
        },
        "endpoints": ADDRESSES,
    }))
}

pub(crate) async fn skills(State(app): State<App>) -> Result<Json<Value>, Refusal> {
    let host = app.host.clone();
    let listed = tokio::task::spawn_blocking(move || {
        let library = SkillLibrary::new(host.home());
        let store = library.store(host.config().value(), host.vars());
        let (table, offers) = (store.listed_table(), store.offers(Some(PLATFORM)));
        let offered = table.usable().filter(|entry| offers.withheld(entry).is_none());
        offered
            .map(|entry| {
                json!({"name": entry.name, "description": entry.description, "category": entry.category})
            })
            .collect()
    });
    let data: Vec<Value> = listed.await.map_err(|problem| Refusal::broken(problem.to_string()))?;
    Ok(Json(json!({"object": "list", "data": data})))
}

pub(crate) async fn toolsets(State(app): State<App>) -> Json<Value> {
    let runtime = app.factory.tools().runtime();
    let offered = app.host.platform_toolsets(runtime, PLATFORM);
    let tables = runtime.registry().snapshot();
    let toolsets = runtime.toolsets().snapshot();
    let data: Vec<Value> = toolsets
        .names(&*tables)
        .into_iter()
        .filter_map(|name| toolsets.info(&name, &*tables))
        .map(|info| {
            let is_on = offered.iter().any(|name| **name == *info.name);
            json!({"name": info.name, "description": info.description, "tools": info.tools, "enabled": is_on})
        })
        .collect();
    Json(json!({"object": "list", "data": data}))
}
