//! Talking with the agent.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse as _, Response};
use axum::{Extension, Json};
use futures_util::StreamExt as _;
use hermes_host::ModelSources;
use hermes_sessions::{ListFilter, SessionRow, new_session_id};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::chat::{Heard, Room, Said, is_picture, transcript as blocks_of};
use crate::front::json_body;
use crate::problem::{PageProblem, PageResult};
use crate::turns::say as say_in;
use crate::view::{Page, part, plain_part};
use crate::visitor::Visitor;

/// Longest text of one message, in bytes.
const MAX_TEXT: usize = 200_000;
/// Pictures of one message.
const MAX_PICTURES: usize = 8;
/// Changes that come faster than this become one event.
const PACE: Duration = Duration::from_millis(60);
/// A sign of life on a silent stream.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// Sessions beside a chat.
const RECENT: usize = 12;

/// A name that can be a session of ours: no part of a path, nothing that could be markup.
pub(super) fn is_session_name(id: &str) -> bool {
    let is_plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'@');
    !id.is_empty() && id.len() <= 200 && id.bytes().all(is_plain) && !id.contains("..")
}

pub(crate) async fn begin(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    page(&app, &visitor, new_session_id(), None).await
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> PageResult {
    let row = row_of(&app, &id).await?;
    if row.is_none() && app.rooms.find(&id).is_none() {
        return Err(PageProblem::missing("There is no session of this name."));
    }
    page(&app, &visitor, id, row).await
}

async fn row_of(app: &App, id: &str) -> Result<Option<SessionRow>, PageProblem> {
    let wanted = id.to_owned();
    app.read(move |database| database.get(&wanted)).await
}

async fn page(app: &App, visitor: &Visitor, id: String, row: Option<SessionRow>) -> PageResult {
    let view = app.rooms.find(&id).map(|room| room.view());
    let shown = shown(app, &id, view.and_then(|view| view.before)).await?;
    let filter = ListFilter { limit: Some(RECENT), ..ListFilter::default() };
    let recent = app.read(move |database| database.list(&filter)).await?;
    let model = app.look(|host| ModelSources::of(host).pinned()).await?;
    let data = json!({
        "session": id, "title_of": row.as_ref().and_then(|row| row.title.clone()),
        "is_new": row.is_none() && view.is_none(), "source": row.as_ref().map(|row| row.source.clone()),
        "busy": view.is_some_and(|view| view.is_busy), "after": view.map_or(0, |view| view.after),
        "shown": shown, "recent": recent,
        "model": model.as_ref().map(|model| model.model.clone()),
        "provider": model.map(|model| model.provider),
    });
    Ok(Page { template: "page_chat", title: "Chat", here: "/chat", data }.show(visitor))
}

async fn shown(app: &App, id: &str, before: Option<i64>) -> Result<Value, PageProblem> {
    let wanted = id.to_owned();
    let rows = app.read(move |database| database.messages(&database.tip(&wanted)?)).await;
    let rows = match rows {
        Ok(rows) => rows,
        // One that has not begun.
        Err(problem) if problem.status == axum::http::StatusCode::NOT_FOUND => Vec::new(),
        Err(problem) => return Err(problem),
    };
    let redactor = app.redactor();
    Ok(serde_json::to_value(blocks_of(rows, before, redactor)).unwrap_or_default())
}

/// From where on a page goes back, or a tab goes on.
#[derive(Deserialize)]
pub(crate) struct TranscriptRange {
    before: Option<i64>,
    after: Option<u64>,
}

/// The record as it is now, for the script.
pub(crate) async fn transcript(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Query(place): Query<TranscriptRange>,
) -> PageResult {
    let live = app.rooms.find(&id).and_then(|room| room.view().before);
    let before = place.before.or(live);
    let shown = shown(&app, &id, before).await?;
    let data = json!({"shown": shown, "session": id});
    Ok(Html(part("transcript", &visitor, &data)).into_response())
}

/// What happens, block by block, for as long as somebody looks.
pub(crate) async fn events(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Query(place): Query<TranscriptRange>,
    headers: axum::http::HeaderMap,
) -> PageResult {
    if !is_session_name(&id) {
        return Err(PageProblem::missing("There is no session of this name."));
    }
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let seen = last.or(place.after).unwrap_or(0);
    let room = app.room(&id);
    let news = room.news();
    let state = Tab { room, news, seen, ready: Vec::new(), base: visitor.base, is_first: true };
    let stop = app.stop.clone();
    let told = futures_util::stream::unfold(state, next_event)
        .take_until(async move { stop.cancelled().await });
    let alive = KeepAlive::new().interval(SIGN_OF_LIFE).text("keepalive");
    Ok(Sse::new(told).keep_alive(alive).into_response())
}

/// One tab that looks at a room.
struct Tab {
    room: Arc<Room>,
    news: tokio::sync::watch::Receiver<u64>,
    seen: u64,
    /// What it is told next, last first.
    ready: Vec<crate::chat::Block>,
    base: String,
    is_first: bool,
}

async fn next_event(mut tab: Tab) -> Option<(Result<Event, Infallible>, Tab)> {
    while tab.ready.is_empty() {
        if !tab.is_first {
            tab.news.changed().await.ok()?;
            tokio::time::sleep(PACE).await;
        }
        tab.is_first = false;
        tab.news.borrow_and_update();
        tab.ready = tab.room.after(tab.seen);
        tab.ready.reverse();
    }
    let block = tab.ready.pop()?;
    tab.seen = block.changed;
    let html = plain_part("block", &json!({"block": block, "base": tab.base}));
    let kind = serde_json::to_value(&block.what).unwrap_or_default()["kind"].clone();
    let told = json!({"id": block.id, "kind": kind, "html": html});
    let event = Event::default().id(block.changed.to_string()).data(told.to_string());
    Some((Ok(event), tab))
}

pub(crate) async fn say(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, PageProblem> {
    if !is_session_name(&id) {
        return Err(PageProblem::refused("This cannot be the name of a session."));
    }
    let body = json_body(&body)?;
    let text = body["text"].as_str().unwrap_or_default().to_owned();
    let list = body["pictures"].as_array().map(Vec::as_slice).unwrap_or_default();
    let pictures: Vec<String> = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if text.trim().is_empty() && pictures.is_empty() {
        return Err(PageProblem::refused("The message says nothing."));
    }
    if text.len() > MAX_TEXT {
        let most = MAX_TEXT / 1_000;
        let text =
            format!("The message is longer than {most} KB. Put it into a file and name that.");
        return Err(PageProblem::refused(text));
    }
    if pictures.len() > MAX_PICTURES || !pictures.iter().all(|one| is_picture(one)) {
        let text = format!("Up to {MAX_PICTURES} pictures can be shown: PNG, JPEG, GIF or WebP.");
        return Err(PageProblem::refused(text));
    }
    let model = body["model"].as_str().map(str::trim).filter(|name| !name.is_empty());
    let said = Said { text, pictures, model: model.map(str::to_owned) };
    match say_in(&app, &app.room(&id), said) {
        Heard::Full => Err(PageProblem::conflict(
            "Enough messages wait already. Stop the turn, or wait for it.",
        )),
        heard => {
            app.note(&visitor, "say", &id);
            Ok(Json(json!({"session": id, "waits": heard == Heard::Waits})))
        }
    }
}

pub(crate) async fn stop(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    if let Some(room) = app.rooms.find(&id) {
        room.stop();
        app.note(&visitor, "stop", &id);
    }
    Json(json!({"session": id})).into_response()
}
