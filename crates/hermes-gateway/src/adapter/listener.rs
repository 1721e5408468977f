//! Calls from a platform: a small HTTP server for adapters that are told of events instead of asking for them.
//!
//! It listens where the adapter says, which is 127.0.0.1 unless somebody chose otherwise, reads bodies up to a limit and
//! hands each call to the adapter. Whether a call is genuine is for the adapter to check, over the raw body, with
//! [`same_secret`] or a signature; the log knows the path and the status and nothing of the body.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use ring::hmac;
use tokio::net::TcpListener;

use super::{AdapterFuture, AdapterSetup, Inbox, LinkError, Receiving, SetupError};

/// A call that came in.
#[derive(Clone, Debug)]
pub struct WebhookRequest {
    /// `GET`, `POST` …
    pub method: Method,
    /// Without the query.
    pub path: String,
    /// What stands behind the question mark, as it was written.
    pub query: String,
    /// Headers, by lower-case name.
    pub headers: HeaderMap,
    /// The body to the last byte, for signatures.
    pub body: Vec<u8>,
    /// Who called.
    pub peer: SocketAddr,
}

impl WebhookRequest {
    /// A header as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookResponse {
    /// Of HTTP: 200 only once everything is stored.
    pub status: u16,
    /// The type of the body.
    pub content_type: &'static str,
    /// What the platform reads; often nothing.
    pub body: String,
}

impl WebhookResponse {
    /// An empty answer.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::text(status, "")
    }

    /// An answer of plain text.
    #[must_use]
    pub fn text(status: u16, body: impl Into<String>) -> Self {
        Self { status, content_type: "text/plain; charset=utf-8", body: body.into() }
    }

    /// An answer of JSON.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, content_type: "application/json", body: body.to_string() }
    }
}

/// A port that is listened on.
pub struct Listener {
    socket: TcpListener,
}

impl Listener {
    /// Takes the port.
    ///
    /// # Errors
    /// Fatal, if it cannot be had: somebody has to choose another one.
    pub async fn bind(host: &str, port: u16) -> Result<Self, LinkError> {
        let socket = TcpListener::bind((host, port)).await.map_err(|error| {
            LinkError::fatal(
                format!("cannot listen on {host}:{port}: {error}"),
                "Choose another port, or end what uses it.",
            )
        })?;
        Ok(Self { socket })
    }

    /// Where it listens; with port 0 the system has chosen one.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.socket.local_addr().map(|address| address.port()).unwrap_or_default()
    }

    /// Answers calls for as long as it is polled. Bodies above `most` bytes are refused with 413 before the adapter sees
    /// them.
    pub async fn serve<F>(self, most: usize, answer: F) -> LinkError
    where
        F: Fn(WebhookRequest) -> AdapterFuture<'static, WebhookResponse> + Send + Sync + 'static,
    {
        let answer = Arc::new(answer);
        let service = Router::new().fallback(move |request: Request| {
            let answer = Arc::clone(&answer);
            async move {
                let response = match read(request, most).await {
                    Ok(call) => answer(call).await,
                    Err(status) => WebhookResponse::status(status),
                };
                into_http(response)
            }
        });
        let service = service.into_make_service_with_connect_info::<SocketAddr>();
        match axum::serve(self.socket, service).await {
            Ok(()) => LinkError::retry("the listener has ended"),
            Err(error) => LinkError::retry(format!("the listener has ended: {error}")),
        }
    }
}

async fn read(request: Request, most: usize) -> Result<WebhookRequest, u16> {
    let (parts, body) = request.into_parts();
    let info = parts.extensions.get::<axum::extract::ConnectInfo<SocketAddr>>();
    let peer = info.map_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)), |info| info.0);
    let body = axum::body::to_bytes(body, most).await.map_err(|_| 413_u16)?;
    Ok(WebhookRequest {
        method: parts.method,
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body: body.to_vec(),
        peer,
    })
}

fn into_http(response: WebhookResponse) -> Response {
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut http = Response::new(Body::from(response.body));
    *http.status_mut() = status;
    let kind = axum::http::HeaderValue::from_static(response.content_type);
    http.headers_mut().insert(axum::http::header::CONTENT_TYPE, kind);
    http
}

/// Whether two secrets are the same, in a time that tells nothing about where they differ.
#[must_use]
pub fn same_secret(ours: &str, theirs: &str) -> bool {
    // Hashes have one length, so not even that can be measured.
    let hash = |text: &str| ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let (ours, theirs) = (hash(ours), hash(theirs));
    ours.as_ref().iter().zip(theirs.as_ref()).fold(0_u8, |seen, (a, b)| seen | (a ^ b)) == 0
}

/// Where an adapter is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenAt {
    /// 127.0.0.1 unless somebody chose otherwise.
    pub host: String,
    /// With 0 the system chooses one.
    pub port: u16,
}

impl ListenAt {
    /// From the variables `PREFIX_HOST` and `PREFIX_PORT`.
    ///
    /// # Errors
    /// If the port is none.
    pub fn read(setup: &AdapterSetup, prefix: &str, port: u16) -> Result<Self, SetupError> {
        let host = setup.variable(&format!("{prefix}_HOST"));
        let name = format!("{prefix}_PORT");
        let port = u16::try_from(setup.number(&name, u64::from(port)));
        Ok(Self {
            host: host.unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: port.map_err(|_| SetupError::new(format!("{name} is no port")))?,
        })
    }

    /// Whether only programs of this machine can call.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        matches!(self.host.as_str(), "127.0.0.1" | "localhost" | "::1")
    }
}

/// What an adapter does with a call.
pub type CallAnswer<S> =
    for<'a> fn(&'a S, &'a WebhookRequest, &'a Inbox) -> AdapterFuture<'a, WebhookResponse>;

/// Listens, and hands each call to a function with what it needs to know.
///
/// # Errors
/// Fatal, if the port cannot be had.
pub async fn receive_calls<S: Send + Sync + 'static>(
    at: &ListenAt,
    most: usize,
    state: Arc<S>,
    inbox: Inbox,
    answer: CallAnswer<S>,
) -> Result<Receiving, LinkError> {
    let listener = Listener::bind(&at.host, at.port).await?;
    let serve = move |call: WebhookRequest| {
        let (state, inbox) = (Arc::clone(&state), inbox.clone());
        Box::pin(async move { answer(&state, &call, &inbox).await })
            as AdapterFuture<'static, WebhookResponse>
    };
    Ok(Box::pin(listener.serve(most, serve)))
}

/// A signature over parts, with a secret.
#[must_use]
pub fn signed(algorithm: hmac::Algorithm, secret: &[u8], parts: &[&[u8]]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(&hmac::Key::new(algorithm, secret));
    parts.iter().for_each(|part| context.update(part));
    context.sign()
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
