//! One attempt: a request is sent and its answer is read.
//!
//! Four clocks run meanwhile: until there is a connection, between bytes, between bytes that say something,
//! and for the whole call. At every wait the next of them to ring and the cancellation are listened for, so
//! an attempt always ends, and the reason is known ([`Silence`]). What had arrived by then is never thrown
//! away: text that was shown makes an answer that broke off, and everything else goes with the error.
//!
//! Whether the server streams is taken from what it sends, not from what was asked for: some answer a wish
//! for a stream at once, and some send a stream under a wrong name.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::ModelClient;
use crate::endpoint::{Endpoint, NO_KEY, WireApi};
use crate::error;
use crate::metadata::estimate;
use crate::model::{
    Delta, DeltaListener, ErrorClass, Finish, ModelError, ModelRequest, ModelResponse,
};
use crate::wire::{self, Adaptations, Delivery, ResponseReader, StreamProgress};

/// The most bytes of an answer that comes at once.
const MAX_BODY: usize = 64 << 20;

/// The most bytes of a failing server's explanation.
const MAX_EXPLANATION: usize = 256 << 10;

/// How long the proper end of a stream is waited for once its last event is there.
const DRAIN: Duration = Duration::from_millis(20);

/// A failed attempt, and what the client may do about it by itself.
pub(super) struct AttemptFailure {
    pub(super) error: ModelError,
    /// The stream broke, and nothing of it was shown.
    pub(super) may_retry_silently: bool,
    /// The connection is suspect.
    pub(super) lost_connection: bool,
}

impl From<ModelError> for AttemptFailure {
    fn from(error: ModelError) -> Self {
        Self { error, may_retry_silently: false, lost_connection: false }
    }
}

/// Why there are no more bytes.
enum Silence {
    End,
    Cancelled,
    Broken(reqwest::Error),
    /// No byte came in time.
    Gap(Duration),
    /// Bytes came, but none that said anything.
    Stale(Duration),
    CallTooLong(Duration),
}

/// The clocks of an attempt.
struct Clocks {
    call: (Instant, Duration),
    gap: Duration,
    stale: Duration,
    useful: Instant,
}

impl Clocks {
    /// When to stop waiting, and what that would mean.
    fn next(&self) -> (Instant, Silence) {
        let gap = (Instant::now() + self.gap, Silence::Gap(self.gap));
        let stale = (self.useful + self.stale, Silence::Stale(self.stale));
        let call = (self.call.0, Silence::CallTooLong(self.call.1));
        let sooner = if stale.0 < gap.0 { stale } else { gap };
        if call.0 < sooner.0 { call } else { sooner }
    }
}

impl ModelClient {
    pub(super) async fn attempt(
        &self,
        request: &ModelRequest,
        adaptations: &Adaptations,
        delivery: Delivery,
        listener: &mut DeltaListener<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, AttemptFailure> {
        let endpoint = &*self.endpoint_now(cancel).await?;
        let timeouts = &self.options.timeouts;
        let body = wire::body(endpoint, request, adaptations, delivery);
        let http = self.http()?;
        let mut clocks = Clocks {
            call: (Instant::now() + timeouts.call, timeouts.call),
            gap: timeouts.read_from(endpoint),
            stale: timeouts.stale_for(endpoint, estimate(request)),
            useful: Instant::now(),
        };
        if delivery == Delivery::Whole {
            // Nothing comes until everything does.
            (clocks.gap, clocks.stale) = (timeouts.call, timeouts.call);
        }
        let sending = http.post(endpoint.url()).headers(headers(endpoint)?).json(&body).send();
        let (until, why) = clocks.next();
        let sent = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(self.silence(Silence::Cancelled, None)),
            sent = timeout_at(until, sending) => sent,
        };
        let mut response = match sent {
            Ok(Ok(response)) => response,
            Ok(Err(failure)) => {
                return Err(self.broken(self.silence(Silence::Broken(failure), None)).await);
            }
            Err(_) => return Err(self.silence(why, None)),
        };
        let status = response.status().as_u16();
        if status >= 300 {
            return Err(self.refusal(status, &mut response, &clocks, cancel).await.into());
        }
        if is_stream(&response) && delivery == Delivery::Streamed {
            return self.read_stream(&mut response, clocks, listener, cancel).await;
        }
        let bytes = self.read_all(&mut response, &clocks, MAX_BODY, cancel).await?;
        self.read_bytes(&bytes, listener)
    }

