//! The two wires: how a request is written, and how an answer is read.
//!
//! Everything here is pure. A request becomes a JSON body, an answer becomes an [`ModelResponse`], whether it
//! came whole or in events; no socket and no clock is involved, which is why all of it can be tested with
//! texts and fuzzed with bytes. What both wires share is in `draft`, where an answer grows, and `adapt`,
//! where it is remembered what a server turned out not to like.

pub mod adapt;
pub mod cache;
pub mod chat;
mod details;
mod draft;
mod json;
pub mod messages;
mod simpler_schema;

use serde_json::Value;

pub use adapt::Adaptations;
pub use draft::StreamProgress;

use crate::endpoint::{Endpoint, WireApi};
use crate::error::{self, ErrorReport};
use crate::model::{Delta, ErrorClass, ModelError, ModelRequest, ModelResponse};
use crate::sse::{SseEvent, SseParser};

/// Whether an answer is to come in events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// In events, as it is made.
    Streamed,
    /// At once, when it is done.
    Whole,
}

/// The body of a request.
#[must_use]
pub fn body(
    endpoint: &Endpoint,
    request: &ModelRequest,
    adaptations: &Adaptations,
    delivery: Delivery,
) -> Value {
    match endpoint.wire {
        WireApi::Chat => chat::request::body(endpoint, request, adaptations, delivery),
        WireApi::Messages => messages::request::body(endpoint, request, adaptations, delivery),
    }
}

/// Reads an answer that came at once.
///
/// # Errors
///
/// It tells of a failure, or it is not an answer.
pub fn whole(endpoint: &Endpoint, body: &str) -> Result<ModelResponse, ModelError> {
    let unreadable = || {
        let shown: String = body.chars().take(80).collect();
        let said =
            format!("{} answered with something that is no answer: {shown}", endpoint.host());
        error::error(endpoint, ErrorClass::InvalidResponse, &said)
    };
    let value = json::read(body).ok_or_else(unreadable)?;
    if is_failure(&value) {
        return Err(error::from_report(endpoint, None, &ErrorReport::of_value(&value)));
    }
    let mut reader = ResponseReader::new(endpoint);
    let read = match &mut reader.kind {
        Kind::Chat(stream) => stream.read_whole(&value),
        Kind::Messages(stream) => stream.read_whole(&value),
    };
    if !read {
        return Err(unreadable());
    }
    reader.finish()
}

/// A stream or body that tells of a failure.
fn is_failure(value: &Value) -> bool {
    value.get("error").is_some_and(|error| !error.is_null() && error != false)
        || value["type"] == "error"
        || (value["object"] == "error" && value.get("message").is_some())
}

/// Reads an answer that comes in events.
#[derive(Debug)]
pub struct ResponseReader<'a> {
    endpoint: &'a Endpoint,
    events: SseParser,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Chat(chat::stream::ChatStream),
    Messages(messages::stream::MessagesStream),
}

impl<'a> ResponseReader<'a> {
    /// Begins to read an answer of this server.
    #[must_use]
    pub fn new(endpoint: &'a Endpoint) -> Self {
        let kind = match endpoint.wire {
            WireApi::Chat => Kind::Chat(chat::stream::ChatStream::new(endpoint)),
            WireApi::Messages => Kind::Messages(messages::stream::MessagesStream::new(endpoint)),
        };
        Self { endpoint, events: SseParser::default(), kind }
    }

    /// Takes the next bytes; what is new in them goes to the listener.
    ///
    /// # Errors
    ///
    /// The stream tells of a failure, or grows beyond all measure.
    pub fn push(
        &mut self,
        bytes: &[u8],
        listener: &mut dyn FnMut(Delta),
    ) -> Result<StreamProgress, ModelError> {
        let events = self.events.push(bytes).map_err(|too_large| {
            error::error(self.endpoint, ErrorClass::InvalidResponse, &too_large.to_string())
        })?;
        let mut heard = StreamProgress::Nothing;
        for event in events {
            heard = heard.max(self.take(&event, listener)?);
        }
        Ok(heard)
    }

    fn take(
        &mut self,
        event: &SseEvent,
        listener: &mut dyn FnMut(Delta),
    ) -> Result<StreamProgress, ModelError> {
        if event.data.trim() == "[DONE]" {
            self.draft().ended = true;
        }
        // Nothing after the end counts, or the outcome would depend on how the bytes were cut.
        if self.draft().ended {
            return Ok(StreamProgress::End);
        }
        if event.data.trim().is_empty() {
            return Ok(StreamProgress::Nothing);
        }
        let Some(value) = json::read(&event.data) else {
            if event.name == "error" {
                let report = ErrorReport::of_body(&event.data);
                return Err(error::from_report(self.endpoint, None, &report));
            }
            tracing::debug!(bytes = event.data.len(), "an event that is no JSON is left out");
            self.draft().lose(&event.data);
            return Ok(StreamProgress::Nothing);
        };
        if is_failure(&value) || event.name == "error" {
            return Err(error::from_report(self.endpoint, None, &ErrorReport::of_value(&value)));
        }
        let heard = match &mut self.kind {
            Kind::Chat(stream) => stream.take(&value, listener),
            Kind::Messages(stream) => stream.take(&value, listener),
        };
        if self.draft().is_too_large() {
            let said = "the answer is larger than any answer should be";
            return Err(error::error(self.endpoint, ErrorClass::InvalidResponse, said));
        }
        Ok(heard)
    }

    fn draft(&mut self) -> &mut draft::ResponseDraft {
        match &mut self.kind {
            Kind::Chat(stream) => &mut stream.draft,
            Kind::Messages(stream) => &mut stream.draft,
        }
    }

    /// Whether text has gone to the listener, so that a silent second try is out of the question.
    pub fn has_shown_text(&mut self) -> bool {
        self.draft().shown
    }

    /// Whether anything at all has arrived.
    pub fn is_empty(&mut self) -> bool {
        self.draft().is_empty()
    }

    /// Takes the end of the stream, proper or not, and makes of what arrived the best there is.
    ///
    /// # Errors
    ///
    /// Nothing usable arrived.
    pub fn finish(mut self) -> Result<ModelResponse, ModelError> {
        // What was cut in the middle is no JSON any more and says nothing but that it was cut.
        if let Some(last) = self.events.finish()
            && json::read(&last.data).is_some()
        {
            self.take(&last, &mut |_| {})?;
        }
        match self.kind {
            Kind::Chat(stream) => stream.finish(self.endpoint),
            Kind::Messages(stream) => stream.finish(self.endpoint),
        }
    }

    /// What has arrived so far, as an answer that broke off; `None` if it is nothing.
    #[must_use]
    pub fn partial(mut self) -> Option<Box<ModelResponse>> {
        let draft = std::mem::take(self.draft());
        (!draft.is_empty()).then(|| Box::new(draft.broken_off()))
    }
}

#[cfg(test)]
mod tests;
