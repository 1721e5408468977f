//! The routes: what each address answers, and how a request becomes a call.

use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hermes_runtime::ListedTool;
use hermes_tool::Effect;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::api::Api;
use crate::body::MAX_BODY_BYTES;
use crate::call::{self, CallQuery};
use crate::openapi;
use crate::problem::ApiProblem;

/// All routes, without any check of who asks: put `AccessCheck` before them.
pub fn router(api: &Api) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/v1/tools", get(list))
        .route("/v1/tools/{name}", get(show))
        .route("/v1/tools/{name}/call", post(call_tool))
        .route("/openapi.json", get(describe))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(api.clone())
}

/// A tool as programs see it.
#[derive(Serialize)]
struct Shown {
    name: String,
    toolset: String,
    description: String,
    effects: Vec<&'static str>,
    read_only: bool,
    parameters: Value,
}

impl From<&ListedTool> for Shown {
    fn from(listed: &ListedTool) -> Self {
        let effects = listed.tool.effects();
        Self {
            name: listed.tool.name().to_string(),
            toolset: listed.tool.toolset().to_string(),
            description: listed.description.clone(),
            effects: effects.iter().map(Effect::name).collect(),
            read_only: effects.is_read_only(),
            parameters: listed.parameters.clone(),
        }
    }
}

async fn health(State(api): State<Api>) -> Json<Value> {
    Json(json!({"status": "ok", "version": api.version()}))
}

async fn list(State(api): State<Api>) -> Json<Value> {
    let tools: Vec<Shown> = api.list_tools().iter().map(Shown::from).collect();
    Json(json!({"count": tools.len(), "tools": tools}))
}

async fn show(State(api): State<Api>, Path(name): Path<String>) -> Result<Json<Shown>, ApiProblem> {
    Ok(Json(Shown::from(&api.find(&name)?)))
}

async fn describe(State(api): State<Api>) -> Json<Value> {
    Json(openapi::document(&api))
}

async fn call_tool(
    State(api): State<Api>,
    Path(name): Path<String>,
    query: Result<Query<CallQuery>, QueryRejection>,
    headers: HeaderMap,
    body: Result<axum::body::Bytes, BytesRejection>,
) -> Result<Response, ApiProblem> {
    let tool = api.find(&name)?.tool;
    let Query(query) = query.map_err(|why| {
        let hint = "Known are `timeout` (seconds) and `session` (a name)";
        ApiProblem::new(StatusCode::BAD_REQUEST, "bad_query", why.body_text(), hint)
    })?;
    let body = body.map_err(|why| too_large_or_broken(&why))?;
    let request = call::CallRequest { tool, args: arguments(&body)?, query };
    match wants_events(&headers) {
        true => call::as_events(&api, request).map(IntoResponse::into_response),
        false => Ok(Json(call::to_the_end(&api, request).await?).into_response()),
    }
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(axum::http::header::ACCEPT).iter();
    let mut kinds = accepted.filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    kinds.any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "text/event-stream"))
}

fn too_large_or_broken(why: &BytesRejection) -> ApiProblem {
    match why.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiProblem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("The body is larger than {} MiB", MAX_BODY_BYTES / (1024 * 1024)),
            "Write large content to a file and pass its path",
        ),
        status => ApiProblem::new(status, "broken_body", why.body_text(), "Send the request again"),
    }
}

/// No body means no arguments.
fn arguments(body: &[u8]) -> Result<Map<String, Value>, ApiProblem> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    let bad = |code, message| {
        let hint = "Send the arguments as one JSON object, such as {\"path\": \"README.md\"}";
        ApiProblem::new(StatusCode::BAD_REQUEST, code, message, hint)
    };
    let mut arguments = match serde_json::from_slice(body) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) => return Err(bad("not_an_object", "The body is no JSON object".to_owned())),
        Err(why) => return Err(bad("bad_json", format!("The body is not JSON: {why}"))),
    };
    arguments.retain(|_, value| !value.is_null());
    Ok(arguments)
}

async fn not_found(uri: Uri) -> ApiProblem {
    ApiProblem::new(
        StatusCode::NOT_FOUND,
        "not_found",
        format!("There is nothing at {}", uri.path()),
        "GET /openapi.json lists all there is",
    )
}

async fn wrong_method(uri: Uri) -> ApiProblem {
    ApiProblem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "wrong_method",
        format!("{} does not take this method", uri.path()),
        "Tools are called with POST, everything else is read with GET",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_means_no_arguments_and_null_means_not_given() {
        assert!(arguments(b" \n").unwrap().is_empty());
        assert_eq!(Value::Object(arguments(br#"{"a":1,"b":null}"#).unwrap()), json!({"a": 1}));
        assert_eq!(arguments(b"[1]").unwrap_err().status(), StatusCode::BAD_REQUEST);
        assert_eq!(arguments(b"{").unwrap_err().status(), StatusCode::BAD_REQUEST);
    }

    #[test]
    fn events_are_sent_to_who_accepts_them() {
        let asked = |accept: &str| {
            wants_events(&HeaderMap::from_iter([(
                axum::http::header::ACCEPT,
                accept.parse().unwrap(),
            )]))
        };
        assert!(asked("text/event-stream"));
        assert!(asked("application/json;q=0.5, text/event-stream; q=1"));
        assert!(!asked("*/*"));
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod over_http;
