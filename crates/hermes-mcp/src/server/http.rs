//! Serving many clients over HTTP.
//!
//! A client that shakes hands has a session, named by a header that the protocol defines; one that is
//! not heard of for a while is over, and there are at most [`MAX_SESSIONS`]. Requests of revision
//! 2026-07-28 come without, beside them. Text that is no message is answered in the
//! words of JSON-RPC. Requests for other hosts than those listed, and from web pages of other
//! origins, are refused, so that a page in somebody's browser cannot reach a server on loopback
//! through a name that it made point here.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta, JsonRpcError};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::unreadable::{Unreadable, parse_error};
use super::{Server, revision};

/// The largest request, in bytes.
pub const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// A client that is silent for so long, without a stream open, is taken to be gone.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Sessions at once.
pub const MAX_SESSIONS: usize = 128;
/// The header by which a client names its session.
const SESSION: &str = "mcp-session-id";
/// The header by which it names the revision it speaks.
const REVISION: &str = "mcp-protocol-version";

/// Where clients find the server.
pub const HTTP_PATH: &str = "/mcp";

/// How the server is offered over HTTP.
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// Hosts by which the server is addressed, with or without a port; loopback by its usual names
    /// when empty.
    pub hosts: Vec<String>,
    /// Cancelled when the server is to stop.
    pub stop: CancellationToken,
}

pub(super) fn router(server: Server, options: &HttpOptions) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        .with_cancellation_token(options.stop.child_token());
    let hosts =
        if options.hosts.is_empty() { config.allowed_hosts.clone() } else { options.hosts.clone() };
    let origins: Vec<String> = hosts.iter().flat_map(|host| origins(host)).collect();
    let config =
        config.with_allowed_hosts(hosts).with_allowed_origins(origins).enforce_origin_validation();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let sessions = Arc::new(sessions);
    let check = from_fn_with_state(Arc::clone(&sessions), read_message);
    let service = StreamableHttpService::new(move || Ok(server.session()), sessions, config);
    Router::new().route_service(HTTP_PATH, service).layer(check).layer(from_fn(session_ended))
}

/// Reads the message of a request before the library does, which would answer with plain words; and
/// lets no new session begin when there are enough.
async fn read_message(
    State(sessions): State<Arc<LocalSessionManager>>,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, MAX_BODY_BYTES).await else {
        let answer = parse_error("the message is larger than 16 MiB or was cut off");
        return (StatusCode::PAYLOAD_TOO_LARGE, Json(answer)).into_response();
    };
    let message = serde_json::from_slice::<ClientJsonRpcMessage>(&bytes);
    if message.is_err()
        && let Some(problem) = Unreadable::of(&bytes)
    {
        return (StatusCode::BAD_REQUEST, Json(problem.answer())).into_response();
    }
    if let Some(refusal) = message.as_ref().ok().and_then(|it| unspoken_revision(&head.headers, it))
    {
        return (StatusCode::BAD_REQUEST, Json(refusal)).into_response();
    }
    let begins_session = message.is_ok_and(|message| is_handshake(&message));
    if begins_session
        && !head.headers.contains_key(SESSION)
        && sessions.sessions.read().await.len() >= MAX_SESSIONS
    {
        let words = "Too many sessions are open; end one, or wait until one has expired\n";
        return (StatusCode::SERVICE_UNAVAILABLE, words).into_response();
    }
    next.run(Request::from_parts(head, Body::from(bytes))).await
}

fn is_handshake(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request)
        if matches!(request.request, ClientRequest::InitializeRequest(_)))
}

/// What a request hears whose header names a revision we do not speak: which we do. The library says so
/// in plain words unless the request itself names it, too.
fn unspoken_revision(headers: &HeaderMap, message: &ClientJsonRpcMessage) -> Option<JsonRpcError> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let named = headers.get(REVISION)?.to_str().ok()?;
    let is_spoken = revision::spoken().iter().any(|version| version.as_str() == named);
    if is_spoken || request.request.get_meta().protocol_version().is_some() {
        return None;
    }
    let named = serde_json::from_value(named.into()).ok()?;
    let error = ErrorData::unsupported_protocol_version(named, revision::spoken());
    Some(JsonRpcError::new(Some(request.id.clone()), error))
}

/// The end of a session is done when it is answered: 200, as the clients of other SDKs expect, where 202
/// would mean that it is still to be done.
async fn session_ended(request: Request, next: Next) -> Response {
    let is_goodbye = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if is_goodbye && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::OK;
    }
    response
}

/// Pages that this very host serves may call it, on any port unless one was named.
fn origins(host: &str) -> Vec<String> {
    let is_bare_v6 = host.matches(':').count() > 1 && !host.starts_with('[');
    let name = if is_bare_v6 { format!("[{host}]") } else { host.to_owned() };
    let has_port = name.rsplit_once(':').is_some_and(|(before, port)| {
        !before.is_empty()
            && port.parse::<u16>().is_ok()
            && (!before.starts_with('[') || before.ends_with(']'))
    });
    let place = if has_port { name } else { format!("{name}:*") };
    ["http", "https"].map(|scheme| format!("{scheme}://{place}")).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_belong_to_hosts() {
        assert_eq!(origins("localhost"), ["http://localhost:*", "https://localhost:*"]);
        assert_eq!(origins("::1")[0], "http://[::1]:*");
        assert_eq!(origins("[::1]:80")[0], "http://[::1]:80");
        assert_eq!(origins("a.example:8080")[1], "https://a.example:8080");
    }
}
