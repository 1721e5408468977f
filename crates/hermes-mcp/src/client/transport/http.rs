//! Streamable HTTP: the SDK's transport over our own client.
//!
//! The client carries the user's headers and TLS settings. A server that wants OAuth is reached
//! through its [`Authorizer`]: each request takes the token of the moment, and a refused one is
//! repeated once after the authorizer has dealt with the challenge. A refused request has had no
//! effect, so this is no second delivery.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::{Arc, Once};
use std::time::Duration;

use futures_util::stream::BoxStream;
use hermes_tool::Vars;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::environment::expand;
use super::lane::SendError;
use crate::client::authorize::{AuthError, Authorizer, Challenge};
use crate::client::connect::ConnectError;
use crate::client::handler::VERSION;
use crate::client::session::Failure;
use crate::client::settings::{ClientCertificate, HttpSettings, ServerSettings, Verify};

/// Longest pause between two parts of a stream.
const READ_LIMIT: Duration = Duration::from_secs(300);
/// Largest message in a stream.
const LARGEST_EVENT: usize = 256 * 1024 * 1024;
/// Most redirects followed.
const MOST_REDIRECTS: usize = 10;
/// Calls at the same time over one connection.
const MOST_CALLS: usize = 64;
const VERSION_HEADER: &str = "mcp-protocol-version";

/// What can go wrong between us and the server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("{0}")]
    Http(reqwest::Error),
    #[error("{0}")]
    Auth(AuthError),
}

/// Our client, and who gets it past a 401.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) http: reqwest::Client,
    pub(crate) authorizer: Option<Arc<dyn Authorizer>>,
}

/// Which headers a client sends by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headers {
    /// The user's, and the protocol version.
    Server,
    /// None: for other hosts, such as one that gives tokens.
    None,
}

/// Installs the TLS implementation, once per process.
pub(crate) fn install_tls() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that there is one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// A client for one server.
pub(crate) fn client(
    settings: &ServerSettings,
    http: &HttpSettings,
    headers: Headers,
    vars: &Vars,
) -> Result<reqwest::Client, ConnectError> {
    install_tls();
    let server = || settings.name.to_string();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(settings.connect_timeout)
        .read_timeout(READ_LIMIT)
        .redirect(reqwest::redirect::Policy::limited(MOST_REDIRECTS))
        .no_proxy();
    for proxy in proxies(vars) {
        builder = builder.proxy(proxy);
    }
    if headers == Headers::Server {
        builder = builder.default_headers(header_map(settings, http)?);
    }
    let user_home = vars.get("HOME");
    let read = |key: &'static str, path: &str| {
        let path = expand(path, user_home);
        std::fs::read(&path).map_err(|source| ConnectError::TlsFile {
            server: server(),
            key,
            path,
            why: source.to_string(),
        })
    };
    let unusable = |key: &'static str, path: &str| {
        let (path, server) = (path.to_owned(), server());
        move |source: reqwest::Error| ConnectError::TlsFile {
            server,
            key,
            path,
            why: source.to_string(),
        }
    };
    match &http.tls.verify {
        Verify::WellKnown => {}
        Verify::Nothing => builder = builder.tls_danger_accept_invalid_certs(true),
        Verify::Authority(path) => {
            let pem = read("ssl_verify", path)?;
            let authorities = reqwest::Certificate::from_pem_bundle(&pem)
                .map_err(unusable("ssl_verify", path))?;
            builder = builder.tls_certs_only(authorities);
        }
    }
    if let Some(ClientCertificate { cert, key, password }) = &http.tls.client {
        if password.is_some() {
            return Err(ConnectError::LockedKey { server: server() });
        }
        let mut pem = read("client_cert", cert)?;
        if let Some(key) = key {
            pem.push(b'\n');
            pem.extend(read("client_key", key)?);
        }
        let identity = reqwest::Identity::from_pem(&pem).map_err(unusable("client_cert", cert))?;
        builder = builder.identity(identity);
    }
    builder
        .build()
        .map_err(|error| ConnectError::Client { server: server(), why: error.to_string() })
}

/// The usual variables for proxies, in either case.
fn proxies(vars: &Vars) -> Vec<reqwest::Proxy> {
    let either = |name: &str| vars.non_blank(&name.to_lowercase()).or(vars.non_blank(name));
    let except = either("NO_PROXY").and_then(reqwest::NoProxy::from_string);
    let all = either("ALL_PROXY");
    let http = either("HTTP_PROXY").or(all).and_then(|url| reqwest::Proxy::http(url).ok());
    let https = either("HTTPS_PROXY").or(all).and_then(|url| reqwest::Proxy::https(url).ok());
    http.into_iter().chain(https).map(|proxy| proxy.no_proxy(except.clone())).collect()
}

fn header_map(settings: &ServerSettings, http: &HttpSettings) -> Result<HeaderMap, ConnectError> {
    let mut map = HeaderMap::new();
    map.insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
    for (name, value) in &http.headers {
        let wrong =
            || ConnectError::Header { server: settings.name.to_string(), name: name.clone() };
        let key = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| wrong())?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}

/// The transport to a server.
pub(crate) fn transport(door: Door, http: &HttpSettings) -> StreamableHttpClientTransport<Door> {
    let config = StreamableHttpClientTransportConfig::with_uri(http.url.as_str())
        .max_sse_event_size(LARGEST_EVENT)
        .max_concurrent_requests(MOST_CALLS);
    StreamableHttpClientTransport::with_client(door, config)
}

type Answer<T> = Result<T, StreamableHttpError<HttpError>>;

