//! Streamable HTTP: the SDK's transport over our own client.
//!
//! The client carries the user's headers and TLS settings. A server that wants OAuth is reached
//! through its [`Authorizer`]: each request takes the token of the moment, and a refused one is
//! repeated once after the authorizer has dealt with the challenge. A refused request has had no
//! effect, so this is no second delivery.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::lane::SendError;
use crate::client::authorize::{AuthError, Authorizer, Challenge};
use crate::client::session::Failure;
use crate::client::settings::HttpSettings;

/// Largest message in a stream.
const LARGEST_EVENT: usize = 256 * 1024 * 1024;
/// How long a new connection waits for the server's own stream.
const LISTENING: Duration = Duration::from_secs(3);
/// Calls at the same time over one connection.
const MOST_CALLS: usize = 64;

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
    pub(crate) ear: Arc<Ear>,
}

/// The stream on which a server asks and tells of its own accord. The SDK opens it on the side, right
/// after the handshake; a call that overtakes it may have the server ask when nobody listens yet, and
/// wait for an answer in vain.
#[derive(Default)]
pub(crate) struct Ear {
    /// The server keeps a session, so the SDK opens the stream.
    wanted: AtomicBool,
    /// The server has answered, with a stream or that it has none.
    settled: CancellationToken,
}

impl Ear {
    /// Waits until we listen, if there is something to listen to. Some servers answer only once they
    /// have something to say: for those the wait has an end.
    pub(crate) async fn is_open(&self) {
        if self.wanted.load(Ordering::Acquire) {
            let _ = timeout(LISTENING, self.settled.cancelled()).await;
        }
    }

    fn note(&self, answer: &StreamableHttpPostResponse) {
        use StreamableHttpPostResponse::{Json, Sse};
        if let Json(_, Some(_)) | Sse(_, Some(_)) = answer {
            self.wanted.store(true, Ordering::Release);
        }
    }
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
        let answer = authorized!(self, token => self.http.post_message_with_max_sse_event_size(
            uri.clone(),
            message.clone(),
            session_id.clone(),
            token,
            headers.clone(),
            max_sse_event_size,
        ));
        answer.inspect(|answer| self.ear.note(answer))
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
        let _settled = self.ear.settled.clone().drop_guard();
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
