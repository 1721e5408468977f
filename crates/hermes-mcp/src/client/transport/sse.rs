//! The older HTTP transport: a stream of events from the server, and a second address to send to.
//!
//! The stream's first event, `endpoint`, names where messages are posted. It must lie on the same
//! host: a stream must not send our messages, and the headers with them, elsewhere.
//!
//! The parser is the SDK's. It ends a stream that breaks the rules of events, and the session with it;
//! one event has at most as many bytes as a message of any other transport.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use reqwest::StatusCode;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use sse_stream::{Error as EventError, Sse as Event, SseStream};
use url::Url;

use super::MAX_MESSAGE_BYTES;
use super::authorized_http::AuthorizedHttp;
use super::decode::{MessageDecoder, ServerMessage};
use super::http_errors::{chain, request_failure};
use crate::client::authorize::{AuthChallenge, AuthError};
use crate::client::failure::RequestFailure;
use crate::client::settings::HttpSettings;

/// Why the stream could not be opened or a message not be sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SseError {
    #[error("{}", chain(.0))]
    Http(#[from] reqwest::Error),
    #[error("the server answered with HTTP {0}")]
    Status(StatusCode),
    #[error("the address answers with {0}, not with a stream of events; is the path right (/sse)?")]
    NoStream(String),
    #[error("the stream ended before it named the address to send to")]
    NoEndpoint,
    #[error("the stream names an address on another host ({0}); messages are not sent there")]
    ForeignEndpoint(String),
    #[error("{0}")]
    Auth(String),
}

impl SseError {
    /// What it means for the request that was to be sent.
    pub(crate) fn failure(&self) -> RequestFailure {
        match self {
            Self::Http(error) => request_failure(error),
            Self::Status(StatusCode::NOT_FOUND | StatusCode::GONE) => RequestFailure::NotDelivered(
                "the server does not know this session any more".into(),
            ),
            Self::Auth(text) => RequestFailure::Auth(text.clone()),
            other => RequestFailure::Lost(other.to_string()),
        }
    }
}

/// Why the bytes of a stream end.
#[derive(Debug, thiserror::Error)]
enum StreamEnd {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("an event has more than {} MiB", MAX_MESSAGE_BYTES >> 20)]
    TooLarge,
}

/// The events of a stream, each of bounded size.
struct Events {
    events: BoxStream<'static, Result<Event, EventError>>,
    /// Bytes since the last event.
    pending: Arc<AtomicUsize>,
}

impl Events {
    fn new(answer: reqwest::Response) -> Self {
        let pending = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&pending);
        let bytes = answer.bytes_stream().map_err(StreamEnd::from).and_then(move |bytes| {
            let before = counted.fetch_add(bytes.len(), Ordering::Relaxed);
            let fits = before + bytes.len() <= MAX_MESSAGE_BYTES;
            std::future::ready(if fits { Ok(bytes) } else { Err(StreamEnd::TooLarge) })
        });
        Self { events: SseStream::from_bytes_stream(bytes).boxed(), pending }
    }

    /// The next event; none when the stream has ended or cannot be read.
    async fn next(&mut self) -> Option<Event> {
        let event = self.events.next().await?;
        self.pending.store(0, Ordering::Relaxed);
        event.inspect_err(|error| tracing::warn!(%error, "a server's stream was ended")).ok()
    }
}

/// An open stream and where to send.
pub(crate) struct Sse {
    client: AuthorizedHttp,
    endpoint: Url,
    events: Option<Events>,
    decoder: MessageDecoder,
    ready: VecDeque<ServerJsonRpcMessage>,
}

impl Sse {
    /// Opens the stream and waits for the address.
    pub(crate) async fn open(
        client: AuthorizedHttp,
        http: &HttpSettings,
    ) -> Result<Self, SseError> {
        let make = |client: &AuthorizedHttp| {
            client.http.get(http.url.clone()).header("accept", "text/event-stream")
        };
        let answer = send(&client, make).await?;
        let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        if !kind.starts_with("text/event-stream") {
            return Err(SseError::NoStream(kind));
        }
        // Where redirects have led to: the address is relative to that.
        let base = answer.url().clone();
        let mut events = Events::new(answer);
        while let Some(event) = events.next().await {
            if event.event.as_deref() == Some("endpoint") {
                let named = event.data.unwrap_or_default();
                let endpoint = base.join(named.trim());
                let endpoint = endpoint.map_err(|_| SseError::ForeignEndpoint(named))?;
                if endpoint.origin() != base.origin() {
                    let host = endpoint.host_str().unwrap_or_default().to_owned();
                    return Err(SseError::ForeignEndpoint(host));
                }
                let (decoder, ready) = (MessageDecoder::default(), VecDeque::new());
                return Ok(Self { client, endpoint, events: Some(events), decoder, ready });
            }
        }
        Err(SseError::NoEndpoint)
    }
}

impl Transport<RoleClient> for Sse {
    type Error = SseError;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (client, endpoint) = (self.client.clone(), self.endpoint.clone());
        async move {
            send(&client, |client| client.http.post(endpoint.clone()).json(&item)).await?;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            // A broken stream cannot be taken up again here: the session goes with it.
            let event = self.events.as_mut()?.next().await?;
            // An event without a name is a message.
            if event.event.as_deref().unwrap_or("message") == "message" {
                let text = event.data.unwrap_or_default();
                self.decoder.decode(text.as_bytes(), |message| match message {
                    ServerMessage::Other(message) => self.ready.push_back(message),
                    ServerMessage::Answer(number, _) => {
                        tracing::debug!(number, "an answer to a question nobody asked was skipped");
                    }
                });
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.events = None;
        Ok(())
    }
}

/// Sends a request with the token of the moment, and once more if the server wants another.
async fn send(
    client: &AuthorizedHttp,
    make: impl Fn(&AuthorizedHttp) -> reqwest::RequestBuilder,
) -> Result<reqwest::Response, SseError> {
    let with = |token: &Option<String>| match token {
        Some(token) => make(client).bearer_auth(token),
        None => make(client),
    };
    let refused = |error: AuthError| SseError::Auth(error.to_string());
    let mut token = match &client.authorizer {
        Some(authorizer) => authorizer.token().await.map_err(refused)?,
        None => None,
    };
    let mut answer = with(&token).send().await?;
    let challenge = challenge(&answer);
    if let (Some(challenge), Some(authorizer)) = (challenge, &client.authorizer) {
        token = Some(authorizer.recover(challenge, token).await.map_err(refused)?);
        answer = with(&token).send().await?;
    }
    match answer.status() {
        status if status.is_success() => Ok(answer),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            Err(SseError::Auth(format!("the server refuses access (HTTP {})", answer.status())))
        }
        status => Err(SseError::Status(status)),
    }
}

fn challenge(answer: &reqwest::Response) -> Option<AuthChallenge> {
    let status = answer.status();
    if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return None;
    }
    let header = answer.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
    let www_authenticate = header.unwrap_or_default().to_owned();
    Some(AuthChallenge { status: status.as_u16(), www_authenticate })
}