impl Door {
    /// The token of the moment.
    async fn token(&self) -> Answer<Option<String>> {
        match &self.authorizer {
            None => Ok(None),
            Some(authorizer) => authorizer
                .token()
                .await
                .map_err(|error| StreamableHttpError::Client(HttpError::Auth(error))),
        }
    }

    /// A token to try again with, if the refusal was about that.
    async fn recover(
        &self,
        error: StreamableHttpError<reqwest::Error>,
        used: Option<String>,
    ) -> Answer<String> {
        let challenge = match &error {
            StreamableHttpError::AuthRequired(error) => {
                Challenge { status: 401, www_authenticate: error.www_authenticate_header.clone() }
            }
            StreamableHttpError::InsufficientScope(error) => {
                Challenge { status: 403, www_authenticate: error.www_authenticate_header.clone() }
            }
            StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
                Challenge { status: 401, www_authenticate: String::new() }
            }
            _ => return Err(ours(error)),
        };
        let Some(authorizer) = &self.authorizer else { return Err(ours(error)) };
        authorizer
            .recover(challenge, used)
            .await
            .map_err(|error| StreamableHttpError::Client(HttpError::Auth(error)))
    }
}

/// Tries with the token of the moment and, if the server wants another, once more.
macro_rules! authorized {
    ($door:expr, $token:ident => $attempt:expr) => {{
        let $token = $door.token().await?;
        let used = $token.clone();
        match $attempt.await {
            Ok(answer) => Ok(answer),
            Err(error) => {
                let $token = Some($door.recover(error, used).await?);
                $attempt.await.map_err(ours)
            }
        }
    }};
}

impl StreamableHttpClient for Door {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Answer<StreamableHttpPostResponse> {
        let size = LARGEST_EVENT;
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session_id,
            auth_header,
            headers,
            size,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Answer<StreamableHttpPostResponse> {
        authorized!(self, token => self.http.post_message_with_max_sse_event_size(
            uri.clone(),
            message.clone(),
            session_id.clone(),
            token,
            headers.clone(),
            max_sse_event_size,
        ))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Answer<()> {
        let token = self.token().await?;
        self.http.delete_session(uri, session_id, token, headers).await.map_err(ours)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Answer<BoxStream<'static, Result<Sse, SseError>>> {
        let size = LARGEST_EVENT;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            headers,
            size,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Answer<BoxStream<'static, Result<Sse, SseError>>> {
        authorized!(self, token => self.http.get_stream_with_max_sse_event_size(
            uri.clone(),
            session_id.clone(),
            last_event_id.clone(),
            token,
            headers.clone(),
            max_sse_event_size,
        ))
    }
}

/// The same error with our kind inside.
fn ours(error: StreamableHttpError<reqwest::Error>) -> StreamableHttpError<HttpError> {
    use StreamableHttpError as E;
    match error {
        E::Client(error) => E::Client(HttpError::Http(error)),
        E::Sse(error) => E::Sse(error),
        E::Io(error) => E::Io(error),
        E::HttpStatus(error) => E::HttpStatus(error),
        E::UnexpectedEndOfStream => E::UnexpectedEndOfStream,
        E::UnexpectedServerResponse(text) => E::UnexpectedServerResponse(text),
        E::UnexpectedContentType(kind) => E::UnexpectedContentType(kind),
        E::ServerDoesNotSupportSse => E::ServerDoesNotSupportSse,
        E::ServerDoesNotSupportDeleteSession => E::ServerDoesNotSupportDeleteSession,
        E::Deserialize(error) => E::Deserialize(error),
        E::AuthRequired(error) => E::AuthRequired(error),
        E::InsufficientScope(error) => E::InsufficientScope(error),
        E::SessionExpired => E::SessionExpired,
        other => E::UnexpectedServerResponse(other.to_string().into()),
    }
}

/// What a failed sending means for the request.
pub(crate) fn send_failure(error: &(dyn StdError + Send + Sync + 'static)) -> Failure {
    if let Some(error) = error.downcast_ref::<SendError>() {
        return Failure::NotDelivered(error.to_string());
    }
    if let Some(failure) = error.downcast_ref::<super::sse::SseError>() {
        return failure.failure();
    }
    match error.downcast_ref::<StreamableHttpError<HttpError>>() {
        Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
            Failure::Auth("the server asks for a login".into())
        }
        Some(StreamableHttpError::Client(HttpError::Auth(error))) => {
            Failure::Auth(error.to_string())
        }
        Some(StreamableHttpError::Client(HttpError::Http(error))) => request_failure(error),
        Some(StreamableHttpError::SessionExpired) => {
            Failure::NotDelivered("the server does not know this session any more".into())
        }
        Some(StreamableHttpError::UnexpectedServerResponse(text))
            if text.starts_with("HTTP 401") || text.starts_with("HTTP 403") =>
        {
            Failure::Auth(format!("the server refuses access ({text})"))
        }
        Some(
            answered @ (StreamableHttpError::HttpStatus(_)
            | StreamableHttpError::UnexpectedServerResponse(_)
            | StreamableHttpError::UnexpectedContentType(_)
            | StreamableHttpError::Deserialize(_)),
        ) => Failure::Refused(chain(answered)),
        _ => Failure::Lost(chain(error)),
    }
}

/// A request that found no connection has not been delivered; of others nobody knows.
pub(crate) fn request_failure(error: &reqwest::Error) -> Failure {
    let text = chain(error);
    if error.is_connect() || error.is_builder() {
        Failure::NotDelivered(text)
    } else {
        Failure::Lost(text)
    }
}

/// An error with its causes: what an HTTP client says at the top is rarely the point.
pub(crate) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
