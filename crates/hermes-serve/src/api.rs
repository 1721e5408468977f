//! The routes, and what they share.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hermes_runtime::{Offer, Runtime, ToolScope};
use hermes_tool::{Effect, Services};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::call;
use crate::openapi;
use crate::problem::Problem;

pub use crate::call::Called;

/// The largest body, in bytes.
pub const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Makes services for a call, given the name of its session.
type SessionServices = Arc<dyn Fn(&str) -> Services + Send + Sync>;

/// The tools of a runtime, for programs. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) runtime: Runtime,
    pub(crate) scope: ToolScope,
    pub(crate) services: SessionServices,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) version: String,
}

/// Builds an [`Api`].
pub struct ApiBuilder(Shared);

impl Api {
    /// Starts building.
    #[must_use]
    pub fn builder(runtime: Runtime) -> ApiBuilder {
        ApiBuilder(Shared {
            runtime,
            scope: ToolScope::default(),
            services: Arc::new(|_| Services::default()),
            cwd: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// The tools on offer, sorted by name.
    #[must_use]
    pub fn offers(&self) -> Vec<Offer> {
        self.shared.runtime.offers(&self.shared.scope)
    }

    /// The version it tells.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.shared.version
    }

    fn find(&self, name: &str) -> Result<Offer, Problem> {
        let found = self.offers().into_iter().find(|offer| &**offer.tool.name() == name);
        found.ok_or_else(|| {
            Problem::new(
                StatusCode::NOT_FOUND,
                "unknown_tool",
                format!("There is no tool `{name}`"),
                "GET /v1/tools lists those on offer",
            )
        })
    }
}

impl ApiBuilder {
    /// The toolsets on offer; all by default.
    #[must_use]
    pub fn scope(mut self, scope: ToolScope) -> Self {
        self.0.scope = scope;
        self
    }

    /// Services for every call, given the name of its session.
    #[must_use]
    pub fn services(mut self, make: impl Fn(&str) -> Services + Send + Sync + 'static) -> Self {
        self.0.services = Arc::new(make);
        self
    }

    /// Where relative paths start; the process's own directory by default.
    #[must_use]
    pub fn cwd(mut self, cwd: Option<PathBuf>) -> Self {
        self.0.cwd = cwd;
        self
    }

    /// The version to tell.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.0.version = version.into();
        self
    }

    /// The tools for programs.
    #[must_use]
    pub fn build(self) -> Api {
        Api { shared: Arc::new(self.0) }
    }
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
}

impl std::fmt::Debug for ApiBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiBuilder")
    }
}

/// All routes, without any check of who asks: put [`Access`](crate::Access) before them.
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

impl From<Offer> for Shown {
    fn from(offer: Offer) -> Self {
        let effects = offer.tool.effects();
        Self {
            name: offer.tool.name().to_string(),
            toolset: offer.tool.toolset().to_string(),
            description: offer.description,
            effects: effects.iter().map(Effect::name).collect(),
            read_only: effects.is_read_only(),
            parameters: offer.parameters,
        }
    }
}

async fn health(State(api): State<Api>) -> Json<Value> {
    Json(json!({"status": "ok", "version": api.version()}))
}

async fn list(State(api): State<Api>) -> Json<Value> {
    let tools: Vec<Shown> = api.offers().into_iter().map(Shown::from).collect();
    Json(json!({"count": tools.len(), "tools": tools}))
}

async fn show(State(api): State<Api>, Path(name): Path<String>) -> Result<Json<Shown>, Problem> {
    Ok(Json(api.find(&name)?.into()))
}

async fn describe(State(api): State<Api>) -> Json<Value> {
    Json(openapi::document(&api))
}

/// How a call is wanted.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallQuery {
    /// Seconds until the call is ended.
    pub(crate) timeout: Option<f64>,
    /// Calls of one session share a terminal: its directory, its variables, its processes.
    pub(crate) session: Option<String>,
}

async fn call_tool(
    State(api): State<Api>,
    Path(name): Path<String>,
    query: Result<Query<CallQuery>, QueryRejection>,
    headers: HeaderMap,
    body: Result<axum::body::Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let tool = api.find(&name)?.tool;
    let Query(query) = query.map_err(|why| {
        let hint = "Known are `timeout` (seconds) and `session` (a name)";
        Problem::new(StatusCode::BAD_REQUEST, "bad_query", why.body_text(), hint)
    })?;
    let body = body.map_err(|why| too_large_or_broken(&why))?;
    let request = call::Wanted { tool, args: arguments(&body)?, query };
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

fn too_large_or_broken(why: &BytesRejection) -> Problem {
    match why.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("The body is larger than {} MiB", MAX_BODY_BYTES / (1024 * 1024)),
            "Write large content to a file and pass its path",
        ),
        status => Problem::new(status, "broken_body", why.body_text(), "Send the request again"),
    }
}

/// No body means no arguments.
fn arguments(body: &[u8]) -> Result<Map<String, Value>, Problem> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    let bad = |code, message| {
        let hint = "Send the arguments as one JSON object, such as {\"path\": \"README.md\"}";
        Problem::new(StatusCode::BAD_REQUEST, code, message, hint)
    };
    let mut arguments = match serde_json::from_slice(body) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) => return Err(bad("not_an_object", "The body is no JSON object".to_owned())),
        Err(why) => return Err(bad("bad_json", format!("The body is not JSON: {why}"))),
    };
    arguments.retain(|_, value| !value.is_null());
    Ok(arguments)
}

async fn not_found(uri: Uri) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "not_found",
        format!("There is nothing at {}", uri.path()),
        "GET /openapi.json lists all there is",
    )
}

async fn wrong_method(uri: Uri) -> Problem {
    Problem::new(
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
