//! The addresses, and what is done at each.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::app::App;
use crate::front::front;
use crate::problem::PageProblem;
use crate::{assets, pages};

/// The largest body, in bytes: some pictures.
pub(crate) const MAX_BODY: usize = 12 * 1024 * 1024;
/// What a page of ours may load and do. No script but ours, none within a page, nothing from elsewhere.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// All routes behind the check of who is there.
pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/", get(pages::overview::show))
        .route("/health", get(pages::status::health))
        .route("/api/status", get(pages::status::status))
        .route("/api/waiting", get(pages::status::waiting))
        .route("/assets/{name}", get(assets::serve))
        .route("/login", get(pages::login::show).post(pages::login::enter))
        .route("/logout", post(pages::login::leave))
        .route("/theme", post(pages::login::theme))
        .route("/chat", get(pages::chat::begin))
        .route("/chat/{id}", get(pages::chat::show))
        .route("/chat/{id}/transcript", get(pages::chat::transcript))
        .route("/chat/{id}/events", get(pages::chat::events))
        .route("/chat/{id}/say", post(pages::chat::say))
        .route("/chat/{id}/stop", post(pages::chat::stop))
        .route("/questions/{id}", post(pages::approvals::answer))
        .route("/approvals", get(pages::approvals::show))
        .route("/approvals/{kind}/{id}", post(pages::approvals::decide))
        .route("/sessions", get(pages::sessions::list))
        .route("/sessions/{id}", get(pages::sessions::show))
        .route("/sessions/{id}/rename", post(pages::sessions::rename))
        .route("/sessions/{id}/archive", post(pages::sessions::archive))
        .route("/sessions/{id}/delete", post(pages::sessions::delete))
        .route("/sessions/{id}/export", get(pages::sessions::export))
        .route("/cron", get(pages::cron::list).post(pages::cron::create))
        .route("/cron/{id}", get(pages::cron::show))
        .route("/cron/{id}/{act}", post(pages::cron::act))
        .route("/channels", get(pages::channels::show))
        .route("/channels/{act}", post(pages::channels::act))
        .route("/tools", get(pages::tools::show))
        .route("/tools/switch", post(pages::tools::switch))
        .route("/models", get(pages::models::show).post(pages::models::choose))
        .route("/keys", post(pages::models::key))
        .route("/memory", get(pages::memory::show))
        .route("/memory/{act}", post(pages::memory::change))
        .route("/config", get(pages::config::show).post(pages::config::set))
        .route("/config/raw", get(pages::config::raw).post(pages::config::write))
        .route("/config/undo", post(pages::config::undo))
        .route("/logs", get(pages::logs::show))
        .route("/logs/lines", get(pages::logs::lines))
        .route("/usage", get(pages::usage::show))
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), front))
        .with_state(app)
}

async fn not_found() -> PageProblem {
    PageProblem::missing("There is no page at this address.")
}
