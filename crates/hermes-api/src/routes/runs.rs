//! `/v1/runs`: a turn that nobody has to wait for.
//!
//! A run goes on when its client is gone. What happens in it is kept, numbered: a reader that comes back says what it saw last
//! (`Last-Event-ID`, or `?after=`) and misses nothing, and there may be any number of readers. A command that needs somebody's
//! word becomes an event with an id, and is answered by that id.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::requests::{self, object, place_of};
use super::responses::previous;
use crate::asking::AnswersQuestions;
use crate::content;
use crate::events::stream;
use crate::problem::{Refusal, of_sessions};
use crate::runs::Run;
use crate::server::{App, SessionChoice, TurnOrder};

pub(crate) async fn start(
    State(app): State<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let body = object(&body)?;
    let (_, route) = app.route(body.get("model"))?;
    let said = content::of_input(body.get("input"))?;
    let offer = content::offer(body.get("tools"))?;
    let text = |name: &str| match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => {
            Err(Refusal::bad("invalid_type", format!("`{name}` must be a text")).about(name))
        }
    };
    let (mut place, person) = place_of(&headers)?;
    if let Some(session) = text("session_id")? {
        let row = app.store().read({
            let session = session.clone();
            move |database| database.get(&session)
        });
        if row.await.map_err(|problem| of_sessions(&problem))?.is_none() {
            let text = format!("There is no session `{session}`");
            return Err(Refusal::unknown("session_not_found", text).about("session_id"));
        }
        place = SessionChoice::Session(session);
    }
    let mut history = Vec::new();
    let mut instructions = text("instructions")?;
    if let Some(id) = text("previous_response_id")? {
        let kept = previous(&app, &id).await?;
        instructions = instructions.or(kept.instructions);
        history = kept.conversation_history;
    }
    if body.get("conversation_history").is_some_and(|rows| !rows.is_null()) {
        let given = content::of_history(body.get("conversation_history"), "conversation_history")?;
        history.extend(given.history);
        instructions = instructions.or(given.instructions);
    }
    history.extend(said.history);
    let instructions = instructions.or(said.instructions);
    let run = Run::new();
    let order = TurnOrder {
        asks: Some(Arc::clone(&run) as Arc<dyn AnswersQuestions>),
        ..requests::order(place, person, route, instructions, history, said.said, offer)
    };
    let turn = app.begin(order).await?;
    let answer = json!({"run_id": run.id, "status": "started", "session_id": turn.session});
    app.runs.keep(Arc::clone(&run));
    tokio::spawn(run.watch(turn));
    Ok((StatusCode::ACCEPTED, Json(answer)).into_response())
}

pub(crate) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    Ok(Json(app.runs.find(&id)?.report()))
}

pub(crate) async fn stop(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let run = app.runs.find(&id)?;
    Ok(Json(json!({"run_id": id, "status": run.stop().word()})))
}

/// The word of a person.
#[derive(Deserialize)]
struct Decision {
    approval_id: Option<String>,
    choice: Option<String>,
    #[serde(default)]
    all: bool,
}

pub(crate) async fn approve(
    State(app): State<App>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, Refusal> {
    let run = app.runs.find(&id)?;
    let said: Decision = serde_json::from_value(Value::Object(object(&body)?)).map_err(|why| {
        Refusal::bad("invalid_json", format!("The body is not understood: {why}"))
    })?;
    let choice = said.choice.unwrap_or_default();
    let resolved = run.decide(said.approval_id.as_deref(), said.all, &choice)?;
    Ok(Json(json!({"run_id": id, "resolved": resolved, "choice": choice})))
}

/// Where a reader goes on.
#[derive(Deserialize)]
pub(crate) struct After {
    after: Option<u64>,
}

pub(crate) async fn events(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<After>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let run = app.runs.find(&id)?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let mut seen = query.after.or(last).unwrap_or(0);
    Ok(stream(|writer| async move {
        let mut news = run.news();
        loop {
            news.borrow_and_update();
            let (events, is_gap, is_over) = run.events_after(seen);
            if is_gap && let Some((first, _)) = events.first() {
                let about =
                    json!({"event": "journal.gap", "run_id": run.id, "missing_before": first});
                writer.data(&about).await?;
            }
            for (number, event) in events {
                seen = number;
                writer
                    .send(Event::default().id(number.to_string()).data(event.to_string()))
                    .await?;
            }
            if is_over || news.changed().await.is_err() {
                return Ok(());
            }
        }
    }))
}
