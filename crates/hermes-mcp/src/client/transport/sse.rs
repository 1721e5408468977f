//! The older HTTP transport: a stream of events from the server, and a second address to send to.
//!
//! The stream's first event, `endpoint`, names where messages are posted. It must lie on the same
//! host: a stream must not send our messages, and the headers with them, elsewhere.

use std::collections::VecDeque;
use std::pin::Pin;

use eventsource_stream::{Event, EventStreamError, Eventsource as _};
use futures_util::{Stream, StreamExt as _};
use reqwest::StatusCode;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use url::Url;

use super::decode::{Decoder, Message};
use super::http::{Door, chain, request_failure};
use crate::client::authorize::Challenge;
use crate::client::session::Failure;
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
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Self::Http(error) => request_failure(error),
            Self::Status(StatusCode::NOT_FOUND | StatusCode::GONE) => {
                Failure::NotDelivered("the server does not know this session any more".into())
            }
            Self::Auth(text) => Failure::Auth(text.clone()),
            other => Failure::Lost(other.to_string()),
        }
    }
}

type Events = Pin<Box<dyn Stream<Item = Result<Event, EventStreamError<reqwest::Error>>> + Send>>;

/// An open stream and where to send.
pub(crate) struct Sse {
    door: Door,
    endpoint: Url,
    events: Option<Events>,
    decoder: Decoder,
    ready: VecDeque<ServerJsonRpcMessage>,
}

impl Sse {
    /// Opens the stream and waits for the address.
    pub(crate) async fn open(door: Door, http: &HttpSettings) -> Result<Self, SseError> {
        let make =
            |door: &Door| door.http.get(http.url.clone()).header("accept", "text/event-stream");
        let answer = send(&door, make).await?;
        let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        if !kind.starts_with("text/event-stream") {
            return Err(SseError::NoStream(kind));
        }
        // Where redirects have led to: the address is relative to that.
        let base = answer.url().clone();
        let mut events: Events = Box::pin(answer.bytes_stream().eventsource());
        while let Some(event) = events.next().await {
            let Ok(event) = event else { break };
            if event.event == "endpoint" {
                let endpoint = base
                    .join(event.data.trim())
                    .map_err(|_| SseError::ForeignEndpoint(event.data.clone()))?;
                if endpoint.origin() != base.origin() {
                    let host = endpoint.host_str().unwrap_or_default().to_owned();
                    return Err(SseError::ForeignEndpoint(host));
                }
                let (decoder, ready) = (Decoder::default(), VecDeque::new());
                return Ok(Self { door, endpoint, events: Some(events), decoder, ready });
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
        let (door, endpoint) = (self.door.clone(), self.endpoint.clone());
        async move {
            send(&door, |door| door.http.post(endpoint.clone()).json(&item)).await?;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            // A broken stream cannot be taken up again here: the session goes with it.
            let event = self.events.as_mut()?.next().await?.ok()?;
            if event.event == "message" {
                self.decoder.decode(event.data.as_bytes(), |message| match message {
                    Message::Other(message) => self.ready.push_back(message),
                    Message::Answer(number, _) => {
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
    door: &Door,
    make: impl Fn(&Door) -> reqwest::RequestBuilder,
) -> Result<reqwest::Response, SseError> {
    let with = |token: &Option<String>| match token {
        Some(token) => make(door).bearer_auth(token),
        None => make(door),
    };
    let refused = |error: crate::client::authorize::AuthError| SseError::Auth(error.to_string());
    let mut token = match &door.authorizer {
        Some(authorizer) => authorizer.token().await.map_err(refused)?,
        None => None,
    };
    let mut answer = with(&token).send().await?;
    let challenge = challenge(&answer);
    if let (Some(challenge), Some(authorizer)) = (challenge, &door.authorizer) {
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

fn challenge(answer: &reqwest::Response) -> Option<Challenge> {
    let status = answer.status();
    if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return None;
    }
    let header = answer.headers().get("www-authenticate").and_then(|value| value.to_str().ok());
    let www_authenticate = header.unwrap_or_default().to_owned();
    Some(Challenge { status: status.as_u16(), www_authenticate })
}
