//! A first look at an address: is it an MCP server or somebody's web page?
//!
//! A wrong path usually answers with a friendly HTML page, and the handshake then fails with an error
//! nobody understands. One cheap request finds that out. Whatever is unclear passes: the handshake
//! itself is the better judge.

use std::time::Duration;

use reqwest::{Method, Response, StatusCode};
use serde_json::json;

use crate::client::connect_error::ConnectError;
use crate::client::protocol::VERSION;
use crate::client::settings::{HttpSettings, ServerSettings};

/// How long the look may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Fails when the address certainly belongs to something else.
pub(crate) async fn look(
    client: &reqwest::Client,
    settings: &ServerSettings,
    http: &HttpSettings,
) -> Result<(), ConnectError> {
    let Ok(Some(first)) = tokio::time::timeout(LIMIT, first_type(client, http)).await else {
        return Ok(());
    };
    let Ok(Some(second)) = tokio::time::timeout(LIMIT, handshake_type(client, http)).await else {
        return Ok(());
    };
    tracing::debug!(%first, %second, "the address does not answer like an MCP server");
    Err(ConnectError::NoMcp { server: settings.name.to_string(), kind: second })
}

/// The content type of a plain request, if it is one that no MCP server would send.
async fn first_type(client: &reqwest::Client, http: &HttpSettings) -> Option<String> {
    let get = |method: Method| client.request(method, http.url.clone()).send();
    let mut answer = get(Method::HEAD).await.ok()?;
    if matches!(answer.status(), StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED) {
        answer = get(Method::GET).await.ok()?;
    }
    foreign_type(&answer)
}

/// The content type of the answer to a handshake, if it is a foreign one.
async fn handshake_type(client: &reqwest::Client, http: &HttpSettings) -> Option<String> {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": VERSION, "capabilities": {},
        "clientInfo": {"name": "hermes-agent-rs", "version": env!("CARGO_PKG_VERSION")}}});
    let answer = client
        .post(http.url.clone())
        .header("accept", "application/json, text/event-stream")
        .json(&hello)
        .send()
        .await
        .ok()?;
    // A session made by looking is not left behind.
    if let Some(session) = answer.headers().get("mcp-session-id").cloned() {
        let end = client.delete(http.url.clone()).header("mcp-session-id", session).send();
        if let Err(error) = end.await {
            tracing::debug!(error = %error.without_url(), "a trial session was not ended");
        }
    }
    foreign_type(&answer)
}

fn foreign_type(answer: &Response) -> Option<String> {
    if !answer.status().is_success() {
        return None;
    }
    let kind = answer.headers().get("content-type")?.to_str().ok()?;
    let kind = kind.split(';').next().unwrap_or(kind).trim().to_ascii_lowercase();
    let known = kind.is_empty() || kind == "application/json" || kind == "text/event-stream";
    (!known).then_some(kind)
}
