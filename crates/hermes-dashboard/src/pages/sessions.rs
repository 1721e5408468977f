//! Conversations: found, read, named, put away.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse as _;
use hermes_guard::redact::RedactMode;
use hermes_sessions::search::{Answer, LIMIT, Request};
use hermes_sessions::{Archive, Archived, Export, Format, ListFilter, Only};
use serde::Deserialize;
use serde_json::{Value, json};

use super::chat::is_session_name;
use crate::app::App;
use crate::chat::transcript;
use crate::form::Fields;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// Sessions of one page.
const PAGE: usize = 50;

/// What is looked for.
#[derive(Default, Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    q: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    archived: bool,
    #[serde(default)]
    more: usize,
}

pub(crate) async fn list(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> PageResult {
    let query = wanted.q.trim().to_owned();
    let mut found: Vec<Value> = Vec::new();
    if !query.is_empty() {
        let request = Request { limit: Some(*LIMIT.end()), ..Request::discover(query.clone()) };
        let answer = app.read(move |database| database.search(&request)).await?;
        if let Answer::Discover(answer) = answer {
            found = answer
                .results
                .iter()
                .map(|one| {
                    json!({"id": one.session_id, "title": one.title, "source": one.source,
                    "when": one.when, "pieces": pieces(&one.snippet)})
                })
                .collect();
        }
    }
    let limit = PAGE * (wanted.more.min(200) + 1);
    let filter = ListFilter {
        source: Some(wanted.source.clone()).filter(|source| !source.is_empty()),
        archived: if wanted.archived { Archived::Only } else { Archived::LeaveOut },
        limit: Some(limit + 1),
        ..ListFilter::default()
    };
    let (mut rows, sources) = app
        .read(move |database| Ok((database.list(&filter)?, database.insights(0.0)?.sources)))
        .await?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let data = json!({
        "rows": rows, "query": query, "found": found, "source": wanted.source,
        "archived": wanted.archived, "sources": sources.into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "next": has_more.then_some(wanted.more + 1),
    });
    Ok(Page { template: "page_sessions", title: "Sessions", here: "/sessions", data }
        .show(&visitor))
}

/// A snippet cut where what was looked for begins and ends.
fn pieces(snippet: &str) -> Vec<Value> {
    let mut pieces = Vec::new();
    for part in snippet.split(">>>") {
        match part.split_once("<<<") {
            Some((hit, rest)) => {
                pieces.push(json!({"hit": true, "text": hit}));
                pieces.push(json!({"hit": false, "text": rest}));
            }
            None => pieces.push(json!({"hit": false, "text": part})),
        }
    }
    pieces
}

/// Where a page goes back from.
#[derive(Deserialize)]
pub(crate) struct Before {
    before: Option<i64>,
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Query(place): Query<Before>,
) -> PageResult {
    let wanted = id.clone();
    let (row, rows) = app
        .read(move |database| {
            let row = database.find_tip(&wanted)?;
            let rows = database.messages(&row.id)?;
            Ok((row, rows))
        })
        .await?;
    let shown = transcript(rows, place.before, app.redactor());
    let data = json!({"row": row, "shown": shown, "session": row.id});
    Ok(Page { template: "page_session", title: "Session", here: "/sessions", data }.show(&visitor))
}

pub(crate) async fn rename(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    body: Bytes,
) -> PageResult {
    let title = Fields::parse(&body).text("title").to_owned();
    let wanted = id.clone();
    app.store.write(move |database| database.set_title(&wanted, &title)).await?;
    app.note(&visitor, "rename session", &id);
    Ok(visitor.to_saying(&address(&id)?, "Renamed."))
}

pub(crate) async fn archive(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    body: Bytes,
) -> PageResult {
    let is_back = Fields::parse(&body).text("act") == "list";
    let wanted = id.clone();
    let state = move || if is_back { Archive::Listed } else { Archive::Hidden };
    app.store.write(move |database| database.archive(&wanted, state())).await?;
    app.note(&visitor, "archive session", &id);
    let said = if is_back { "Listed again." } else { "Archived." };
    Ok(visitor.to_saying(&address(&id)?, said))
}

pub(crate) async fn delete(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> PageResult {
    if app.rooms.find(&id).is_some_and(|room| room.is_busy()) {
        return Err(PageProblem::conflict("A turn works in this session. Stop it first."));
    }
    let wanted = id.clone();
    if !app.store.write(move |database| database.delete(&wanted)).await? {
        return Err(PageProblem::missing("There is no session of this name."));
    }
    app.note(&visitor, "delete session", &id);
    Ok(visitor.to_saying("/sessions", "Deleted."))
}

fn address(id: &str) -> Result<String, PageProblem> {
    match is_session_name(id) {
        true => Ok(format!("/sessions/{id}")),
        false => Err(PageProblem::missing("There is no session of this name.")),
    }
}

/// In which form.
#[derive(Deserialize)]
pub(crate) struct Wish {
    #[serde(default)]
    format: String,
}

pub(crate) async fn export(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(wish): Query<Wish>,
) -> PageResult {
    let (format, ending, mime) = match wish.format.as_str() {
        "html" => (Format::Html, "html", "text/html; charset=utf-8"),
        "json" => (Format::Jsonl, "jsonl", "application/x-ndjson"),
        _ => (Format::Markdown, "md", "text/markdown; charset=utf-8"),
    };
    let redactor = app.redactor();
    let wanted = id.clone();
    let bytes = app
        .read(move |database| {
            let mask = |text: &str| redactor.redact(text, RedactMode::Full).into_owned();
            let how = Export { format, only: Only::Everything, redact: Some(&mask) };
            let mut out = Vec::new();
            // Writing to memory does not fail.
            let _ = database.export(&[database.find_tip(&wanted)?.id], &how, &mut out)?;
            Ok(out)
        })
        .await?;
    let name: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(mime));
    // Kept, not opened: in our own window it would have our rights.
    let file = format!("attachment; filename=\"session-{name}.{ending}\"");
    if let Ok(file) = HeaderValue::from_str(&file) {
        headers.insert(CONTENT_DISPOSITION, file);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_cut_where_the_hit_is() {
        let cut = pieces("a >>>b<<< c");
        let hits: Vec<&str> = cut
            .iter()
            .filter(|one| one["hit"] == true)
            .filter_map(|one| one["text"].as_str())
            .collect();
        assert_eq!(hits, ["b"]);
        assert_eq!(pieces("<script>").len(), 1);
    }
}
