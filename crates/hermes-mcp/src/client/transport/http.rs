//! Streamable HTTP: the SDK's transport over our own client.
//!
//! The client carries the user's headers and TLS settings. A server that wants OAuth is reached
//! through its [`Authorizer`](crate::client::authorize::Authorizer): each request takes the token of the moment, and a refused one is
//! repeated once after the authorizer has dealt with the challenge. A refused request has had no
//! effect, so this is no second delivery.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::MAX_MESSAGE_BYTES;
use super::authorized_http::AuthorizedHttp;
use super::session;
use crate::client::authorize::{AuthChallenge, AuthError};
use crate::client::settings::HttpSettings;

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

/// The transport to a server.
pub(crate) fn transport(
    client: AuthorizedHttp,
    http: &HttpSettings,
) -> StreamableHttpClientTransport<AuthorizedHttp> {
    let config = StreamableHttpClientTransportConfig::with_uri(http.url.as_str())
        .max_sse_event_size(MAX_MESSAGE_BYTES)
        .max_concurrent_requests(MOST_CALLS);
    StreamableHttpClientTransport::with_client(client, config)
}

type HttpResult<T> = Result<T, StreamableHttpError<HttpError>>;

impl AuthorizedHttp {
    /// The token of the moment.
    async fn token(&self) -> HttpResult<Option<String>> {
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
    ) -> HttpResult<String> {
        let challenge = match &error {
            StreamableHttpError::AuthRequired(error) => AuthChallenge {
                status: 401,
                www_authenticate: error.www_authenticate_header.clone(),
            },
            StreamableHttpError::InsufficientScope(error) => AuthChallenge {
                status: 403,
                www_authenticate: error.www_authenticate_header.clone(),
            },
            StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => {
                AuthChallenge { status: 401, www_authenticate: String::new() }
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
    ($client:expr, $token:ident => $attempt:expr) => {{
        let $token = $client.token().await?;
        let used = $token.clone();
        match $attempt.await {
            Ok(answer) => Ok(answer),
            Err(error) => {
                let $token = Some($client.recover(error, used).await?);
                $attempt.await.map_err(ours)
            }
        }
    }};
}

impl StreamableHttpClient for AuthorizedHttp {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<StreamableHttpPostResponse> {
        let size = MAX_MESSAGE_BYTES;
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
    ) -> HttpResult<StreamableHttpPostResponse> {
        let answer = async {
            authorized!(self, token => self.http.post_message_with_max_sse_event_size(
                uri.clone(),
                message.clone(),
                session_id.clone(),
                token,
                headers.clone(),
                max_sse_event_size,
            ))
        }
        .await;
        let has_session = session_id.is_some();
        session::addressed(answer, &message, has_session).inspect(|answer| {
            use StreamableHttpPostResponse::{Json, Sse};
            if let Json(_, Some(_)) | Sse(_, Some(_)) = answer {
                self.standalone.expect();
            }
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> HttpResult<()> {
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
    ) -> HttpResult<BoxStream<'static, Result<Sse, SseError>>> {
        let size = MAX_MESSAGE_BYTES;
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
    ) -> HttpResult<BoxStream<'static, Result<Sse, SseError>>> {
        let _settled = self.standalone.opening();
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