    /// The endpoint as it is to be asked now: with the place of its server, where that runs on demand.
    async fn endpoint_now(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Cow<'_, Endpoint>, AttemptFailure> {
        let endpoint = self.endpoint();
        let Some(server) = &endpoint.server else { return Ok(Cow::Borrowed(endpoint)) };
        let place = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(self.silence(Silence::Cancelled, None)),
            place = server.0.place() => place,
        };
        let place = place.map_err(|why| error::error(endpoint, ErrorClass::NotRunning, &why))?;
        Ok(Cow::Owned(Endpoint {
            base_url: place.base_url,
            api_key: Some(place.key),
            ..endpoint.clone()
        }))
    }

    /// A broken connection to a server that has ended is no mystery: it is told, and the next request starts it anew.
    async fn broken(&self, mut failure: AttemptFailure) -> AttemptFailure {
        let endpoint = self.endpoint();
        let Some(server) = &endpoint.server else { return failure };
        if failure.error.class != ErrorClass::Cancelled
            && let Some(why) = server.0.why_it_ended().await
        {
            let said = format!("{why}; the next request starts it again");
            let partial = failure.error.partial.take();
            failure.error =
                ModelError { partial, ..error::error(endpoint, ErrorClass::Dropped, &said) };
        }
        failure
    }

    /// An answer that is not declared as a stream: it may be one all the same.
    fn read_bytes(
        &self,
        bytes: &[u8],
        listener: &mut DeltaListener<'_>,
    ) -> Result<ModelResponse, AttemptFailure> {
        let endpoint = self.endpoint();
        let text = String::from_utf8_lossy(bytes);
        let start = text.trim_start();
        if start.starts_with("data:") || start.starts_with("event:") || start.starts_with(": ") {
            let mut reader = ResponseReader::new(endpoint);
            reader.push(bytes, listener)?;
            return Ok(reader.finish()?);
        }
        let answer = wire::whole(endpoint, &text)?;
        if let Some(thought) = answer.reasoning.clone() {
            listener(Delta::Reasoning(thought));
        }
        if !answer.content.is_empty() {
            listener(Delta::Text(answer.content.clone()));
        }
        for call in &answer.tool_calls {
            listener(Delta::ToolCall(call.name.clone()));
        }
        Ok(answer)
    }

    async fn read_stream(
        &self,
        response: &mut reqwest::Response,
        mut clocks: Clocks,
        listener: &mut DeltaListener<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, AttemptFailure> {
        let endpoint = self.endpoint();
        let mut reader = ResponseReader::new(endpoint);
        let silence = loop {
            match next_bytes(response, &clocks, cancel).await {
                Ok(bytes) => match reader.push(bytes.as_ref(), listener) {
                    Ok(StreamProgress::End) => break Silence::End,
                    Ok(StreamProgress::Something) => clocks.useful = Instant::now(),
                    Ok(StreamProgress::Nothing) => {}
                    Err(mut error) => {
                        // A server that fails in the middle is like a connection that does.
                        let shown = reader.has_shown_text();
                        let passing = matches!(
                            error.class,
                            ErrorClass::ServerError | ErrorClass::Unknown | ErrorClass::Overloaded
                        );
                        error.partial = reader.partial();
                        return Err(AttemptFailure {
                            error,
                            may_retry_silently: passing && !shown,
                            lost_connection: false,
                        });
                    }
                },
                Err(silence) => break silence,
            }
        };
        match silence {
            Silence::End => drain(response).await,
            Silence::Broken(_) if reader.has_shown_text() => {}
            silence @ Silence::Broken(_) => {
                return match self.broken_stream(silence, reader) {
                    Err(failure) => Err(self.broken(failure).await),
                    answer => answer,
                };
            }
            silence => return self.broken_stream(silence, reader),
        }
        let shown = reader.has_shown_text();
        let mut answer = reader.finish().map_err(|error| AttemptFailure {
            may_retry_silently: error.class == ErrorClass::Dropped && !shown,
            error,
            lost_connection: false,
        })?;
        if answer.finish == Finish::ConnectionLost {
            answer.finish_reason = match &endpoint.server {
                Some(server) => server.0.why_it_ended().await,
                None => None,
            };
        }
        Ok(answer)
    }

    /// A stream that stopped improperly. What arrived of a call is worth more than an error once all
    /// silent tries are used up, so it goes with the error.
    fn broken_stream(
        &self,
        silence: Silence,
        mut reader: ResponseReader<'_>,
    ) -> Result<ModelResponse, AttemptFailure> {
        let shown = reader.has_shown_text();
        let broke = matches!(silence, Silence::Broken(_));
        let mut failure = self.silence(silence, None);
        failure.error.partial = reader.partial();
        failure.may_retry_silently = broke && !shown;
        Err(failure)
    }

    /// The failure that a silence means.
    fn silence(&self, silence: Silence, partial: Option<Box<ModelResponse>>) -> AttemptFailure {
        let endpoint = self.endpoint();
        let timeout = |said: String| error::error(endpoint, ErrorClass::Timeout, &said);
        let seconds = |time: Duration| time.as_secs_f64();
        let mut lost_connection = false;
        let mut error = match silence {
            Silence::End => error::error(endpoint, ErrorClass::Dropped, "the answer ended early"),
            Silence::Cancelled => error::error(endpoint, ErrorClass::Cancelled, "cancelled"),
            Silence::Broken(failure) => {
                lost_connection = true;
                error::from_transport(endpoint, &failure)
            }
            Silence::Gap(time) => {
                lost_connection = true;
                timeout(format!("no byte from the model for {} s", seconds(time)))
            }
            Silence::Stale(time) => {
                self.stale_streams.fetch_add(1, Ordering::Relaxed);
                timeout(format!("the model's stream said nothing for {} s", seconds(time)))
            }
            Silence::CallTooLong(time) => {
                timeout(format!("the model did not finish within {} s", seconds(time)))
            }
        };
        error.partial = partial;
        AttemptFailure { error, may_retry_silently: false, lost_connection }
    }

    async fn refusal(
        &self,
        status: u16,
        response: &mut reqwest::Response,
        clocks: &Clocks,
        cancel: &CancellationToken,
    ) -> ModelError {
        let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let wait = header.and_then(|value| error::retry_after(value, Timestamp::now()));
        let body = match self.read_all(response, clocks, MAX_EXPLANATION, cancel).await {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(failure) if failure.error.class == ErrorClass::Cancelled => return failure.error,
            // The status says enough.
            Err(_) => String::new(),
        };
        error::from_status(self.endpoint(), status, &body, wait)
    }

    async fn read_all(
        &self,
        response: &mut reqwest::Response,
        clocks: &Clocks,
        most: usize,
        cancel: &CancellationToken,
    ) -> Result<Vec<u8>, AttemptFailure> {
        let mut all = Vec::new();
        loop {
            match next_bytes(response, clocks, cancel).await {
                Ok(bytes) => all.extend_from_slice(bytes.as_ref()),
                Err(Silence::End) => return Ok(all),
                Err(silence) => return Err(self.silence(silence, None)),
            }
            if all.len() > most {
                let said = format!("the server's answer is larger than {} MB", most >> 20);
                return Err(
                    error::error(self.endpoint(), ErrorClass::InvalidResponse, &said).into()
                );
            }
        }
    }
}

