//! The addresses, and what is done at each.

mod about;
mod addresses;
mod chat;
mod jobs;
mod requests;
mod responses;
mod runs;
mod sessions;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, Uri};
use axum::routing::{get, post};

use crate::problem::Refusal;
use crate::server::App;

/// The largest body, in bytes.
pub(crate) const MAX_BODY: usize = 10 * 1024 * 1024;
/// What needs no key.
pub(crate) const OPEN_PATHS: &[&str] = &["/health", "/v1/health"];
/// All routes, without any check of who asks.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/health", get(about::health))
        .route("/v1/health", get(about::health))
        .route("/health/detailed", get(about::detailed))
        .route("/v1/models", get(about::models))
        .route("/v1/models/{id}", get(about::one_model))
        .route("/v1/capabilities", get(about::capabilities))
        .route("/v1/skills", get(about::skills))
        .route("/v1/toolsets", get(about::toolsets))
        .route("/v1/chat/completions", post(chat::complete))
        .route("/v1/responses", post(responses::create))
        .route("/v1/responses/{id}", get(responses::show).delete(responses::delete))
        .route("/v1/runs", post(runs::start))
        .route("/v1/runs/{id}", get(runs::show))
        .route("/v1/runs/{id}/events", get(runs::events))
        .route("/v1/runs/{id}/approval", post(runs::approve))
        .route("/v1/runs/{id}/stop", post(runs::stop))
        .route("/api/sessions", get(sessions::list).post(sessions::create))
        .route(
            "/api/sessions/{id}",
            get(sessions::show).patch(sessions::change).delete(sessions::delete),
        )
        .route("/api/sessions/{id}/messages", get(sessions::messages))
        .route("/api/sessions/{id}/fork", post(sessions::fork))
        .route("/api/sessions/{id}/chat", post(sessions::talk))
        .route("/api/sessions/{id}/chat/stream", post(sessions::talk_as_events))
        .route("/api/jobs", get(jobs::list).post(jobs::create))
        .route("/api/jobs/{id}", get(jobs::show).patch(jobs::change).delete(jobs::delete))
        .route("/api/jobs/{id}/pause", post(jobs::pause))
        .route("/api/jobs/{id}/resume", post(jobs::resume))
        .route("/api/jobs/{id}/run", post(jobs::run))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(app)
}

async fn not_found(uri: Uri) -> Refusal {
    let text =
        format!("There is nothing at {}; GET /v1/capabilities lists all there is", uri.path());
    Refusal::unknown("not_found", text)
}

async fn wrong_method(uri: Uri) -> Refusal {
    let text = format!("{} does not take this method", uri.path());
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", text)
}
