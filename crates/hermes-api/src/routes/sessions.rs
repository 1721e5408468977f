//! `/api/sessions`: the conversations we keep.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use hermes_agent::conversation::message_of;
use hermes_guard::redact::RedactMode;
use hermes_sessions::{
    Archive, Archived, ListFilter, NewSession, SessionDatabase, SessionsError, new_session_id,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::requests::{self, Opening, first_item, object};
use crate::answer::{PERSON_HEADER, name_session};
use crate::content;
use crate::events::stream;
use crate::feed::{FeedItem, preview};
use crate::names::{header_name, new_id};
use crate::problem::{Refusal, of_sessions};
use crate::server::{App, PLATFORM, SessionChoice, TurnOrder};
use crate::turn::Ended;

/// Sessions of one list.
const MOST: usize = 200;

/// Which sessions are listed.
#[derive(Default, Deserialize)]
pub(crate) struct Listed {
    limit: Option<usize>,
    source: Option<String>,
    #[serde(default)]
    archived: bool,
}

async fn read<T: Send + 'static>(
    app: &App,
    look: impl FnOnce(&SessionDatabase) -> Result<T, SessionsError> + Send + 'static,
) -> Result<T, Refusal> {
    app.store().read(look).await.map_err(|problem| of_sessions(&problem))
}

async fn write<T: Send + 'static>(
    app: &App,
    act: impl Fn(&SessionDatabase) -> Result<T, SessionsError> + Send + 'static,
) -> Result<T, Refusal> {
    app.store().write(act).await.map_err(|problem| match &problem {
        SessionsError::NoSession { .. } => of_sessions(&problem),
        // What a person may correct: a title that is taken, or none.
        _ => Refusal::bad("invalid_session", problem.to_string()),
    })
}

/// The session of exactly this id.
async fn row_of(app: &App, id: &str) -> Result<Value, Refusal> {
    let wanted = id.to_owned();
    let row = read(app, move |database| database.get(&wanted)).await?;
    let row = row.ok_or_else(|| unknown(id))?;
    Ok(json!({
        "object": "hermes.session", "id": row.id, "title": row.title, "source": row.source,
        "model": row.model, "cwd": row.cwd, "started_at": row.started_at, "ended_at": row.ended_at,
        "end_reason": row.end_reason, "message_count": row.message_count,
        "parent_session_id": row.parent_session_id, "archived": row.archived,
        "usage": {
            "input_tokens": row.input_tokens, "output_tokens": row.output_tokens,
            "cache_read_tokens": row.cache_read_tokens, "cost_usd": row.estimated_cost_usd,
        },
    }))
}

fn unknown(id: &str) -> Refusal {
    Refusal::unknown("session_not_found", format!("There is no session `{id}`"))
}

pub(crate) async fn list(
    State(app): State<App>,
    Query(wanted): Query<Listed>,
) -> Result<Json<Value>, Refusal> {
    let filter = ListFilter {
        source: wanted.source,
        archived: if wanted.archived { Archived::Include } else { Archived::LeaveOut },
        limit: Some(wanted.limit.unwrap_or(50).min(MOST)),
        ..ListFilter::default()
    };
    let rows = read(&app, move |database| database.list(&filter)).await?;
    Ok(Json(json!({"object": "list", "data": rows})))
}

pub(crate) async fn create(State(app): State<App>, body: Bytes) -> Result<Response, Refusal> {
    let body = if body.is_empty() { Map::new() } else { object(&body)? };
    let id = new_session_id();
    let new = NewSession {
        id: id.clone(),
        source: PLATFORM.to_owned(),
        model: body.get("model").and_then(Value::as_str).map(str::to_owned),
        ..NewSession::default()
    };
    let title = title(&body)?;
    write(&app, move |database| {
        database.create(&new)?;
        title.as_ref().map_or(Ok(()), |title| database.set_title(&new.id, title).map(drop))
    })
    .await?;
    Ok((StatusCode::CREATED, Json(row_of(&app, &id).await?)).into_response())
}

fn title(body: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    match body.get("title") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(title)) => Ok(Some(title.clone())),
        Some(_) => Err(Refusal::bad("invalid_type", "`title` must be a text").about("title")),
    }
}

pub(crate) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    Ok(Json(row_of(&app, &id).await?))
}