async fn next_bytes(
    response: &mut reqwest::Response,
    clocks: &Clocks,
    cancel: &CancellationToken,
) -> Result<impl AsRef<[u8]> + use<>, Silence> {
    let (until, why) = clocks.next();
    let chunk = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(Silence::Cancelled),
        chunk = timeout_at(until, response.chunk()) => chunk,
    };
    match chunk {
        Ok(Ok(Some(bytes))) => Ok(bytes),
        Ok(Ok(None)) => Err(Silence::End),
        Ok(Err(failure)) => Err(Silence::Broken(failure)),
        Err(_) => Err(why),
    }
}

/// Reads what is left after the last event, mostly an empty chunk: only a body that was read to its end
/// gives its connection back for the next call. A server that does not end is not waited for.
async fn drain(response: &mut reqwest::Response) {
    let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
    let _ = tokio::time::timeout(DRAIN, rest).await;
}

fn is_stream(response: &reqwest::Response) -> bool {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.contains("event-stream"))
}

/// What is needed to be let in, and what the endpoint adds.
fn headers(endpoint: &Endpoint) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    let key = endpoint.api_key.as_ref().map_or(NO_KEY, |key| key.expose());
    // Compressed streams get stuck in the buffers of proxies.
    let mut wanted: Vec<(&str, String)> = vec![("accept-encoding", "identity".to_owned())];
    match endpoint.wire {
        WireApi::Chat => wanted.push(("authorization", format!("Bearer {key}"))),
        WireApi::Messages => {
            wanted.push(("x-api-key", key.to_owned()));
            wanted.push(("anthropic-version", "2023-06-01".to_owned()));
            if endpoint.is_at("anthropic.com") || endpoint.model.contains("claude") {
                let betas =
                    "interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14";
                wanted.push(("anthropic-beta", betas.to_owned()));
            }
            if !endpoint.is_at("anthropic.com") {
                // Others who speak this wire look for the key here.
                wanted.push(("authorization", format!("Bearer {key}")));
            }
        }
    }
    let further = endpoint.headers.iter().map(|(name, value)| (name.as_str(), value.clone()));
    for (name, value) in wanted.into_iter().chain(further) {
        let unfit = || {
            let said = format!("the header {name} holds characters that cannot be sent");
            error::error(endpoint, ErrorClass::FormatError, &said)
        };
        let field = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit())?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| unfit())?;
        value.set_sensitive(true);
        headers.insert(field, value);
    }
    Ok(headers)
}
