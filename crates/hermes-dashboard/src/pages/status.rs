//! How things stand, for programs and for the script of our pages.

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value, json};

use crate::app::App;
use crate::problem::PageProblem;
use crate::visitor::Visitor;

pub(crate) async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// Everything for who is logged in; for others that it is up.
pub(crate) async fn status(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<Value>, PageProblem> {
    if visitor.cookie.is_none() {
        return Ok(Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})));
    }
    Ok(Json(app.look(hermes_homes::status).await?))
}

/// How many questions wait.
pub(crate) async fn waiting(State(app): State<App>) -> Json<Value> {
    Json(json!({"waiting": app.questions.count(), "at_work": app.rooms.at_work()}))
}
