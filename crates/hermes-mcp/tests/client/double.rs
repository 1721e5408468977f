//! A server over HTTP that remembers what it was asked, for tests.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
}

#[derive(Default)]
struct Inner {
    seen: Vec<Seen>,
    session: u32,
    /// The token wanted, if one is.
    token: Option<String>,
    /// Where `/elsewhere` leads.
    redirect: Option<String>,
    stream: Option<mpsc::UnboundedSender<String>>,
    osv: Value,
}

/// The server.
#[derive(Clone)]
pub(crate) struct Double {
    pub(crate) address: SocketAddr,
    inner: Arc<Mutex<Inner>>,
}

impl Double {
    pub(crate) async fn start() -> Self {
        Self::start_on(tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap()).await
    }

    pub(crate) async fn start_on(listener: impl Listener<Addr = SocketAddr>) -> Self {
        let address = listener.local_addr().unwrap();
        let double = Self { address, inner: Arc::default() };
        let router = Router::new().fallback(serve).with_state(double.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        double
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn want_token(&self, token: &str) {
        self.inner.lock().unwrap().token = Some(token.to_owned());
    }

    pub(crate) fn redirect_to(&self, url: String) {
        self.inner.lock().unwrap().redirect = Some(url);
    }

    pub(crate) fn answer_osv(&self, answer: Value) {
        self.inner.lock().unwrap().osv = answer;
    }

    /// Forgets the session, as a restarted server does.
    pub(crate) fn expire(&self) {
        self.inner.lock().unwrap().session += 1;
    }

    /// Ends the open stream of the older transport.
    pub(crate) fn cut_stream(&self) {
        self.inner.lock().unwrap().stream = None;
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.inner.lock().unwrap().seen.clone()
    }

    pub(crate) fn calls(&self, tool: &str) -> usize {
        self.seen().iter().filter(|seen| seen.body["params"]["name"] == tool).count()
    }
}

/// How long the server takes to open its own stream at `/late-ear`, and what is noted when it does.
const LATE: Duration = Duration::from_millis(300);
pub(crate) const LISTENED_TO: &str = "listened to";

async fn serve(
    State(double): State<Double>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let headers: HashMap<String, String> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("").to_owned()))
        .collect();
    let mut seen = Seen { method: method.to_string(), headers, body };
    if (method.as_str(), uri.path()) == ("GET", "/late-ear") {
        tokio::time::sleep(LATE).await;
        seen.method = LISTENED_TO.to_owned();
    }
    let mut inner = double.inner.lock().unwrap();
    inner.seen.push(seen.clone());
    match (method.as_str(), uri.path()) {
        (_, "/page") => ([("content-type", "text/html")], "<h1>hello</h1>").into_response(),
        ("POST", "/osv") => axum::Json(inner.osv.clone()).into_response(),
        (_, "/elsewhere") => {
            let to = inner.redirect.clone().unwrap_or_default();
            (StatusCode::TEMPORARY_REDIRECT, [("location", to)]).into_response()
        }
        ("GET", "/sse") => open_stream(&mut inner, "/messages?session=1"),
        ("GET", "/sse-foreign") => open_stream(&mut inner, "http://127.0.0.2:9/messages"),
        ("POST", "/messages") => {
            if let (Some(answer), Some(stream)) = (answer(&seen.body), &inner.stream) {
                let _ = stream.send(format!("event: message\r\ndata: {answer}\r\n\r\n"));
            }
            StatusCode::ACCEPTED.into_response()
        }
        ("GET", "/late-ear") => open_stream(&mut inner, "none"),
        ("DELETE", "/late-ear") => StatusCode::OK.into_response(),
        ("POST", "/mcp" | "/late-ear") => post(&inner, &seen),
        ("GET", "/mcp") => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        ("DELETE", "/mcp") => StatusCode::OK.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn open_stream(inner: &mut Inner, endpoint: &str) -> Response {
    let (sender, receiver) = mpsc::unbounded_channel::<String>();
    let _ = sender.send(format!(": hello\n\nevent: endpoint\ndata: {endpoint}\n\n"));
    inner.stream = Some(sender);
    let parts = futures_util::stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|text| (text, receiver))
    });
    let body = Body::from_stream(parts.map(Ok::<_, Infallible>));
    ([("content-type", "text/event-stream")], body).into_response()
}

fn post(inner: &Inner, seen: &Seen) -> Response {
    if let Some(token) = &inner.token
        && seen.headers.get("authorization") != Some(&format!("Bearer {token}"))
    {
        let challenge = [("www-authenticate", "Bearer realm=\"test\"")];
        return (StatusCode::UNAUTHORIZED, challenge).into_response();
    }
    let session = format!("session-{}", inner.session);
    if seen.body["method"] != "initialize" && seen.headers.get("mcp-session-id") != Some(&session) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let Some(answer) = answer(&seen.body) else { return StatusCode::ACCEPTED.into_response() };
    match seen.body["params"]["name"].as_str() {
        Some("stream") => {
            let token = &seen.body["params"]["_meta"]["progressToken"];
            let note = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": 1, "total": 2, "message": "half"}});
            let body = format!("id: 1\ndata:\n\ndata: {note}\n\ndata: {answer}\n\n");
            ([("content-type", "text/event-stream")], body).into_response()
        }
        Some("broken") => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        _ => ([("mcp-session-id", session)], axum::Json(answer)).into_response(),
    }
}

/// The answer to a message; none for what wants none.
fn answer(message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let result = match message["method"].as_str()? {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "double", "version": "2"}}),
        "tools/list" => {
            let tools: Vec<Value> = ["echo", "stream", "broken"]
                .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
                .to_vec();
            json!({"tools": tools})
        }
        "tools/call" => {
            let text = message["params"]["arguments"]["text"].as_str().unwrap_or("done");
            json!({"content": [{"type": "text", "text": text}]})
        }
        "ping" => json!({}),
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