pub(crate) async fn change(
    State(app): State<App>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, Refusal> {
    let body = object(&body)?;
    row_of(&app, &id).await?;
    let (title, archived, wanted) = (title(&body)?, body.get("archived").cloned(), id.clone());
    let archived = archived.map(|given| content::flag(Some(&given), "archived")).transpose()?;
    write(&app, move |database| {
        if let Some(title) = &title {
            database.set_title(&wanted, title)?;
        }
        match archived {
            Some(true) => database.archive(&wanted, Archive::Hidden),
            Some(false) => database.archive(&wanted, Archive::Listed),
            None => Ok(()),
        }
    })
    .await?;
    Ok(Json(row_of(&app, &id).await?))
}

pub(crate) async fn delete(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let Some(_held) = app.hold_if_idle(&id) else {
        let text = "A turn works in this session; stop it first";
        return Err(Refusal::new(StatusCode::CONFLICT, "session_busy", text));
    };
    let wanted = id.clone();
    match write(&app, move |database| database.delete(&wanted)).await? {
        true => Ok(Json(json!({"id": id, "object": "hermes.session", "deleted": true}))),
        false => Err(unknown(&id)),
    }
}

pub(crate) async fn messages(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    row_of(&app, &id).await?;
    let wanted = id.clone();
    let rows = read(&app, move |database| database.messages(&database.tip(&wanted)?)).await?;
    let redactor = app.host.redactor();
    let data: Vec<Value> = rows
        .into_iter()
        .map(|row| {
            let (number, at) = (row.id, row.timestamp);
            let mut value = serde_json::to_value(message_of(row)).unwrap_or_default();
            value["id"] = number.into();
            value["timestamp"] = at.into();
            if let Some(text) = value["content"].as_str() {
                value["content"] = redactor.redact(text, RedactMode::Full).into_owned().into();
            }
            value
        })
        .collect();
    Ok(Json(json!({"object": "list", "session_id": id, "data": data})))
}

pub(crate) async fn fork(
    State(app): State<App>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let body = if body.is_empty() { Map::new() } else { object(&body)? };
    row_of(&app, &id).await?;
    let (new, wanted, title) = (new_session_id(), id.clone(), title(&body)?);
    let named = new.clone();
    write(&app, move |database| database.branch(&database.tip(&wanted)?, &named, title.as_deref()))
        .await?;
    Ok((StatusCode::CREATED, Json(row_of(&app, &new).await?)).into_response())
}

/// What is said in a session.
async fn order(
    app: &App,
    id: &str,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<TurnOrder, Refusal> {
    let body = object(body)?;
    row_of(app, id).await?;
    let (_, route) = app.route(body.get("model"))?;
    let said = content::of_input(body.get("message").or_else(|| body.get("input")))
        .map_err(|refusal| refusal.about("message"))?;
    let offer = content::offer(body.get("tools"))?;
    let given = body.get("instructions").and_then(Value::as_str).map(str::to_owned);
    let person = header_name(headers, PERSON_HEADER)?;
    let place = SessionChoice::Session(id.to_owned());
    Ok(requests::order(
        place,
        person,
        route,
        given.or(said.instructions),
        Vec::new(),
        said.said,
        offer,
    ))
}

fn answer(id: &str, ended: &Ended) -> Value {
    json!({
        "object": "hermes.session.message", "session_id": id,
        "message": {"role": "assistant", "content": ended.result.final_response},
        "usage": ended.usage(), "hermes": ended.about(&[]),
    })
}

pub(crate) async fn talk(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let mut turn = app.begin(order(&app, &id, &headers, &body).await?).await?;
    let ended = turn.end().await?;
    match ended.refusal() {
        Some(refusal) => Err(refusal),
        None => {
            let mut response = Json(answer(&id, &ended)).into_response();
            name_session(&mut response, &id, None);
            Ok(response)
        }
    }
}

/// The same as events, in the words of runs.
pub(crate) async fn talk_as_events(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let mut turn = app.begin(order(&app, &id, &headers, &body).await?).await?;
    let opening = first_item(&mut turn).await?;
    let session = id.clone();
    let mut response = stream(|events| async move {
        let message = new_id("msg_");
        let (mut item, mut early) = match opening {
            Opening::Item(item) => (Some(item), None),
            Opening::NothingYet => (turn.feed.next().await, None),
            Opening::Ended(ended) => (None, Some(*ended)),
        };
        while let Some(now) = item {
            let (name, about) = match now {
                FeedItem::Text(text) => {
                    ("message.delta", json!({"message_id": message, "delta": text}))
                }
                FeedItem::Reasoning(text) => ("reasoning.available", json!({"text": text})),
                FeedItem::ToolStarted { id, tool, args } => (
                    "tool.started",
                    json!({"tool": tool, "tool_call_id": id, "preview": preview(&args)}),
                ),
                FeedItem::ToolFinished { id, tool, failed, took, .. } => (
                    "tool.completed",
                    json!({"tool": tool, "tool_call_id": id, "duration": took.as_secs_f64(), "error": failed}),
                ),
            };
            events.named(name, &about).await?;
            item = turn.feed.next().await;
        }
        let ended = match early.take() {
            Some(ended) => Ok(ended),
            None => turn.end().await,
        };
        match ended {
            Ok(ended) => match ended.refusal() {
                Some(refusal) => events.named("run.failed", &refusal.body()).await,
                None => events.named("run.completed", &answer(&session, &ended)).await,
            },
            Err(refusal) => events.named("run.failed", &refusal.body()).await,
        }
    });
    name_session(&mut response, &id, None);
    Ok(response)
}
